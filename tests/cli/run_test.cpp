// mdh run: results, configurations, reports.
#include <gtest/gtest.h>

#include <chrono>
#include <regex>
#include <set>

#include <nlohmann/json.hpp>

#include "mdh/runtime/process.h"
#include "mdh/runtime/testing.h"
#include "mdh/support/files.h"
#include "mdh/support/text.h"
#include "tests/cli/tool.h"

namespace mdh::test::run_test {
namespace {

using nlohmann::json;

/// The report of a quiet run that succeeds.
json report_of(const std::string& line) {
  const Outcome o = mdh("run " + line + " -q --json");
  EXPECT_EQ(o.exit, 0) << line << "\n" << describe(o);
  EXPECT_EQ(o.err, "") << line;
  EXPECT_EQ(o.out.find('\n'), o.out.size() - 1) << "one line\n" << o.out;
  return json::parse(o.out, nullptr, false);
}

// ---- all programs, types and targets

class EveryTarget : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryTarget, verifies_the_catalogue_in_all_types) {
  for (const std::string program :
       {"matvec --size 7,13", "matmul --size 5,7,11", "dot --size 1", "jacobi1d --size 31"}) {
    for (const std::string type : {"f32", "f64", "i32", "i64"}) {
      const std::string line = fmt::format("{} --type {} --target {}", program, type, GetParam());
      const json report = report_of(line);
      EXPECT_EQ(report["verified"], "full") << line;
      EXPECT_EQ(report["target"], GetParam());
      EXPECT_EQ(report["types"]["T"], type);
      if (type[0] == 'i') {
        EXPECT_EQ(report["max_error"], 0) << line;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Run, EveryTarget, ::testing::Values("reference", "openmp"),
                         [](const auto& info) { return info.param; });

// ---- configurations

struct ConfigCase {
  std::string name;
  std::string program;  // with its sizes
  std::string lines;    // of the configuration
};

const std::vector<ConfigCase>& config_cases() {
  static const std::vector<ConfigCase> cases = {
      {"padded_and_nested_teams_on_artificial", "matvec --size 7,13",
       R"("machine": "artificial", "layers": ["HM", "COR", "L1"],
          "split": {"i": ["HM 2", "COR 2", "L1 3"], "k": ["HM 2", "COR 3", "L1 4"]},
          "order": ["HM.i", "HM.k", "COR.i", "COR.k", "L1.i", "L1.k"])"},
      {"reduction_team_outside_of_the_other", "matvec --size 7,13",
       R"("machine": "openmp", "layers": ["COR", "L2", "L1"],
          "split": {"i": ["COR 3", "L2 2", "L1 2"], "k": ["COR 2", "L2 3", "L1 3"]},
          "order": ["COR.k", "L2.i", "COR.i", "L2.k", "L1.k", "L1.i"])"},
      {"significance_against_the_order_of_loops", "matvec --size 7,13",
       R"("machine": "openmp", "layers": ["L1", "COR", "MM"],
          "split": {"i": ["L1 2", "COR 2", "MM 2"], "k": ["L1 7", "COR 2"]},
          "order": ["MM.i", "COR.k", "COR.i", "L1.k", "L1.i"])"},
      {"three_teams_in_a_matrix_product", "matmul --size 5,7,11",
       R"("machine": "openmp", "layers": ["COR", "L1"],
          "split": {"i": ["COR 2", "L1 3"], "j": ["COR 3", "L1 3"], "k": ["COR 4", "L1 3"]},
          "order": ["COR.i", "COR.j", "COR.k", "L1.i", "L1.k", "L1.j"])"},
      {"registers_and_lanes_on_cpu", "matmul --size 5,7,11",
       R"("machine": "cpu", "layers": ["COR", "L2", "L1", "REG", "SIMD"],
          "split": {"i": ["COR 2", "L1 2", "REG 2"], "j": ["L1 1", "REG 2", "SIMD 4"],
                    "k": ["L2 2", "L1 3", "REG 2"]},
          "order": ["COR.i", "L2.k", "L1.i", "L1.k", "REG.i", "REG.k", "REG.j", "SIMD.j"])"},
      {"more_threads_than_terms", "dot --size 1",
       R"("machine": "cpu", "layers": ["COR", "L1"], "split": {"k": ["COR 4", "L1 3"]},
          "order": ["COR.k", "L1.k"])"},
      {"sum_over_threads_in_a_loop", "dot --size 31",
       R"("machine": "artificial", "layers": ["HM", "COR", "L1"],
          "split": {"k": ["HM 3", "COR 4", "L1 3"]}, "order": ["HM.k", "COR.k", "L1.k"])"},
      {"stencil_with_partial_lanes", "jacobi1d --size 31",
       R"("machine": "cpu", "layers": ["COR", "L1", "SIMD"],
          "split": {"i": ["COR 3", "L1 3", "SIMD 4"]}, "order": ["COR.i", "L1.i", "SIMD.i"])"},
      {"one_part_everywhere_needs_no_order", "matmul --size 1,1,1",
       R"("machine": "openmp", "layers": [], "split": {}, "order": [])"},
  };
  return cases;
}

class Configured : public ::testing::TestWithParam<ConfigCase> {};

TEST_P(Configured, computes_the_same_function) {
  const TemporaryDirectory folder;
  const std::string file = folder.path() / "config.json";
  write_file(file, "{\"mdh_config\": 1, " + GetParam().lines + "}");
  for (const std::string more : {"--type f32 --threads 3", "--type i64 --threads 5"}) {
    const json report = report_of(fmt::format("{} --config {} {}", GetParam().program, file, more));
    EXPECT_EQ(report["verified"], "full");
    EXPECT_EQ(report["config_source"], "file");
    EXPECT_TRUE(contains(GetParam().lines, report["machine"].dump())) << report;
  }
}

INSTANTIATE_TEST_SUITE_P(Run, Configured, ::testing::ValuesIn(config_cases()),
                         [](const auto& info) { return info.param.name; });

// ---- machines of the user

/// Two memories, and cores in two layers.
constexpr const char* tower = R"({"mdh_machine": 1, "name": "tower",
 "layers": [{"name": "A", "kind": "loop", "region": "A"},
            {"name": "B", "kind": "loop", "region": "B"},
            {"name": "OUT", "kind": "cores", "region": "A", "barrier": true, "aliases": ["OUTER"]},
            {"name": "INN", "kind": "cores", "region": "B", "barrier": true, "count": 4}],
 "regions": [{"name": "A"}, {"name": "B", "owner": "OUT", "capacity": 4096}],
 "constraints": [{"parts_at_most": 64, "layers": ["OUT", "INN"]}]})";

TEST(Run, machine_can_be_a_file) {
  const TemporaryDirectory folder;
  const std::string machine = folder.path() / "tower.json";
  const std::string config = folder.path() / "config.json";
  write_file(machine, tower);
  EXPECT_EQ(report_of("matvec --size 7,13 --machine " + machine)["machine"], "tower");
  write_file(config, R"({"mdh_config": 1, "layers": ["OUTER", "INN", "B"],
                         "split": {"i": ["OUTER 2", "B 4"], "k": ["OUTER 2", "INN 3", "B 3"]},
                         "order": ["OUTER.k", "INN.k", "OUTER.i", "B.i", "B.k"]})");
  for (const char* type : {"f32", "i64"}) {
    const json report =
        report_of(fmt::format("matvec --size 7,13 --type {} --threads 5 --machine {} --config {}",
                              type, machine, config));
    EXPECT_EQ(report["machine"], "tower");
    EXPECT_EQ(report["verified"], "full");
  }
}

TEST(Run, configuration_can_name_the_file_of_its_machine) {
  const TemporaryDirectory folder;
  const std::string machine = folder.path() / "tower.json";
  const std::string config = folder.path() / "config.json";
  write_file(machine, tower);
  write_file(config, fmt::format(R"({{"mdh_config": 1, "machine": "{}", "layers": ["INN", "B"],
                                     "split": {{"k": ["INN 3", "B 4"]}}, "order": ["INN.k", "B.k"]}})",
                                 machine));
  EXPECT_EQ(report_of("dot --size 12 --config " + config)["machine"], "tower");
}

