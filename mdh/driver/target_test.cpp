#include "mdh/driver/target.h"

#include <gtest/gtest.h>

#include "mdh/machine/machine.h"
#include "mdh/support/testing.h"

namespace mdh::driver::target_test {
namespace {

TEST(Target, every_row_is_found_by_its_name) {
  ASSERT_GE(targets().size(), 2u);
  for (const Target& target : targets()) EXPECT_EQ(&find_target(target.name), &target);
}

TEST(Target, every_row_names_a_machine_that_exists) {
  for (const Target& target : targets()) {
    EXPECT_EQ(machine::find_machine(target.machine).name, target.machine);
    EXPECT_FALSE(target.summary.empty());
  }
}

TEST(Target, only_the_reference_prints_nothing) {
  for (const Target& target : targets()) {
    EXPECT_EQ(target.print == nullptr, target.name == "reference") << target.name;
  }
}

TEST(Target, devices_of_a_target_have_numbers) {
  for (const std::string name : {"cuda", "cuda:0", "cuda:7"}) {
    EXPECT_EQ(find_target(name).name, "cuda");
  }
}

TEST(Target, misspelt_name_is_a_user_error_with_the_nearest_one) {
  const Diagnostic d = diagnostic_of([] { find_target("opnmp"); });
  EXPECT_EQ(d.kind, DiagnosticKind::user);
  EXPECT_EQ(d.code, "E702");
  EXPECT_EQ(d.message, "unknown target 'opnmp'");
  EXPECT_EQ(d.hint, "did you mean 'openmp'?");
}

TEST(Target, strange_name_is_answered_with_all_of_them) {
  EXPECT_EQ(diagnostic_of([] { find_target("fpga"); }).hint,
            "known: reference, openmp, opencl, cuda");
  EXPECT_EQ(diagnostic_of([] { find_target(""); }).message, "unknown target ''");
}

}  // namespace
}  // namespace mdh::driver::target_test
