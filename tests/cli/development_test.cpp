// mdh dev, --deterministic, and targets that are devices.
#include <gtest/gtest.h>

#include "mdh/support/files.h"
#include "tests/cli/tool.h"

namespace mdh::test::development_test {
namespace {

const std::string golden = std::string(MDH_SOURCE_DIR) + "/tests/golden/";

TEST(Dev, lists_the_passes_of_both_pipelines) {
  const Outcome o = mdh("dev");
  EXPECT_EQ(o.exit, 0) << describe(o);
  for (const char* pass : {"interchange", "form-teams", "form-grid", "form-groups", "barriers"}) {
    EXPECT_NE(o.out.find(pass), std::string::npos) << pass;
  }
}

TEST(Dev, runs_one_pass_on_a_loop_program) {
  const Outcome o = mdh("dev --pass borders " + golden + "borders/padded.mdh");
  EXPECT_EQ(o.exit, 0) << describe(o);
  EXPECT_EQ(o.out, read_file(golden + "borders/padded.expected"));
}

TEST(Dev, unknown_pass_is_answered_with_the_nearest) {
  const Outcome o = mdh("dev --pass first_write " + golden + "borders/padded.mdh");
  EXPECT_EQ(o.exit, 2) << describe(o);
  EXPECT_EQ(o.err,
            "mdh: error: there is no pass 'first_write' [E813]\nhint: did you mean "
            "'first-write'?\n");
}

TEST(Show, loops_after_a_pass) {
  const std::string matvec = "show matvec --size 7,13 ";
  const std::string all = mdh(matvec + "--print-after all").out;
  EXPECT_EQ(all.find("// after forward"), 0u) << all;
  EXPECT_NE(all.find(": unchanged\n// after "), std::string::npos) << all;
  const std::string borders = mdh(matvec + "--print-after borders").out;
  EXPECT_EQ(borders.find("mdh_loop 1\n"), 0u) << borders;
  EXPECT_NE(all.find("// after borders\n" + borders), std::string::npos) << all;
  const std::string last = mdh(matvec + "--loop").out;
  EXPECT_EQ(mdh(matvec + "--print-after simplify").out, last);
  EXPECT_EQ(mdh(matvec + "--loop --print-after simplify").out, last + "\n" + last);
  const std::string settled = mdh(matvec + "--print-after settle").out;  // which has three turns
  EXPECT_EQ(settled.rfind("mdh_loop 1\n"), 0u) << settled;
}

TEST(Show, pass_of_another_pipeline_is_unknown) {
  const Outcome o = mdh("show matvec --size 7,13 --print-after form-grid");
  EXPECT_EQ(o.exit, 2) << describe(o);
  EXPECT_NE(o.err.find("there is no pass 'form-grid' [E813]"), std::string::npos) << o.err;
  EXPECT_EQ(mdh("show matvec --size 7,13 --target opencl --print-after form-grid").exit, 0);
}

TEST(Dev, a_pass_needs_a_file) {
  EXPECT_EQ(mdh("dev --pass borders").exit, 2);
  EXPECT_EQ(mdh("dev a.loop.mdh").exit, 2);
}

TEST(Deterministic, atomics_are_refused) {
  const TemporaryDirectory folder;
  const auto file = folder.path() / "dot.json";
  write_file(file, R"({"mdh_config": 1, "program": "dot", "machine": "gpu_nowarp",
 "layers": ["BLK", "SHR"], "split": {"k": ["BLK 4", "SHR 250"]}, "order": ["BLK.k", "SHR.k"],
 "code": {"combine": {"BLK.k": "atomic"}}})");
  const Outcome o =
      mdh("run dot --size 1000 --target openmp -q --deterministic --config " + file.string());
  EXPECT_EQ(o.exit, 2) << describe(o);
  EXPECT_NE(o.err.find("code.combine.BLK.k is atomic"), std::string::npos) << o.err;
  EXPECT_NE(o.err.find("[E812]"), std::string::npos) << o.err;
}

TEST(Deterministic, bits_do_not_depend_on_the_number_of_threads) {
  const TemporaryDirectory folder;
  std::vector<std::string> results;
  for (const char* threads : {"1", "2", "3"}) {
    const std::string file = (folder.path() / "w.npy").string();
    const Outcome o = mdh("run dot --size 40009 -q --no-records --deterministic --threads " +
                          std::string(threads) + " --output C=" + file);
    ASSERT_EQ(o.exit, 0) << describe(o);
    results.push_back(read_file(file));
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

TEST(Deterministic, what_is_generated_runs) {
  const Outcome o = mdh("run dot --size 1009 -q --deterministic");
  EXPECT_EQ(o.exit, 0) << describe(o);
}

TEST(OptionsWithoutEffect, are_named) {
  const TemporaryDirectory folder;
  const auto file = folder.path() / "config.json";
  write_file(file,
             R"({"mdh_config": 1, "layers": ["L1"], "split": {"k": ["L1 100"]}, "order": ["L1.k"],
                       "code": {"kernel": {"launch_bounds": [64]}}})");
  const Outcome o = mdh("run dot --size 100 --config " + file.string());
  EXPECT_EQ(o.exit, 0) << describe(o);
  EXPECT_NE(o.err.find("mdh: note: no effect on the code of target openmp yet: "
                       "code.kernel.launch_bounds\n"),
            std::string::npos)
      << o.err;
}

TEST(OptionsWithoutEffect, are_named_where_nothing_runs) {
  const TemporaryDirectory folder;
  const auto file = folder.path() / "config.json";
  write_file(file,
             R"({"mdh_config": 1, "machine": "gpu", "layers": ["SHR"], "split": {"k": ["SHR 100"]},
                 "order": ["SHR.k"], "code": {"kernel": {"store": "streaming"}}})");
  const std::string note =
      "mdh: note: no effect on the code of target opencl yet: code.kernel.store";
  for (const std::string verb : {"check dot", "show dot --source"}) {
    const std::string line = verb + " --size 100 --config " + file.string();
    EXPECT_NE(mdh(line + " --target opencl").err.find(note), std::string::npos) << verb;
    EXPECT_EQ(mdh(line + " --target cuda").err.find("no effect"), std::string::npos) << verb;
    EXPECT_EQ(mdh(line).err.find("no effect"), std::string::npos) << verb;
  }
}

}  // namespace
}  // namespace mdh::test::development_test
