// Random programs, machines and configurations on the emulation, in shares that run side by side.
#include <gtest/gtest.h>

#include "tests/campaign/backends.h"
#include "tests/campaign/cases.h"
#include "tests/emulation/device.h"
#include "tests/emulation/testing.h"

namespace mdh::emulation::triples_test {
namespace {

class KnownCases : public OnEmulation<testing::Test> {};

constexpr uint64_t first_seed = 400'000;
constexpr uint64_t seeds_per_share = 50;

void expect_right(const std::vector<test::Prepared>& all) {
  const std::vector<std::string> complaints = test::run_on(*device(), all);
  for (size_t n = 0; n < all.size(); ++n) EXPECT_EQ(complaints[n], "") << describe(all[n]);
}

class Triples : public OnEmulation<testing::TestWithParam<uint64_t>> {};

TEST_P(Triples, are_right_on_every_target) {
  const uint64_t begin = first_seed + GetParam() * seeds_per_share;
  for (const std::string& target : test::emulated_targets()) {
    std::vector<test::Prepared> all;
    for (uint64_t seed = begin; seed < begin + seeds_per_share; ++seed) {
      if (auto one = test::prepare(test::make_triple(seed), seed, target)) {
        all.push_back(std::move(*one));
      }
    }
    EXPECT_GT(all.size(), seeds_per_share / 2) << "most triples can be printed";
    expect_right(all);
  }
}

INSTANTIATE_TEST_SUITE_P(Share, Triples, testing::Range<uint64_t>(0, 6));

/// What once was wrong somewhere (tests/campaign/cases).
TEST_F(KnownCases, are_right_on_every_target) {
  for (const std::string& target : test::emulated_targets()) {
    std::vector<test::Prepared> all;
    for (const test::Case& one : test::read_cases(MDH_SOURCE_DIR "/tests/campaign/cases")) {
      if (auto ready = test::prepare(one.triple, one.seed, target))
        all.push_back(std::move(*ready));
    }
    EXPECT_GE(all.size(), 3u);
    expect_right(all);
  }
}

}  // namespace
}  // namespace mdh::emulation::triples_test
