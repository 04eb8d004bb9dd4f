// Which of a few is the fastest, and whether it is faster than what there was before.
//
// Times of different minutes compare badly: other programs, clocks and the memory that a process
// happens to get change them by more than configurations do. So the contestants run in turn, round
// by round, and what counts are ratios of times of the same round. The defender, contestant 0, is
// what would run otherwise. It loses only to one that is clearly faster.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "mdh/runtime/timer.h"

namespace mdh::tuning {

struct ContestRules {
  int rounds = 3;        // of all
  int duels = 4;         // further rounds of the fastest challenger and the defender alone
  double margin = 0.02;  // a challenger wins if it is faster by more than this
  bool defender_may_win = true;
};

struct ContestSteps {
  /// Before every round, e.g. to start new processes.
  std::function<void()> begin_round = [] {};
  /// A time; nothing if it failed: then the contestant is out.
  std::function<std::optional<runtime::Timing>(size_t contestant)> measure;
  /// False: there is time for no more. The first round is finished nevertheless.
  std::function<bool()> has_time = [] { return true; };
  /// True: all ends at once, and nothing is decided.
  std::function<bool()> is_interrupted = [] { return false; };
};

struct Verdict {
  /// By contestant: the median of its rounds, loaded ones left out if there are others. No runs
  /// where it was not measured or has failed.
  std::vector<runtime::Timing> timings;
  /// Nothing if all failed, or if it was interrupted.
  std::optional<size_t> winner;
  /// Time of the defender / time of the winner, the median of the rounds that both were in; 1 if
  /// the defender won. Nothing without a winner, or if the defender failed.
  std::optional<double> gain;
};

Verdict contest(size_t contestants, const ContestRules& rules, const ContestSteps& steps);

}  // namespace mdh::tuning