TEST(Run, configuration_brings_sizes_types_and_machine_unless_they_are_given) {
  const TemporaryDirectory folder;
  const std::string file = folder.path() / "config.json";
  write_file(file, R"({"mdh_config": 1, "sizes": {"K": 12}, "types": {"T": "i32"},
                       "machine": "openmp", "layers": ["COR", "L1"],
                       "split": {"k": ["COR 3", "L1 4"]}, "order": ["COR.k", "L1.k"]})");
  json report = report_of("dot --config " + file);
  EXPECT_EQ(report["sizes"]["K"], 12);
  EXPECT_EQ(report["types"]["T"], "i32");
  EXPECT_EQ(report["machine"], "openmp");
  report = report_of("dot --config " + file + " --size 10 --type f64 --machine cpu");
  EXPECT_EQ(report["sizes"]["K"], 10);
  EXPECT_EQ(report["types"]["T"], "f64");
  EXPECT_EQ(report["machine"], "cpu");
}

// ---- reports

TEST(Run, json_has_the_keys_of_the_contract) {
  const json report = report_of("matvec --size 7,13 --threads 2");
  const std::set<std::string> expected = {
      "schema",        "program", "sizes",    "types",     "target", "machine",
      "config_source", "threads", "verified", "max_error", "bound",  "time_us",
      "gflops",        "gbs",     "checks",   "weakness",  "load",   "caches"};
  std::set<std::string> keys;
  for (const auto& [key, value] : report.items()) keys.insert(key);
  EXPECT_EQ(keys, expected);
  EXPECT_EQ(report["program"], "matvec");
  EXPECT_EQ(report["sizes"], (json{{"I", 7}, {"K", 13}}));
  EXPECT_EQ(report["types"], (json{{"T", "f32"}}));
  EXPECT_EQ(report["machine"], "cpu");
  EXPECT_EQ(report["config_source"], "default");
  EXPECT_EQ(report["threads"], 2);
  EXPECT_LE(report["max_error"], report["bound"]);
  for (const char* check : {"twin", "few_whole_numbers", "random_numbers"}) {
    EXPECT_EQ(report["checks"][check]["coverage"], "full") << check;
    EXPECT_GE(report["checks"][check]["runs"], 1) << check;
  }
  EXPECT_LE(report["weakness"], 0.125);
  const double median = report["time_us"]["median"];
  EXPECT_GT(median, 0);
  EXPECT_GE(report["time_us"]["n"], 5);
  EXPECT_GE(report["time_us"]["ci99"], 0);
  EXPECT_NEAR(report["gflops"], 175 / (median * 1e3), 1e-9);
  EXPECT_NEAR(report["gbs"], 444 / (median * 1e3), 1e-9);
}

