// What the verbs print: list, show, check, doctor, and the help. Running is in run_test.cpp,
// mistakes are in mistakes_test.cpp.
#include <gtest/gtest.h>

#include "examples/catalogue.h"
#include "mdh/hl/parse.h"
#include "mdh/ll/config.h"
#include "mdh/ll/parse.h"
#include "mdh/ll/print.h"
#include "mdh/loop/parse.h"
#include "mdh/loop/print.h"
#include "mdh/machine/machine.h"
#include "mdh/runtime/testing.h"
#include "mdh/support/files.h"
#include "mdh/support/text.h"
#include "tests/cli/tool.h"

namespace mdh::test::cli_test {
namespace {

/// The standard output of a command that succeeds in silence.
std::string output_of(const std::string& line) {
  const Outcome o = mdh(line);
  EXPECT_EQ(o.exit, 0) << line << "\n" << describe(o);
  EXPECT_EQ(o.err, "") << line;
  return o.out;
}

TEST(Cli, version_is_name_and_number) {
  EXPECT_EQ(output_of("--version").substr(0, 4), "mdh ");
  EXPECT_EQ(split(output_of("--version"), '.').size(), 3u);
}

TEST(Cli, help_lists_the_verbs) {
  const std::string help = output_of("--help");
  for (const char* verb : {"list", "show", "check", "run", "devices", "cache", "doctor"}) {
    EXPECT_TRUE(contains(help, fmt::format("\n  {} ", verb))) << help;
  }
}

TEST(Cli, help_of_a_verb_lists_its_options) {
  const std::string help = output_of("run --help");
  for (const char* option :
       {"--size", "--type", "--set", "--target", "--machine", "--config", "--threads", "--seed",
        "-q,--quiet", "--json", "--compare", "--in-process", "--time-limit"}) {
    EXPECT_TRUE(contains(help, fmt::format("\n  {}", option))) << option << "\n" << help;
  }
  EXPECT_TRUE(contains(output_of("show --help"), "--source"));
}

TEST(Cli, list_has_one_line_per_entry_with_its_dimensions_and_types) {
  const std::vector<std::string> lines = split(output_of("list"), '\n');
  ASSERT_EQ(lines.size(), examples::catalogue().size() + 1) << "the last line ends";
  for (size_t n = 0; n < examples::catalogue().size(); ++n) {
    const examples::Entry& entry = examples::catalogue()[n];
    EXPECT_EQ(lines[n].find(entry.name + " "), 0u) << lines[n];
    EXPECT_TRUE(contains(lines[n], entry.summary)) << lines[n];
  }
  EXPECT_TRUE(contains(output_of("list"), "i by cc, j by cc, k by pw(add)"));
  EXPECT_TRUE(contains(output_of("list"), "(f32 f64 i32 i64)"));
  EXPECT_TRUE(contains(output_of("list"), "sizes paper, paper2, paper3 with SH=2 SW=2, paper4"));
}

TEST(Cli, named_size_brings_its_constants_along_unless_they_are_set) {
  EXPECT_TRUE(
      contains(output_of("show mcc_capsule --size paper2"), "[n, p + r, q + s, c, mi, mk]"));
  EXPECT_TRUE(
      contains(output_of("show mcc_capsule --size paper4"), "[n, 2 * p + r, 2 * q + s, c,"));
  EXPECT_TRUE(contains(output_of("show mcc_capsule --size paper4 --set SW=3"),
                       "[n, 2 * p + r, 3 * q + s, c,"));
}

TEST(Cli, doctor_finds_targets_usable) {
  const std::string report = output_of("doctor");
  EXPECT_TRUE(contains(report, "target reference: ok\n")) << report;
  EXPECT_TRUE(contains(report, "target openmp: /")) << report;
  EXPECT_TRUE(contains(report, ", ok\ntarget opencl: ")) << report;
  for (const machine::Machine& m : machine::machines()) {
    EXPECT_TRUE(contains(report, fmt::format("machine {}: {}\n", m.name, m.summary))) << report;
  }
}

TEST(Cli, doctor_finds_the_worker_or_says_that_it_is_not_there) {
  EXPECT_TRUE(contains(output_of("doctor"), "/mdh-worker\ntarget reference: ok\n"));
  const runtime::ScopedEnvironment worker("MDH_WORKER", "/nonexistent");
  const Outcome o = mdh("doctor");
  EXPECT_EQ(o.exit, 3);
  EXPECT_TRUE(contains(o.out, "worker: not usable\ntarget reference: ok\n")) << o.out;
  EXPECT_TRUE(contains(o.err, "[E608]")) << o.err;
}

TEST(Cli, doctor_says_what_is_missing_and_goes_on) {
  const runtime::ScopedEnvironment cc("MDH_CC", "/nonexistent");
  const Outcome o = mdh("doctor");
  EXPECT_EQ(o.exit, 3);
  EXPECT_TRUE(contains(o.out, "target reference: ok\ntarget openmp: not usable\ntarget opencl: "))
      << o.out;
  EXPECT_TRUE(contains(o.err, "the C compiler '/nonexistent' named by MDH_CC was not found [E601]"))
      << o.err;
}

TEST(Cli, doctor_shows_the_rates_and_measures_them_anew) {
  EXPECT_TRUE(contains(output_of("doctor"), "\nrates: typical\n  vectors of "));
  const TemporaryDirectory folder;
  const runtime::ScopedEnvironment set("MDH_RATES", std::nullopt);
  const runtime::ScopedEnvironment data("XDG_DATA_HOME", folder.path().string());
  EXPECT_TRUE(contains(output_of("doctor"), "\nrates: typical, not measured yet\n"));
  const std::string fresh = output_of("doctor --measure");
  EXPECT_TRUE(contains(fresh, "\nrates: measured just now, stored in '" + folder.path().string()))
      << fresh;
  const std::string known = output_of("doctor");
  EXPECT_TRUE(contains(known, "\nrates: measured 20")) << known;
  const auto numbers = [](const std::string& text) {
    return text.substr(text.find("  vectors of "));
  };
  EXPECT_EQ(numbers(known), numbers(fresh));
}

TEST(Cli, doctor_finds_rates_that_are_none) {
  const runtime::ScopedEnvironment set("MDH_RATES", "/dev/null");
  const Outcome o = mdh("doctor");
  EXPECT_EQ(o.exit, 3);
  EXPECT_TRUE(contains(o.out, "\nrates: not usable\n")) << o.out;
  EXPECT_TRUE(contains(o.err, "MDH_RATES: '/dev/null' holds no rates of a machine [E884]\nhint: "))
      << o.err;
}

// ---- show

/// Where the text of each stage comes from: sizes, types, machines and configurations.
const std::vector<std::string>& shown() {
  static const std::vector<std::string> lines = {
      "matvec --size 7,13",
      "matvec --size I=7,K=13 --type f64 --machine artificial",
      "matmul --size 5,7,11 --type i32 --threads 3",
      "dot --size 1000 --type i64 --threads 4 --machine openmp",
      "jacobi1d --size 31",
      "jacobi1d --size 31 --type i32",
      "scan --size 40 --threads 3",
  };
  return lines;
}

TEST(Show, prints_the_concrete_program) {
  EXPECT_EQ(output_of("show matvec --size 7,13"),
            "mdh 1\n"
            "program matvec =\n"
            "  out_view( w: f32 = [i] )\n"
            "* md_hom( i: 7 by cc, k: 13 by pw(add) ) { w = M * v; }\n"
            "* inp_view( M: f32 = [i, k];\n"
            "            v: f32 = [k] )\n");
}

TEST(Show, program_can_be_read_again) {
  const TemporaryDirectory folder;
  const std::string file = folder.path() / "again.mdh";
  for (const std::string& line : shown()) {
    const std::string text = output_of("show " + line);
    write_file(file, text);
    EXPECT_EQ(output_of("show " + file), text);
  }
  const std::string text = output_of("show matmul --size 5,7,11 --type i64");
  EXPECT_EQ(hl::parse(text),
            examples::find_entry("matmul")->build({scalar::Scalar::i64, {5, 7, 11}}));
}

TEST(Show, low_level_program_can_be_read_again) {
  for (const std::string& line : shown()) {
    const std::string text = output_of("show " + line + " --ll");
    EXPECT_EQ(ll::print(ll::parse(text)), text);
  }
}

TEST(Show, loops_can_be_read_again_in_both_dialects) {
  for (const std::string& line : shown()) {
    const std::string structured = output_of("show " + line + " --plan");
    const std::string concrete = output_of("show " + line + " --loop");
    EXPECT_EQ(loop::print(loop::parse(structured)), structured);
    EXPECT_EQ(loop::print(loop::parse(concrete)), concrete);
    EXPECT_FALSE(loop::is_concrete(loop::parse(structured)));
    EXPECT_TRUE(loop::is_concrete(loop::parse(concrete)));
  }
}

TEST(Show, the_plan_copies_tiles_and_writes_accumulators_up) {
  const TemporaryDirectory folder;
  const std::string file = folder.path() / "tiles.json";
  write_file(file, R"({"mdh_config": 1, "machine": "artificial", "layers": ["COR", "HM", "L1"],
    "split": {"i": ["COR 2", "L1 4"], "k": ["HM 2", "L1 7"]},
    "order": ["COR.i", "HM.k", "L1.i", "L1.k"],
    "stage": {"v": [{"from": "L1.i", "region": "L1"}]},
    "acc": {"w": [{"inside": "L1.i", "region": "L1"}]}})");
  const std::string line = "show matvec --size 7,13 --machine artificial --config " + file;
  const std::string plan = output_of(line + " --plan");
  for (const std::string piece :
       {"buffer temporary v_l1: f32[7] in L1 of core per (cor_i)\n",
        "buffer temporary w_acc: f32[4] in L1 of core per (cor_i)\n",
        "copy (v_l1_1 < 7) v_l1[v_l1_1] = v[hm_k * 7 + v_l1_1] within (hm_k * 7 + v_l1_1 < 13)",
        "write_up (l1_i) (w[i]) first (hm_k) from (w_acc[l1_i]);\n"}) {
    EXPECT_TRUE(contains(plan, piece)) << piece << plan;
  }
  const std::string loops = output_of(line + " --loop");
  EXPECT_TRUE(loop::is_concrete(loop::parse(loops)));
  EXPECT_TRUE(contains(loops, "deal cores (cor_i < 2) {\n")) << loops;
}

TEST(Show, targets_with_work_groups_deal_to_a_grid_of_teams) {
  const std::string loops = output_of("show matvec --size 8,6 --target opencl --loop");
  EXPECT_TRUE(contains(loops, "  deal grid (")) << loops;
  EXPECT_TRUE(contains(loops, "    deal cores (")) << loops;
}

TEST(Show, source_is_c_that_a_compiler_takes) {
  const TemporaryDirectory folder;
  const std::string file = folder.path() / "kernel.c";
  for (const std::string& line : shown()) {
    const std::string source = output_of("show " + line + " --source");
    EXPECT_TRUE(contains(source, "_entry(void **buffers, char *workspace, long threads)"));
    write_file(file, source);
    const Outcome compiled =
        run_command({"cc", "-fsyntax-only", "-fopenmp", "-Wall", "-Wextra", "-Werror", file});
    EXPECT_EQ(compiled.exit, 0) << line << "\n" << compiled.err;
  }
}

TEST(Show, several_stages_follow_each_other) {
  const std::string line = "show matvec --size 7,13 ";
  EXPECT_EQ(output_of(line + "--source --ll --loop --plan"),
            output_of(line + "--ll") + "\n" + output_of(line + "--plan") + "\n" +
                output_of(line + "--loop") + "\n" + output_of(line + "--source"));
}

TEST(Show, reference_is_shown_like_the_default_target) {
  EXPECT_EQ(output_of("show dot --size 9 --source --target reference"),
            output_of("show dot --size 9 --source"));
}

TEST(Show, sizes_types_and_constants_are_put_in) {
  EXPECT_TRUE(contains(output_of("show jacobi1d --size 9 --set c=0.25"), "0.25 * (left"));
  EXPECT_TRUE(contains(output_of("show dot --size K=9 --type T=i64"), "A: i64 = [k]"));
  EXPECT_TRUE(contains(output_of("show dot --size paper"), "k: 16777216 by pw(add)"));
  EXPECT_TRUE(contains(output_of("show matvec --size K=9"), "i: 512 by cc, k: 9 by pw(add)"))
      << "what is not given keeps its default";
}

// ---- check

TEST(Check, prints_counts_buffers_and_the_configuration) {
  // 91 products, 84 sums; (7 + 91 + 13) numbers of 4 bytes.
  EXPECT_EQ(output_of("check matvec --size 7,13 --machine cpu --threads 2"),
            "matvec: 91 points, 175 operations, 444 bytes\n"
            "output w: f32[7]\n"
            "input  M: f32[7, 13]\n"
            "input  v: f32[13]\n"
            // A core touches 4 rows of M, all of v and 4 elements of w; v stays from core to core.
            "levels\n"
            "  level  parts  active  iterations  working set  traffic\n"
            "  COR.i      2       2           2          276      500\n"
            "  L1.i       4       4           7          108      444\n"
            "  L1.k      13      13          91           12      756\n"
            "cores\n"
            "  layer  members  active\n"
            "  COR          2       2\n"
            "regions, per instance\n"
            "  region  bytes  capacity\n"
            "  MM          0         -\n"
            "  L3          0         -\n"
            "  L2          0         -\n"
            "  L1          0         -\n"
            "  REG         0         -\n"
            "partitions that are exact: 49\n"
            "configuration (default):\n"
            "{\"mdh_config\": 1, \"program\": \"matvec\", \"sizes\": {\"I\": 7, \"K\": 13}, "
            "\"types\": {\"T\": \"f32\"}, \"machine\": \"cpu\",\n"
            " \"layers\": [\"COR\", \"L1\"],\n"
            " \"split\": {\"i\": [\"COR 2\", \"L1 4\"], \"k\": [\"L1 13\"]},\n"
            " \"order\": [\"COR.i\", \"L1.i\", \"L1.k\"]}\n");
}

TEST(Check, printed_configuration_is_one_to_use) {
  const TemporaryDirectory folder;
  const std::string file = folder.path() / "config.json";
  for (const std::string& line : shown()) {
    const std::string text = output_of("check " + line);
    const std::string config = text.substr(text.find("configuration (default):\n") + 25);
    EXPECT_EQ(ll::print(ll::parse_config(config)), config);
    write_file(file, config);
    const std::string program = split(line, ' ')[0];
    const std::string again = output_of(fmt::format("check {} --config {}", program, file));
    EXPECT_TRUE(contains(again, fmt::format("configuration (file {}):\n{}", file, config)))
        << again;
  }
}

TEST(Check, workspace_of_a_reduction_over_cores_is_counted) {
  // A partial sum of four bytes for each of four cores.
  const std::string text = output_of("check dot --size 1000 --threads 4 --machine cpu");
  EXPECT_TRUE(contains(text, "  C                MM   COR.k         1      4     16 ")) << text;
  EXPECT_TRUE(contains(text, "  MM         16         -\n")) << text;
}

TEST(Check, output_that_is_not_injective_is_a_warning) {
  const TemporaryDirectory folder;
  const std::string file = folder.path() / "overlap.mdh";
  write_file(file,
             "mdh 1\nprogram overlap =\n  out_view( y: i32 = [i + j] )\n"
             "* md_hom( i: 3 by cc, j: 2 by cc ) { y = 1; }\n* inp_view( )\n");
  const Outcome o = mdh("check " + file);
  EXPECT_EQ(o.exit, 0) << describe(o);
  EXPECT_EQ(o.err, file +
                       ":3:13: warning: the index functions of output 'y' are not provably "
                       "injective; only the reference runs this program\n");
  EXPECT_TRUE(contains(o.out, "overlap: 6 points"));
  EXPECT_FALSE(contains(o.out, "parts on cores")) << "there is no code to count";
}

}  // namespace
}  // namespace mdh::test::cli_test
