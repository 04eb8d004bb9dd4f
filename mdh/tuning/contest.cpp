#include "mdh/tuning/contest.h"

#include <algorithm>

#include "mdh/runtime/load.h"

namespace mdh::tuning {
namespace {

using runtime::is_loaded;
using runtime::Timing;

constexpr size_t defender = 0;

class Contest {
 public:
  Contest(size_t contestants, const ContestRules& rules, const ContestSteps& steps)
      : rules_(rules), steps_(steps), rounds_(contestants), is_out_(contestants, false) {}

  Verdict run() {
    std::vector<size_t> all;
    for (size_t n = 0; n < rounds_.size(); ++n) all.push_back(n);
    play(all, rules_.rounds);
    const std::optional<size_t> first = fastest_challenger();
    if (first && may_win(defender)) play({defender, *first}, rules_.duels);
    Verdict verdict;
    for (size_t n = 0; n < rounds_.size(); ++n) verdict.timings.push_back(summary(n));
    if (!steps_.is_interrupted()) decide(verdict);
    return verdict;
  }

 private:
  /// Nothing in rounds that it was not in.
  using Rounds = std::vector<std::optional<Timing>>;

  void play(const std::vector<size_t>& who, int rounds) {
    for (int round = 0; round < rounds; ++round) {
      if (steps_.is_interrupted() || (played_ > 0 && !steps_.has_time())) return;
      steps_.begin_round();
      for (Rounds& times : rounds_) times.emplace_back();
      // Not always the same one first: the beginning of a round may be special.
      for (size_t n = 0; n < who.size(); ++n) play_one(who[(n + played_) % who.size()]);
      ++played_;
    }
  }

  void play_one(size_t contestant) {
    if (is_out_[contestant] || steps_.is_interrupted()) return;
    if (played_ > 0 && !steps_.has_time()) return;
    rounds_[contestant].back() = steps_.measure(contestant);
    if (!rounds_[contestant].back()) is_out_[contestant] = true;
  }

  bool may_win(size_t contestant) const {
    return !is_out_[contestant] && summary(contestant).count > 0;
  }

  /// All, or those that nobody disturbed, if there are any.
  static std::vector<Timing> believed(std::vector<Timing> times) {
    const bool any = std::any_of(times.begin(), times.end(),
                                 [](const Timing& time) { return !is_loaded(time); });
    if (any) std::erase_if(times, [](const Timing& time) { return is_loaded(time); });
    return times;
  }

  static Timing median_of(std::vector<Timing> times) {
    if (times.empty()) return {};
    const auto middle = times.begin() + static_cast<ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end(),
                     [](const Timing& a, const Timing& b) { return a.median_us < b.median_us; });
    return *middle;
  }

  Timing summary(size_t contestant) const {
    if (is_out_[contestant]) return {};
    std::vector<Timing> times;
    for (const auto& time : rounds_[contestant]) {
      if (time) times.push_back(*time);
    }
    return median_of(believed(std::move(times)));
  }

  /// Loaded times come last.
  bool is_faster(size_t a, size_t b) const {
    const Timing left = summary(a), right = summary(b);
    if (is_loaded(left) != is_loaded(right)) return is_loaded(right);
    return left.median_us < right.median_us;
  }

  std::optional<size_t> fastest_challenger() const {
    std::optional<size_t> best;
    for (size_t n = defender + 1; n < rounds_.size(); ++n) {
      if (may_win(n) && (!best || is_faster(n, *best))) best = n;
    }
    return best;
  }

  /// Time of the defender / time of another, in the rounds of both. As times, so that loaded ones
  /// can be left out.
  std::optional<double> ratio_to(size_t other) const {
    std::vector<Timing> ratios;
    for (size_t r = 0; r < rounds_[other].size(); ++r) {
      const std::optional<Timing>&ours = rounds_[defender][r], &theirs = rounds_[other][r];
      if (!ours || !theirs) continue;
      ratios.push_back({.median_us = ours->median_us / theirs->median_us,
                        .count = 1,
                        .load = std::max(ours->load, theirs->load)});
    }
    if (ratios.empty() || is_out_[defender]) return std::nullopt;
    return median_of(believed(std::move(ratios))).median_us;
  }

  void decide(Verdict& verdict) const {
    const std::optional<size_t> challenger = fastest_challenger();
    verdict.winner = challenger;
    if (!may_win(defender)) return;
    const std::optional<double> ratio = challenger ? ratio_to(*challenger) : std::nullopt;
    const bool is_beaten = ratio && *ratio > 1 + rules_.margin;
    if (is_beaten || (challenger && !rules_.defender_may_win)) {
      verdict.gain = ratio;
    } else {
      verdict.winner = defender;
      verdict.gain = 1;
    }
  }

  const ContestRules& rules_;
  const ContestSteps& steps_;
  std::vector<Rounds> rounds_;  // by contestant
  std::vector<bool> is_out_;
  size_t played_ = 0;
};

}  // namespace

Verdict contest(size_t contestants, const ContestRules& rules, const ContestSteps& steps) {
  return Contest(contestants, rules, steps).run();
}

}  // namespace mdh::tuning
