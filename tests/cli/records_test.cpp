// Tuning records on the command line: runs that use them, and the verbs that manage them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "mdh/hl/instantiate.h"
#include "mdh/hl/parse.h"
#include "mdh/runtime/testing.h"
#include "mdh/support/files.h"
#include "mdh/support/text.h"
#include "mdh/tuning/records.h"
#include "tests/cli/tool.h"

namespace mdh::test::records_test {
namespace {

using nlohmann::json;

/// matvec 7 x 13 of the catalogue with other names and its sizes as numbers.
const char* const product_text =
    "mdh 1\nprogram product = out_view( y: f32 = [row] )"
    " * md_hom( row: 7 by cc, col: 13 by pw(add) ) { y = A * x; }"
    " * inp_view( A: f32 = [row, col]; x: f32 = [col] )\n";

ll::Config tiled(int parts) {
  return ll::parse_config(fmt::format(
      R"({{"mdh_config": 1, "layers": ["COR", "L1"], "split": {{"row": ["COR {0}", "L1 {1}"],)"
      R"( "col": ["L1 13"]}}, "order": ["COR.row", "L1.col", "L1.row"],)"
      R"( "stage": {{"x": [{{"from": "L1.row", "region": "L1"}}]}}}})",
      parts, (6 + parts) / parts));
}

/// A proven record of a configuration for this machine.
tune::Record measured(const ll::Config& config, double median) {
  const hl::Program p = hl::instantiate(hl::parse(product_text), {});
  tune::Record record = tuning::new_record(p, machine::find_machine("cpu"), config,
                                           {.target = &driver::find_target("openmp")});
  record.time_us = {median, median, 0.1, 30};
  record.verified = "full";
  record.when = "2026-11-15T17:20:25Z";
  return record;
}

/// A folder with records, and the command line on them.
class Records : public ::testing::Test {
 protected:
  std::string file() const { return folder_.path() / "records.jsonl"; }
  std::string path(const std::string& name) const { return folder_.path() / name; }

  void add(const tune::Record& record) const {
    ASSERT_FALSE(tune::Database(file()).append(record));
  }
  Outcome with_records(const std::string& line) const { return mdh(line + " --records " + file()); }
  json report_of(const std::string& line) const {
    const Outcome o = mdh("run " + line + " --json -q");
    EXPECT_EQ(o.exit, 0) << describe(o);
    return json::parse(o.out, nullptr, false);
  }

