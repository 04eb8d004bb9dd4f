// A sample of planted faults, and of kernels that are right; scripts/faults.sh has all of them.
#include "tests/faults/planting.h"

#include <gtest/gtest.h>

#include "mdh/runtime/opencl/testing_device.h"

namespace mdh::test::planting_test {
namespace {

bool has_opencl() {
  try {
    runtime::opencl::device_of_tests();
    return true;
  } catch (const Error& e) {
    if (e.diagnostic().kind != DiagnosticKind::missing) throw;
    return false;
  }
}

void expect_caught(const std::string& target, uint64_t from, uint64_t count) {
  size_t caught = 0;
  for (uint64_t seed = from; seed < from + count; ++seed) {
    const auto fault = plant(seed, {.target = target});
    if (!fault) continue;
    const Outcome outcome = run_planted(*fault);
    EXPECT_NE(to_string(outcome.fate), "escaped") << to_json(*fault);
    caught += outcome.fate == Fate::caught ? 1 : 0;
  }
  EXPECT_GE(caught, count * 3 / 4);
}

TEST(Faults, run_catches_those_of_openmp_1) { expect_caught("openmp", 1, 14); }
TEST(Faults, run_catches_those_of_openmp_2) { expect_caught("openmp", 15, 14); }

TEST(Faults, run_catches_those_of_opencl) {
  if (!has_opencl()) GTEST_SKIP() << "SKIP: no OpenCL device";
  expect_caught("opencl", 29, 8);
}

TEST(Faults, tune_catches_them) {
  size_t caught = 0;
  for (const std::string kind : {"combine_forgotten", "term_doubled", "operator_replaced"}) {
    const auto fault = plant(1, {.target = "openmp", .kind = kind});
    ASSERT_TRUE(fault) << kind;
    const Outcome outcome = tune_planted(*fault, 2);
    EXPECT_NE(to_string(outcome.fate), "escaped") << to_json(*fault) << outcome.complaint;
    caught += outcome.fate == Fate::caught ? 1 : 0;
  }
  EXPECT_GT(caught, 0U);
}

TEST(Faults, kernels_that_are_right_are_accepted) {
  size_t accepted = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const auto refusal = run_right(right_subject(seed, "openmp"), "openmp", seed);
    if (!refusal) continue;
    EXPECT_EQ(*refusal, "") << "seed " << seed;
    ++accepted;
  }
  EXPECT_GE(accepted, 12U);
}

TEST(Faults, are_the_same_for_the_same_seed) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    const auto one = plant(seed, {}), other = plant(seed, {});
    ASSERT_TRUE(one && other);
    EXPECT_EQ(to_json(*one), to_json(*other));
    EXPECT_EQ(one->subject.triple.config, other->subject.triple.config);
  }
}

}  // namespace
}  // namespace mdh::test::planting_test
