#include "mdh/tuning/contest.h"

#include <gtest/gtest.h>

namespace mdh::tuning::contest_test {
namespace {

using runtime::Timing;

/// Contestants whose times are known, in a world without clocks.
struct Fakes {
  /// By contestant, then by round; the last one is repeated. 0: it fails.
  std::vector<std::vector<Timing>> times;
  std::vector<size_t> measured;  // who, in order
  int rounds = 0;
  int rounds_in_time = 100;
  int interrupted_in_round = 100;

  Verdict play(const ContestRules& rules = {}) {
    return contest(times.size(), rules,
                   {.begin_round = [&] { ++rounds; },
                    .measure = [&](size_t who) { return time_of(who); },
                    .has_time = [&] { return rounds < rounds_in_time; },
                    .is_interrupted = [&] { return rounds >= interrupted_in_round; }});
  }

  std::optional<Timing> time_of(size_t who) {
    measured.push_back(who);
    const size_t last = times[who].size() - 1;
    const Timing time = times[who][std::min(static_cast<size_t>(rounds) - 1, last)];
    return time.median_us > 0 ? std::optional(time) : std::nullopt;
  }
};

Timing us(double median, double load = 0) {
  return {.median_us = median, .mean_us = median, .count = 5, .load = load};
}

TEST(Contest, is_won_by_the_fastest_and_says_how_much_faster_it_is) {
  Fakes fakes{{{us(100)}, {us(80)}, {us(50)}}};
  const Verdict verdict = fakes.play();
  EXPECT_EQ(verdict.winner, 2u);
  EXPECT_DOUBLE_EQ(verdict.gain.value(), 2);
  EXPECT_EQ(verdict.timings[1].median_us, 80);
  EXPECT_EQ(fakes.rounds, 3 + 4);
  EXPECT_EQ(fakes.measured.size(), 3u * 3 + 4u * 2) << "the last rounds are of two";
}

TEST(Contest, defender_loses_only_to_one_that_is_clearly_faster) {
  Fakes fakes{{{us(100)}, {us(99)}, {us(140)}}};
  const Verdict verdict = fakes.play();
  EXPECT_EQ(verdict.winner, 0u);
  EXPECT_EQ(verdict.gain, 1.0);
  Fakes slower{{{us(100)}, {us(128)}}};
  EXPECT_EQ(slower.play().winner, 0u);
  EXPECT_EQ(slower.play().gain, 1.0);
}

TEST(Contest, ratios_of_the_same_round_count_when_the_machine_drifts) {
  // Twice as slow from the third round on; by its median of all rounds the challenger would lose.
  Fakes fakes{{{us(100), us(100), us(200)}, {us(80), us(80), us(160)}}};
  EXPECT_EQ(fakes.play().winner, 1u);
  EXPECT_NEAR(fakes.play().gain.value(), 1.25, 1e-9);
}

TEST(Contest, one_lucky_round_does_not_win) {
  Fakes fakes{{{us(100)}, {us(50), us(104)}}};
  EXPECT_EQ(fakes.play().winner, 0u);
}

TEST(Contest, rounds_that_others_disturbed_do_not_count_if_there_are_others) {
  const Timing spoilt = us(4000, 0.9);
  Fakes fakes{{{spoilt, spoilt, spoilt, spoilt, us(100)}, {us(120)}}};
  const Verdict verdict = fakes.play();
  EXPECT_EQ(verdict.winner, 0u) << "it only seemed to be slow";
  EXPECT_EQ(verdict.timings[0].median_us, 100);
  Fakes always{{{us(400, 0.5)}, {us(200, 0.5)}}};
  EXPECT_EQ(always.play().winner, 1u);
  EXPECT_EQ(always.play().timings[1].load, 0.5) << "still marked";
}

TEST(Contest, those_that_fail_are_out) {
  Fakes fakes{{{us(100)}, {us(10), us(0)}, {us(50)}}};
  const Verdict verdict = fakes.play();
  EXPECT_EQ(verdict.winner, 2u);
  EXPECT_EQ(verdict.timings[1].count, 0);
  Fakes none{{{us(0)}, {us(0)}}};
  EXPECT_FALSE(none.play().winner);
  EXPECT_FALSE(none.play().gain);
}

TEST(Contest, there_is_no_gain_over_a_defender_that_fails) {
  Fakes fakes{{{us(0)}, {us(70)}, {us(50)}}};
  const Verdict verdict = fakes.play();
  EXPECT_EQ(verdict.winner, 2u);
  EXPECT_FALSE(verdict.gain);
  EXPECT_EQ(fakes.rounds, 3) << "there is nobody to fight";
}

TEST(Contest, first_round_is_finished_when_time_is_up) {
  Fakes fakes{{{us(100)}, {us(80)}, {us(50)}}};
  fakes.rounds_in_time = 0;
  const Verdict verdict = fakes.play();
  EXPECT_EQ(fakes.rounds, 1);
  EXPECT_EQ(verdict.winner, 2u);
  EXPECT_DOUBLE_EQ(verdict.gain.value(), 2);
}

TEST(Contest, interrupted_it_decides_nothing) {
  Fakes fakes{{{us(100)}, {us(80)}}};
  fakes.interrupted_in_round = 1;
  const Verdict verdict = fakes.play();
  EXPECT_FALSE(verdict.winner);
  EXPECT_FALSE(verdict.gain);
}

TEST(Contest, a_defender_that_may_not_win_is_compared_with_all_the_same) {
  Fakes fakes{{{us(100)}, {us(125)}}};
  const Verdict verdict = fakes.play({.defender_may_win = false});
  EXPECT_EQ(verdict.winner, 1u);
  EXPECT_DOUBLE_EQ(verdict.gain.value(), 0.8) << "slower, and that is said";
}

TEST(Contest, defender_alone_wins) {
  Fakes fakes{{{us(100)}}};
  EXPECT_EQ(fakes.play().winner, 0u);
  EXPECT_EQ(fakes.play().gain, 1.0);
}

}  // namespace
}  // namespace mdh::tuning::contest_test
