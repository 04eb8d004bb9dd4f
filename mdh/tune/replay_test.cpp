#include "mdh/tune/replay.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mdh/support/diagnostic.h"

namespace mdh::tune::replay_test {
namespace {

// Sanitizers watch what runs, and how well it searches is tested without them.
#ifdef __SANITIZE_ADDRESS__
constexpr bool is_measured = false;
#else
constexpr bool is_measured = true;
#endif
constexpr size_t seeds = is_measured ? 100 : 1;

using Counts = std::vector<size_t>;

Recording recorded(const std::string& name) {
  return read_recording(MDH_SOURCE_DIR "/tests/data/recorded_spaces/" + name + ".jsonl");
}

double median(Counts counts) {
  std::sort(counts.begin(), counts.end());
  const size_t n = counts.size();
  return static_cast<double>(counts[(n - 1) / 2] + counts[n / 2]) / 2;
}

// The chance that a fair coin gives as many wins as `ours` has over `theirs`; draws are left out.
double sign_test(const Counts& ours, const Counts& theirs) {
  int wins = 0, games = 0;
  for (size_t n = 0; n < ours.size(); ++n) {
    wins += ours[n] < theirs[n] ? 1 : 0;
    games += ours[n] != theirs[n] ? 1 : 0;
  }
  double sum = 0, term = std::pow(0.5, games);
  for (int k = 0; k <= games; ++k) {
    if (k >= wins) sum += term;
    term = term * (games - k) / (k + 1);
  }
  return sum;
}

class Hard : public testing::TestWithParam<const char*> {};
class Easy : public testing::TestWithParam<const char*> {};

TEST_P(Hard, auto_needs_half_of_random_and_beats_the_bandit) {
  const Recording recording = recorded(GetParam());
  const Counts random = replay(recording, "random", seeds);
  const Counts bandit = replay(recording, "bandit", seeds);
  const Counts ours = replay(recording, "auto", seeds);
  const double chance = sign_test(ours, bandit);
  fmt::print("{}: random {} bandit {} auto {}, sign test {:.1g}\n", GetParam(), median(random),
             median(bandit), median(ours), chance);
  if (!is_measured) GTEST_SKIP() << "searches too slowly with sanitizers";
  EXPECT_LE(2 * median(ours), median(random));
  EXPECT_LT(chance, 0.05);
}

TEST_P(Easy, auto_is_not_worse_than_random) {
  const Recording recording = recorded(GetParam());
  const Counts random = replay(recording, "random", seeds);
  const Counts ours = replay(recording, "auto", seeds);
  fmt::print("{}: random {} bandit {} auto {}\n", GetParam(), median(random),
             median(replay(recording, "bandit", seeds)), median(ours));
  if (!is_measured) GTEST_SKIP() << "searches too slowly with sanitizers";
  EXPECT_LE(median(ours), median(random) + 3);
}

std::string space_name(const testing::TestParamInfo<const char*>& info) { return info.param; }

INSTANTIATE_TEST_SUITE_P(Replay, Hard,
                         testing::Values("gemm1024", "ccsdt", "resnet16", "mm16_1000_2048",
                                         "conv4096", "mdh_conv4096", "mdh_bmatmul", "mdh_mbbs"),
                         space_name);
INSTANTIATE_TEST_SUITE_P(Replay, Easy, testing::Values("dot", "matvec4096", "jacobi512"),
                         space_name);

TEST(Replay, random_takes_as_long_as_the_number_of_good_points_says) {
  const Recording recording = recorded("dot");
  ASSERT_EQ(recording.space().points().size(), 141u);
  EXPECT_DOUBLE_EQ(recording.best(), 33.052);
  const Counts counts = replay(recording, "random", 1000);
  double mean = 0;
  for (size_t count : counts) mean += static_cast<double>(count) / 1000;
  EXPECT_NEAR(mean, 142.0 / 19, 0.8);  // 18 of 141 are good enough
}

TEST(Replay, reads_failures_and_labels) {
  const Recording recording = parse_recording(
      "{\"config\": {\"a\": 1, \"order\": \"ij\"}, \"time_us\": 2.5}\n"
      "\n"
      "{\"config\": {\"a\": 2}, \"error\": \"too many registers\"}\n"
      "{\"config\": {\"a\": 4}, \"time_us\": null}\n");
  EXPECT_EQ(recording.best(), 2.5);
  EXPECT_EQ(recording.outcome(recording.space().points()[1]), failed("too many registers"));
  EXPECT_EQ(recording.outcome(recording.space().points()[2]), failed("no time recorded"));
  EXPECT_EQ(replay(recording, "exhaustive", 1), Counts{1});
}

TEST(Replay, refuses_lines_that_are_not_recordings) {
  EXPECT_THROW(parse_recording("{\"time_us\": 1}\n"), Error);
  EXPECT_THROW(parse_recording("no json\n"), Error);
  EXPECT_THROW(parse_recording("{\"config\": {\"a\": 1}}\n{\"config\": {\"a\": 1}}\n"), Error);
}

}  // namespace
}  // namespace mdh::tune::replay_test
