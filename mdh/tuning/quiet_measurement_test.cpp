#include "mdh/tuning/quiet_measurement.h"

#include <gtest/gtest.h>

#include <vector>

namespace mdh::tuning::quiet_measurement_test {
namespace {

using runtime::Outcome;
using runtime::WorkStatus;

Outcome timed(double us, double load) {
  Outcome outcome;
  outcome.timing = {.median_us = us, .count = 3, .load = load};
  return outcome;
}

/// Measurements as they would come, and the pauses between them.
struct Fake {
  std::vector<Outcome> outcomes;  // the last one is repeated
  size_t measured = 0;
  std::vector<double> pauses;
  QuietMeasurement quiet{[this](double seconds) { pauses.push_back(seconds); }};

  Outcome measure() {
    return quiet([this] { return outcomes[std::min(measured++, outcomes.size() - 1)]; });
  }
};

TEST(QuietMeasurement, is_taken_once_where_nobody_disturbs) {
  Fake fake{{timed(500, 0.02)}};
  EXPECT_EQ(fake.measure().timing.median_us, 500);
  EXPECT_EQ(fake.measured, 1u);
  EXPECT_TRUE(fake.pauses.empty());
}

TEST(QuietMeasurement, is_repeated_until_others_are_done) {
  Fake fake{{timed(19800, 0.9), timed(9000, 0.6), timed(500, 0)}};
  EXPECT_EQ(fake.measure().timing.median_us, 500);
  EXPECT_EQ(fake.measured, 3u);
  EXPECT_EQ(fake.pauses.size(), 2u);
}

TEST(QuietMeasurement, that_stays_loaded_is_the_least_disturbed_one_and_says_so) {
  Fake fake{{timed(19800, 0.9), timed(700, 0.3), timed(9000, 0.6)}};
  const Outcome outcome = fake.measure();
  EXPECT_EQ(outcome.timing.median_us, 700);
  EXPECT_EQ(outcome.timing.load, 0.3);
  EXPECT_EQ(fake.measured, 3u);
}

TEST(QuietMeasurement, waits_no_more_where_the_load_stays) {
  Fake fake{{timed(900, 0.5)}};
  for (int n = 0; n < 4; ++n) fake.measure();
  EXPECT_EQ(fake.measured, 12u);
  const size_t pauses = fake.pauses.size();
  fake.measure();
  EXPECT_EQ(fake.measured, 14u) << "repeated once";
  EXPECT_EQ(fake.pauses.size(), pauses);
  fake.outcomes = {timed(500, 0)};
  fake.measure();
  fake.outcomes = {timed(900, 0.5)};
  fake.measure();
  EXPECT_GT(fake.pauses.size(), pauses) << "there was hope again";
}

TEST(QuietMeasurement, failure_is_a_failure) {
  Outcome crash{WorkStatus::crash, "crashed", {}};
  Fake fake{{timed(900, 0.5), crash}};
  EXPECT_EQ(fake.measure().status, WorkStatus::crash);
  Fake at_once{{crash}};
  EXPECT_EQ(at_once.measure().status, WorkStatus::crash);
  EXPECT_EQ(at_once.measured, 1u);
}

}  // namespace
}  // namespace mdh::tuning::quiet_measurement_test
