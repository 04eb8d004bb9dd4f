// Cases that once were wrong somewhere, and files that hold them.
#include "tests/campaign/cases.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "mdh/runtime/opencl/testing_device.h"
#include "mdh/runtime/process.h"
#include "mdh/support/files.h"
#include "tests/campaign/backends.h"

namespace mdh::test::cases_test {
namespace {

const std::string folder = MDH_SOURCE_DIR "/tests/campaign/cases";

std::vector<Prepared> prepared(const std::string& target) {
  std::vector<Prepared> all;
  for (const Case& one : read_cases(folder)) {
    auto ready = prepare(one.triple, one.seed, target);
    EXPECT_TRUE(ready) << one.name << " is no longer supported on " << target;
    if (ready) all.push_back(std::move(*ready));
  }
  EXPECT_GE(all.size(), 3u);
  return all;
}

void expect_right(const std::vector<Prepared>& all, const std::vector<std::string>& complaints) {
  for (size_t n = 0; n < all.size(); ++n) EXPECT_EQ(complaints[n], "") << describe(all[n]);
}

TEST(Cases, are_right_on_all_evaluators) {
  for (const Case& one : read_cases(folder)) {
    EXPECT_EQ(run_evaluators(one.triple, one.seed), "") << one.name;
  }
}

TEST(Cases, are_right_on_openmp_with_every_compiler) {
  const std::vector<Prepared> all = prepared("openmp");
  for (const runtime::host::Compiler& compiler : compilers_of_run()) {
    expect_right(all, run_on_openmp(all, compiler));
  }
}

/// Why the cases cannot be asked of this machine's OpenCL; nothing if they can.
std::string lacks_opencl() {
  try {
    const runtime::opencl::Device device = runtime::opencl::device_of_tests();
    // It gets two of the cases wrong with optimisation, and crashes on others without it.
    const bool is_pocl_5 =
        device.platform == "Portable Computing Language" && device.driver.starts_with("5.");
    return is_pocl_5 ? "PoCL 5 is known to compute two of the cases wrongly" : "";
  } catch (const Error& e) {
    if (e.diagnostic().kind != DiagnosticKind::missing) throw;
    return e.diagnostic().message;
  }
}

TEST(Cases, are_right_on_opencl) {
  if (const std::string lacks = lacks_opencl(); !lacks.empty()) GTEST_SKIP() << "SKIP: " << lacks;
  const std::vector<Prepared> all = prepared("opencl");
  expect_right(all, run_on_opencl(all));
}

TEST(Cases, come_back_from_files_as_they_were) {
  const TemporaryDirectory parent;
  const Triple triple = make_triple(5);
  EXPECT_EQ(write_case(triple, 5, parent.path()), (parent.path() / "seed_5").string());
  write_file((parent.path() / "a_note.txt").string(), "no case");
  const std::vector<Case> read = read_cases(parent.path());
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(read[0].name, "seed_5");
  EXPECT_EQ(read[0].seed, 5u);
  EXPECT_EQ(read[0].triple.program, triple.program);
  EXPECT_EQ(read[0].triple.config, triple.config);
  EXPECT_EQ(read[0].triple.machine.name, triple.machine.name);
}

TEST(Campaign, runs_cases_of_a_folder_instead_of_seeds) {
  const TemporaryDirectory scratch;
  const runtime::Exit exit = runtime::run_program(
      {MDH_CAMPAIGN, "--on", "evaluators", "--cases", folder}, scratch.path(), 300);
  ASSERT_EQ(exit.status, 0) << exit.output;
  const auto report = nlohmann::json::parse(exit.output);
  EXPECT_EQ(report["cases"], read_cases(folder).size());
  EXPECT_EQ(report["failures"].size(), 0u);
}

/// A case may be of a time when its program was still accepted.
TEST(Campaign, counts_cases_whose_program_is_refused) {
  const TemporaryDirectory parent;
  write_case(make_triple(5), 5, parent.path());
  const std::string refused = write_case(make_triple(6), 6, parent.path());
  write_file(
      refused + "/program.mdh",
      "mdh 1\nprogram p<I: size> = out_view( w: i64 = [i] ) * md_hom( i: I by cc ) { w = 1; }"
      " * inp_view( )");
  const runtime::Exit exit = runtime::run_program(
      {MDH_CAMPAIGN, "--on", "evaluators", "--cases", parent.path()}, parent.path(), 300);
  ASSERT_EQ(exit.status, 0) << exit.output;
  const auto report = nlohmann::json::parse(exit.output);
  EXPECT_EQ(report["cases"], 1);
  EXPECT_EQ(report["refused"], 1);
  ASSERT_EQ(report["unread"].size(), 1u);
  EXPECT_EQ(report["unread"][0]["case"], refused);
}

TEST(Campaign, runs_only_what_makes_use_of_a_rule) {
  const TemporaryDirectory scratch;
  const std::string rule = "guarded copy";
  const runtime::Exit exit = runtime::run_program(
      {MDH_CAMPAIGN, "--on", "evaluators", "--from", "1", "--count", "20", "--only", rule},
      scratch.path(), 300);
  ASSERT_EQ(exit.status, 0) << exit.output;
  const auto report = nlohmann::json::parse(exit.output);
  EXPECT_EQ(report["cases"], report["rules"][rule]);
  EXPECT_GT(report["cases"], 0);
  EXPECT_GT(report["left_out"], 0);
  EXPECT_EQ(
      report["cases"].get<int>() + report["left_out"].get<int>() + report["refused"].get<int>(),
      20);
}

/// On every target whose code the emulation takes.
TEST(Campaign, runs_cases_on_the_emulation) {
  const TemporaryDirectory scratch;
  const runtime::Exit exit = runtime::run_program(
      {MDH_CAMPAIGN, "--on", "emulation", "--cases", folder}, scratch.path(), 300);
  if (exit.status == 3) GTEST_SKIP() << exit.output;
  ASSERT_EQ(exit.status, 0) << exit.output;
  const auto report = nlohmann::json::parse(exit.output);
  EXPECT_GE(emulated_targets().size(), 1u);
  EXPECT_EQ(report["cases"], read_cases(folder).size() * emulated_targets().size());
}

}  // namespace
}  // namespace mdh::test::cases_test