TEST(Run, comparison_adds_a_ratio_to_the_report) {
  EXPECT_GT(report_of("dot --size 1000 --threads 1 --compare")["plain_ratio"], 0);
  const Outcome o = mdh("run dot --size 1000 --threads 1 --compare -q");
  EXPECT_TRUE(std::regex_search(o.out, std::regex("plain loop .* / mdh: [0-9.]+\n"))) << o.out;
}

TEST(Run, text_report_is_three_lines_on_stdout) {
  const Outcome o = mdh("run matvec --size 7,13 --type i32");
  EXPECT_EQ(o.exit, 0) << describe(o);
  EXPECT_TRUE(std::regex_match(
      o.out, std::regex("matvec I=7 K=13\n"
                        "verified: full \\(twin full, few whole numbers full, "
                        "random numbers full\\), max error 0 \\(allowed 0\\)\n"
                        "time: [0-9.]+ us \\(median of [0-9]+; mean [0-9.]+ \\+- [0-9.]+\\), "
                        "[0-9.]+ GFLOP/s, [0-9.]+ GB/s\n")))
      << o.out;
}

/// Other tests may use the cores at the same time, which is noted.
std::string without_load(const std::string& text) {
  return std::regex_replace(text, std::regex("mdh: note: other programs[^\n]*\n"), "");
}