 private:
  TemporaryDirectory folder_;
};

// ---- runs

TEST_F(Records, run_uses_the_best_and_says_so) {
  add(measured(tiled(3), 4));
  add(measured(tiled(2), 2.5));
  const Outcome o = with_records("run matvec --size 7,13");
  EXPECT_EQ(o.exit, 0) << describe(o);
  EXPECT_TRUE(contains(o.err, "configuration: record (2.5 us, 2026-11-15T17:20:25Z), threads"))
      << o.err;
  EXPECT_TRUE(contains(o.out, "verified: full")) << o.out;
}

TEST_F(Records, run_of_a_file_with_other_names_uses_the_same) {
  add(measured(tiled(2), 2.5));
  write_file(path("product.mdh"), product_text);
  for (const std::string& program : {path("product.mdh"), std::string("matvec --size 7,13"),
                                     std::string("examples/matvec/matvec.mdh --size I=7,K=13")}) {
    const std::string line =
        contains(program, "examples/") ? MDH_SOURCE_DIR "/" + program : program;
    EXPECT_EQ(report_of(line + " --records " + file())["config_source"], "record") << line;
  }
  EXPECT_EQ(report_of("matvec --size 7,14 --records " + file())["config_source"], "default");
  EXPECT_EQ(report_of("matvec --size 7,13 --type f64 --records " + file())["config_source"],
            "default");
}

TEST_F(Records, of_the_user_are_the_default) {
  add(measured(tiled(2), 2.5));
  std::filesystem::create_directory(path("mdh"));
  std::filesystem::rename(file(), path("mdh/records.jsonl"));
  const runtime::ScopedEnvironment data("XDG_DATA_HOME", path(""));
  EXPECT_EQ(report_of("matvec --size 7,13")["config_source"], "record");
  EXPECT_EQ(report_of("matvec --size 7,13 --no-records")["config_source"], "default");
  EXPECT_EQ(report_of("matvec --size 7,13 --target reference")["config_source"], "default");
  EXPECT_EQ(report_of("matvec --size 7,13 --require-tuned")["config_source"], "record");
  EXPECT_TRUE(contains(mdh("check matvec --size 7,13").out, "configuration (record (2.5 us, "));
  EXPECT_TRUE(contains(mdh("show matvec --size 7,13 --ll").out, "order COR.i, L1.k, L1.i;"));
}

TEST_F(Records, configuration_of_the_user_comes_first) {
  add(measured(tiled(2), 2.5));
  ll::Config own = tiled(3);
  const tuning::ConfigNames names = {{{"row", "i"}, {"col", "k"}}, {{"x", "v"}}};
  write_file(path("own.json"), print(renamed(own, names)));
  EXPECT_EQ(report_of("matvec --size 7,13 --config " + path("own.json") + " --records " +
                      file())["config_source"],
            "file");
}

/// The configuration, compiled with a flag.
ll::Config flagged(int parts, const std::string& flag) {
  ll::Config config = tiled(parts);
  config.code.kernel.flags = {flag};
  return config;
}

TEST_F(Records, one_whose_flags_the_compiler_refuses_gives_way_to_the_next_best) {
  add(measured(flagged(3, "-march=of-tomorrow"), 1));
  add(measured(tiled(2), 2.5));
  const Outcome o = with_records("run matvec --size 7,13");
  EXPECT_EQ(o.exit, 0) << describe(o);
  EXPECT_TRUE(contains(o.err, "mdh: note: the record (1 us, 2026-11-15T17:20:25Z) is not used: "))
      << o.err;
  EXPECT_TRUE(contains(o.err,
                       " refused a kernel with the flags '-march=of-tomorrow' of the"
                       " configuration: [E605]\n"))
      << o.err;
  EXPECT_TRUE(contains(o.err, "configuration: record (2.5 us, ")) << o.err;
  EXPECT_EQ(report_of("matvec --size 7,13 --records " + file())["config_source"], "record");
}

TEST_F(Records, without_another_one_the_model_or_the_default_is_next) {
  for (const char* flag : {"-march=one", "-march=two", "-march=three", "-march=four"}) {
    add(measured(flagged(3, flag), 1));
  }
  const Outcome o = with_records("run matvec --size 7,13");
  EXPECT_EQ(o.exit, 0) << describe(o);
  EXPECT_TRUE(contains(o.err, "configuration: default, threads")) << o.err;
  EXPECT_TRUE(contains(o.err, "'-march=three'")) << o.err;
  EXPECT_FALSE(contains(o.err, "'-march=four'")) << "three are enough: " << o.err;
  const Outcome tuned = with_records("run matvec --size 7,13 --require-tuned -q");
  EXPECT_EQ(tuned.exit, 4) << describe(tuned);
  EXPECT_TRUE(contains(tuned.err, "[E871]\n")) << tuned.err;
  EXPECT_TRUE(contains(tuned.err, "note: the record (1 us, ")) << tuned.err;
}

TEST_F(Records, one_whose_kernel_crashes_gives_way_too) {
  // Kernels with -fno-web crash.
  const runtime::Script compiler(
      "case \" $* \" in *' -fno-web '*) for word; do case \"$word\" in *.c) sed -i "
      "'s/run_[a-z]*(buffers.*;/__builtin_trap(); &/' \"$word\";; esac; done;; esac\n"
      "exec cc \"$@\"");
  const runtime::ScopedEnvironment cc("MDH_CC", compiler.path());
  add(measured(flagged(3, "-fno-web"), 1));
  add(measured(tiled(2), 2.5));
  const Outcome o = with_records("run matvec --size 7,13");
  EXPECT_EQ(o.exit, 0) << describe(o);
  EXPECT_TRUE(contains(o.err, "is not used: the compiled kernel ")) << o.err;
  EXPECT_TRUE(contains(o.err, "[E609]\n")) << o.err;
  EXPECT_TRUE(contains(o.err, "configuration: record (2.5 us, ")) << o.err;
}

TEST_F(Records, flags_and_programs_of_strangers_are_not_obeyed) {
  const runtime::Script program("touch \"$0.ran\"\nexec cc \"$@\"");
  ll::Config evil = tiled(3);
  evil.code.kernel.compiler = program.path();
  tune::Record fast = measured(flagged(3, "-O2"), 1);
  fast.config.replace(fast.config.find("-O2"), 3, "-Ofast");
  add(measured(evil, 0.5));
  add(fast);
  add(measured(tiled(2), 2.5));
  const Outcome o = with_records("run matvec --size 7,13");
  EXPECT_EQ(o.exit, 0) << describe(o);
  EXPECT_TRUE(contains(o.err,
                       "the record (0.5 us, 2026-11-15T17:20:25Z) is not used: "
                       "code.kernel.compiler: '" +
                           program.path()))
      << o.err;
  EXPECT_TRUE(contains(o.err,
                       "the record (1 us, 2026-11-15T17:20:25Z) is not used: \"flags\": "
                       "'-Ofast' is none of the flags"))
      << o.err;
  EXPECT_TRUE(contains(o.err, "configuration: record (2.5 us, ")) << o.err;
  EXPECT_FALSE(std::filesystem::exists(program.path() + ".ran"));
}

TEST_F(Records, without_one_a_run_that_requires_it_is_refused) {
  add(measured(tiled(2), 2.5));
  const Outcome o = with_records("run matvec --size 7,14 --require-tuned");
  EXPECT_EQ(o.exit, 4) << describe(o);
  EXPECT_EQ(o.out, "");
  EXPECT_EQ(o.err,
            "mdh: error: no tuning record for 'matvec' at I=7 K=14 with target openmp on this "
            "machine [E871]\nnote: 1 record in '" +
                file() +
                "'\nhint: 'mdh records list' shows what there is; --records names another file\n");
  EXPECT_EQ(with_records("run matvec --size 7,13 --require-tuned").exit, 0);
  EXPECT_EQ(with_records("run matvec --require-tuned --no-records").exit, 2);
}

TEST_F(Records, without_one_a_large_program_is_what_the_model_chooses) {
  add(measured(tiled(2), 2.5));
  const Outcome o = with_records("run matvec --size 512,256");
  EXPECT_EQ(o.exit, 0) << describe(o);
  EXPECT_TRUE(contains(o.err, ", configuration: model (")) << o.err;
  EXPECT_TRUE(contains(o.err, " us estimated), threads")) << o.err;
  EXPECT_EQ(report_of("matvec --size 512,256")["config_source"], "model");
  EXPECT_EQ(report_of("matvec --size 512,256 --no-records")["config_source"], "model");
  EXPECT_EQ(mdh("run matvec --size 512,256 --require-tuned").exit, 4);
  // The others show what would run.
  const std::string checked = mdh("check matvec --size 512,256").out;
  EXPECT_TRUE(contains(checked, "configuration (model (")) << checked;
  write_file(path("model.json"), checked.substr(checked.find("{\"mdh_config\"")));
  EXPECT_EQ(mdh("show matvec --size 512,256 --source").out,
            mdh("show matvec --config " + path("model.json") + " --source").out);
}

TEST_F(Records, that_are_not_valid_are_skipped_with_a_reason) {
  add(measured(tiled(2), 2.5));
  ll::Config invalid = tiled(2);
  invalid.order.pop_back();
  add(measured(invalid, 1));
  const Outcome o = with_records("run matvec --size 7,13");
  EXPECT_EQ(o.exit, 0) << describe(o);
  EXPECT_TRUE(contains(o.err, "mdh: note: the record (1 us, 2026-11-15T17:20:25Z) is not used: "))
      << o.err;
  EXPECT_TRUE(contains(o.err, "configuration: record (2.5 us, ")) << o.err;
}

TEST_F(Records, that_cannot_be_read_stop_a_run_only_if_they_are_named) {
  EXPECT_EQ(with_records("run matvec --size 7,13").exit, 2) << "the file does not exist";
  std::filesystem::create_directories(path("mdh/records.jsonl"));
  const runtime::ScopedEnvironment data("XDG_DATA_HOME", path(""));
  const Outcome o = mdh("run matvec --size 7,13");
  EXPECT_EQ(o.exit, 0) << describe(o);
  EXPECT_TRUE(contains(o.err, "mdh: note: no records: cannot read '")) << o.err;
}

// ---- list and best

TEST_F(Records, are_listed_as_a_table_and_as_lines) {
  add(measured(tiled(2), 2.5));
  tune::Record failed = measured(tiled(3), 0);
  failed.outcome = tune::RecordOutcome::compile_error;
  failed.reason = "cc: no";
  add(failed);
  const Outcome table = with_records("records list");
  EXPECT_EQ(table.exit, 0) << describe(table);
  const std::vector<std::string> lines = split(table.out, '\n');
  ASSERT_EQ(lines.size(), 4u) << table.out;
  EXPECT_EQ(lines[0].find("program  key "), 0u);
  EXPECT_EQ(lines[1].find("product  " + key_of(failed) + "  N1=7 N2=13  f32 "), 0u) << lines[1];
  EXPECT_TRUE(contains(lines[1], "  openmp  ok             2.5  full ")) << lines[1];
  EXPECT_TRUE(contains(lines[2], "  openmp  compile_error  -    full ")) << lines[2];
  EXPECT_EQ(with_records("records list --json").out, read_file(file()));
}

TEST_F(Records, lines_that_cannot_be_read_are_counted) {
  add(measured(tiled(2), 2.5));
  std::string newer = print(measured(tiled(3), 1));
  newer.replace(newer.find(":1"), 2, ":2");
  write_file(file(), read_file(file()) + newer + "\n{\"torn");
  const Outcome o = with_records("records list --json");
  EXPECT_EQ(o.exit, 0);
  EXPECT_EQ(split(o.out, '\n').size(), 2u);
  EXPECT_TRUE(contains(o.err, "mdh: note: 1 line of '" + file() + "' cannot be read\n")) << o.err;
  EXPECT_TRUE(contains(o.err, "mdh: note: 1 record of a later version of mdh")) << o.err;
}

TEST_F(Records, tampered_key_does_not_hide_a_record) {
  std::string line = print(measured(tiled(2), 2.5));
  const std::string key = key_of(measured(tiled(2), 2.5));
  line.replace(line.find(key), key.size(), "ffffffffffffffff");
  write_file(file(), line + "\n");
  EXPECT_EQ(report_of("matvec --size 7,13 --records " + file())["config_source"], "record");
  EXPECT_TRUE(contains(with_records("records list").out, key));
}

TEST_F(Records, best_is_a_configuration_file) {
  add(measured(tiled(3), 4));
  add(measured(tiled(2), 2.5));
  const Outcome o = with_records("records best matvec --size 7,13");
  EXPECT_EQ(o.exit, 0) << describe(o);
  EXPECT_EQ(o.err, "mdh: record: 2.5 us, 2026-11-15T17:20:25Z\n");
  const ll::Config config = ll::parse_config(o.out);
  EXPECT_EQ(config.program, "matvec");
  EXPECT_EQ(config.sizes.at("K"), 13);
  EXPECT_EQ(config.types.at("T"), "f32");
  EXPECT_TRUE(config.stage.contains("v"));
  write_file(path("best.json"), o.out);
  EXPECT_EQ(report_of("matvec --config " + path("best.json"))["config_source"], "file");
  const Outcome line = with_records("records best matvec --size 7,13 --json -q");
  EXPECT_EQ(line.err, "");
  EXPECT_EQ(json::parse(line.out)["time_us"]["median"], 2.5);
}

TEST_F(Records, best_of_nothing_is_an_error) {
  add(measured(tiled(2), 2.5));
  const Outcome o = with_records("records best dot --size 10");
  EXPECT_EQ(o.exit, 4) << describe(o);
  EXPECT_TRUE(contains(o.err, "no tuning record for 'dot' at K=10 ")) << o.err;
}

// ---- prune, merge, export

TEST_F(Records, prune_keeps_the_best) {
  for (int parts = 2; parts <= 6; ++parts) add(measured(tiled(parts), parts));
  tune::Record failed = measured(tiled(7), 0);
  failed.outcome = tune::RecordOutcome::crash;
  add(failed);
  write_file(file(), read_file(file()) + "{\"torn");
  EXPECT_EQ(with_records("records prune --keep 2").out,
            "kept: 3 records, removed: 3 and 1 unreadable line\n");
  EXPECT_EQ(with_records("records prune --keep 1 --failures").out, "kept: 1 record, removed: 2\n");
  EXPECT_EQ(read_file(file()), print(measured(tiled(2), 2)) + "\n");
  EXPECT_EQ(with_records("records prune").out, "kept: 1 record, removed: 0\n");
}

TEST_F(Records, merge_and_export_keep_fields_of_later_times) {
  add(measured(tiled(2), 2.5));
  std::string extended = print(measured(tiled(3), 4));
  extended.insert(1, "\"future\":[1,2],");
  write_file(path("other"), read_file(file()) + extended + "\nrubbish\n");
  const Outcome merged = with_records("records merge " + path("other"));
  EXPECT_EQ(merged.exit, 0) << describe(merged);
  EXPECT_EQ(merged.out, "added: 1 record, known: 1\n");
  EXPECT_TRUE(contains(merged.err, "1 line of '" + path("other") + "' cannot be read"))
      << merged.err;
  EXPECT_EQ(with_records("records merge " + path("other")).out, "added: 0 records, known: 2\n");
  EXPECT_EQ(with_records("records export " + path("out")).out, "exported: 2 records\n");
  EXPECT_EQ(read_file(path("out")), read_file(file()));
  EXPECT_TRUE(contains(read_file(path("out")), "\"future\":[1,2]"));
}

// ---- mistakes

TEST_F(Records, mistakes_are_answered) {
  const auto refused = [](const std::string& line, const std::string& error) {
    const Outcome o = mdh(line);
    EXPECT_EQ(o.exit, 2) << line << "\n" << describe(o);
    EXPECT_TRUE(contains(o.err, error)) << line << "\n" << o.err;
  };
  refused("records", "hint: known: list, best, export, ship, prune, merge, import\n");
  refused("records lst", "unknown verb 'records lst' [E800]\nhint: did you mean 'list'?\n");
  refused("records prune --kep 3",
          "'mdh records prune' has no option '--kep' [E800]\nhint: did you mean '--keep'?\n");
  refused("records prune --keep x", "--keep: 'x' is not a whole number from 0 on [E800]");
  refused("records list --records " + file(), "cannot read '" + file() + "' [E001]");
  refused("records merge " + file(), "cannot read '" + file() + "' [E001]");
  refused("records merge", "'mdh records merge' needs FILE [E800]");
  refused("records prune --records /dev/full",
          "cannot write the tuning records '/dev/full': it is not a regular file [E870]");
  add(measured(tiled(2), 2.5));
  refused("records export /nonexistent/f --records " + file(),
          "cannot write '/nonexistent/f' [E002]");
}

TEST_F(Records, without_any_are_an_empty_table) {
  // Other tests may have left some in the home that tests share.
  setenv("XDG_DATA_HOME", path("home").c_str(), 1);
  EXPECT_EQ(mdh("records list --json").out, "");
  EXPECT_EQ(mdh("records list").exit, 0);
  EXPECT_EQ(mdh("records prune").out, "kept: 0 records, removed: 0\n");
  EXPECT_EQ(mdh("records export " + path("out")).out, "exported: 0 records\n");
}

}  // namespace
}  // namespace mdh::test::records_test