TEST(Run, progress_is_on_stderr_and_names_target_machine_and_configuration) {
  for (const std::string format : {"", " --json"}) {
    const Outcome o = mdh("run matvec --size 7,13 --threads 3" + format);
    EXPECT_EQ(o.exit, 0) << describe(o);
    EXPECT_EQ(without_load(o.err),
              "mdh: target openmp, machine cpu, configuration: default, threads 3\n"
              "mdh: lowering, printing and compiling ...\n"
              "mdh: computing ...\n"
              "mdh: verifying ...\n"
              "mdh: verifying the twin ...\n"
              "mdh: verifying on few whole numbers ...\n"
              "mdh: timing ...\n");
    EXPECT_FALSE(contains(o.out, "..."));
    if (!format.empty()) {
      EXPECT_TRUE(json::accept(o.out)) << o.out;
    }
  }
}

TEST(Run, quiet_run_prints_the_report_alone) {
  const Outcome o = mdh("run dot --size 9 --target reference --quiet");
  EXPECT_EQ(o.exit, 0) << describe(o);
  EXPECT_EQ(o.err, "");
  EXPECT_EQ(split(o.out, '\n').size(), 4u) << o.out;
}

/// `script` gives the tool a terminal; what it writes there comes back on our pipe.
TEST(Run, progress_on_a_terminal_is_one_line_that_vanishes) {
  if (runtime::find_program("script").empty()) GTEST_SKIP() << "no program 'script'";
  const auto on_terminal = [](const std::string& line) {
    return run_command({"script", "-qec", MDH_TOOL " run dot " + line, "/dev/null"}).out;
  };
  const std::string begin_of_line = "\r\033[K";
  const std::string out = without_load(on_terminal("--size 9 --compare"));
  EXPECT_TRUE(contains(out, begin_of_line + "[........................] lowering")) << out;
  EXPECT_TRUE(contains(out, begin_of_line + "dot K=9\r\n")) << "the bar is gone\n" << out;
  EXPECT_EQ(on_terminal("--size 9 -q").find("dot K=9\r\n"), 0u);
}

/// Long enough to take a second somewhere: then a terminal shows the share, and a pipe nothing.
TEST(Run, long_reference_shows_share_and_time_left_on_a_terminal_only) {
  const std::string line = MDH_TOOL " run matmul --size 256,256,256 --target reference";
  const Outcome piped = run_command({"sh", "-c", line});
  EXPECT_EQ(piped.exit, 0) << describe(piped);
  EXPECT_FALSE(contains(piped.err, "%") || contains(piped.err, "\r")) << piped.err;
  if (runtime::find_program("script").empty()) GTEST_SKIP() << "no program 'script'";
  const auto begin = std::chrono::steady_clock::now();
  const Outcome o = run_command({"script", "-qec", line, "/dev/null"});
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  if (seconds.count() < 3) GTEST_SKIP() << "too fast for a step of a second";
  EXPECT_TRUE(std::regex_search(o.out, std::regex("\\] [a-z ]+: [0-9]+ %, [0-9]+ s left")))
      << o.out;
}

TEST(Run, same_seed_is_the_same_data) {
  const std::string line = "matvec --size 31,64 --target reference --seed ";
  EXPECT_EQ(report_of(line + "5")["max_error"], report_of(line + "5")["max_error"]);
  EXPECT_NE(report_of(line + "5")["max_error"], report_of(line + "6")["max_error"]);
}

TEST(Run, constant_of_the_user_is_used_on_every_target) {
  EXPECT_EQ(report_of("jacobi1d --size 31 --set c=0.5")["verified"], "full");
  const Outcome o = mdh("run jacobi1d --size 31 --set c=0.5 --target reference -q");
  EXPECT_EQ(o.exit, 0) << describe(o);
  EXPECT_TRUE(contains(o.out, "verified: none (this is the reference)"))
      << "the plain loop has another constant\n"
      << o.out;
}

// ---- a user's own file

TEST(Run, own_file_runs_on_both_targets) {
  const TemporaryDirectory folder;
  const std::string file = folder.path() / "own.mdh";
  write_file(file,
             "mdh 1\n"
             "// sums and largest elements of the rows, every other one\n"
             "program own<I: size = 9, K: size = 11> =\n"
             "  out_view( s: f64 = [2 * i]; m: i32 = [i] )\n"
             "* md_hom( i: I by cc, k: K by pw(add, max) ) { s = x * 0.1; m = n - i32(k); }\n"
             "* inp_view( x: f64 = [i + k]; n: i32 = [k] )\n");
  json report = report_of(file);
  EXPECT_EQ(report["program"], "own");
  EXPECT_EQ(report["sizes"], (json{{"I", 9}, {"K", 11}}));
  EXPECT_EQ(report["types"], json::object());
  EXPECT_EQ(report["verified"], "full");
  report = report_of(file + " --size K=5 --threads 4");
  EXPECT_EQ(report["sizes"], (json{{"I", 9}, {"K", 5}}));
  EXPECT_EQ(report["verified"], "full");
  report = report_of(file + " --target reference");
  EXPECT_EQ(report["verified"], "none");
  EXPECT_TRUE(contains(mdh("run " + file + " --target reference").out,
                       "verified: none (this is the reference)"));
}

TEST(Run, minimum_of_products_is_not_taken_for_wrong) {
  const TemporaryDirectory folder;
  const std::string file = folder.path() / "least.mdh";
  write_file(file,
             "mdh 1\nprogram least = out_view( y: f32 = [i] )\n"
             "* md_hom( i: 50 by cc, k: 500 by pw(min) ) { y = M * v * v; }\n"
             "* inp_view( M: f32 = [i, k]; v: f32 = [k] )\n");
  EXPECT_EQ(report_of(file)["verified"], "full");
}

// ---- a wrong result

TEST(Run, wrong_result_is_exit_code_1_and_no_time) {
  const runtime::Script compiler =
      runtime::sabotaged_compiler("s/run_matvec(buffers.*;/&((int *)buffers[0])[3] += 1;/");
  const runtime::ScopedEnvironment cc("MDH_CC", compiler.path());
  const Outcome o = mdh("run matvec --size 7,13 --type i32 -q --json");
  EXPECT_EQ(o.exit, 1) << describe(o);
  EXPECT_EQ(o.out, "");
  EXPECT_TRUE(std::regex_match(
      o.err, std::regex("mdh: error: wrong result: element 3 of output 'w' is -?[0-9]+, expected "
                        "-?[0-9]+ \\(allowed error 0\\) \\[E809\\]\n"
                        "hint: no time is reported for a wrong result; .*\n")))
      << o.err;
}

/// A reduction of 100000 numbers by an operator `o`.
std::string reduction_by(const TemporaryDirectory& folder, const std::string& op,
                         const std::string& value) {
  const std::string file = folder.path() / "reduction.mdh";
  write_file(file, "mdh 1\nop o(l, r) = " + op +
                       ";\nprogram p = out_view( y: i32 = [i] )\n"
                       "* md_hom( i: 2 by cc, k: 100000 by pw(o) ) { y = " +
                       value + "; }\n* inp_view( x: i32 = [i, k] )\n");
  return file;
}

TEST(Run, operator_that_breaks_a_law_is_refused_before_it_runs) {
  const TemporaryDirectory folder;
  const Outcome o = mdh("run " + reduction_by(folder, "if l + r > 100 then 100 else l + r", "x"));
  EXPECT_EQ(o.exit, 2) << describe(o);
  EXPECT_TRUE(contains(o.err, "the operator of dimension 'k' of 'p' is not associative: with x = "))
      << o.err;
}

TEST(Run, wrong_result_of_an_operator_that_breaks_a_law_on_the_data_is_no_bug_of_mdh) {
  const TemporaryDirectory folder;
  // Sums are 7 and some tens: the trials before the run do not come as far as 777777.
  const Outcome o =
      mdh("run " +
          reduction_by(folder, "if l + r == 777777 then 0 else l + r", "if k == 0 then 7 else 10") +
          " --threads 2 -q --no-records");
  EXPECT_EQ(o.exit, 2) << describe(o);
  EXPECT_EQ(o.out, "");
  EXPECT_TRUE(std::regex_search(
      o.err, std::regex("reduction.mdh:4:[0-9]+: error: the operator of dimension 'k' of 'p' is "
                        "not associative: with x = [0-9]+, y = [0-9]+, z = 10 the value of "
                        "\\(x, y\\), z is [0-9]+, of x, \\(y, z\\) [0-9]+ \\[E229\\]\n")))
      << o.err;
  EXPECT_FALSE(contains(o.err, "please report")) << o.err;
}

}  // namespace
}  // namespace mdh::test::run_test
