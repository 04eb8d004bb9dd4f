#include <algorithm>
#include <cstdint>

#include "mdh/tuning/efforts.h"
#include "mdh/tuning/tuning_run.h"

namespace mdh::tuning {
namespace {

constexpr size_t most_challengers = 5;

/// A search that has overrun its time by this factor was too short for a final.
constexpr double overrun = 1.25;

/// Rounds begin for so long, in seconds, or in the part of the budget that is left for the final.
constexpr double least_seconds = 2;

}  // namespace

/// The fastest of the refined ones; the best few with all compilers where there are none. What won
/// an earlier final has to win again.
std::vector<ll::Config> TuningRun::challengers() const {
  std::vector<ll::Config> best;
  for (const Trial& trial : refined_) {
    if (best.size() < most_challengers) best.push_back(trial.config);
  }
  if (best.empty()) {
    best = chooses_compiler(options_) ? by_all_compilers(best_few(3)) : best_few(3);
  }
  for (const Trial& trial : options_.known) {
    if (trial.final_result != tune::FinalResult::won || !trial.is_good()) continue;
    if (std::find(best.begin(), best.end(), trial.config) == best.end()) {
      best.push_back(trial.config);
    }
    break;
  }
  return best;
}

/// The untuned choice is the first, whatever became of it in the search.
std::vector<ll::Config> TuningRun::finalists() const {
  std::vector<ll::Config> all = {untuned_};
  for (const ll::Config& config : challengers()) {
    if (config != untuned_ && all.size() < evaluations_left()) all.push_back(config);
  }
  return all;
}

size_t TuningRun::evaluations_left() const {
  if (options_.evaluations == 0) return SIZE_MAX;
  return options_.evaluations - std::min(options_.evaluations, report_.trials.size());
}

/// What the user has locked may exclude it. Then it is only compared with.
bool TuningRun::may_win_untuned() const {
  const bool is_free = options_.locks.empty() && !options_.restricted.any();
  return is_free || space_.point(untuned_).has_value();
}

bool TuningRun::may_decide() {
  const bool is_short = options_.evaluations > 0 ? is_over(1.0) : is_over(overrun);
  if (!is_short && evaluations_left() >= 2) return true;
  report_.no_gain_because = "the budget is too small for a final";
  if (refused_ >= hopeless) report_.no_gain_because = "nothing compiles";
  if (options_.interrupted()) report_.no_gain_because = "the search was interrupted";
  return false;
}

void TuningRun::decide() {
  std::vector<Trial> trials =
      candidates_.compile(finalists(), Candidates::Together::none, patience);
  const Verdict verdict = play_final(trials);
  settle(verdict, trials);
  for (size_t n = 0; n < trials.size(); ++n) {
    const bool is_missing = trials[n].is_good() && verdict.timings[n].count == 0;
    if (!is_missing) note(trials[n], "final");  // there was no time for those
  }
}

Verdict TuningRun::play_final(std::vector<Trial>& trials) {
  const double begin = elapsed();
  const double seconds = std::max((1 - deciding) * options_.seconds, least_seconds);
  Effort effort = decision();
  ContestSteps steps;
  steps.begin_round = [&, round = 0]() mutable {
    if (round++ > 0) effort.best_us = 1e-9;  // all have been verified
    // The memory that a process happens to get makes it faster or slower for all of its life.
    candidates_.renew_processes();
  };
  steps.measure = [&](size_t n) -> std::optional<runtime::Timing> {
    candidates_.measure(n, effort, trials[n]);
    return trials[n].is_good() ? std::optional(trials[n].timing) : std::nullopt;
  };
  steps.has_time = [&] { return elapsed() < begin + seconds; };
  steps.is_interrupted = options_.interrupted;
  return contest(trials.size(), {.defender_may_win = may_win_untuned()}, steps);
}

/// Times of the final are better known than those of the search.
void TuningRun::settle(const Verdict& verdict, std::vector<Trial>& trials) {
  // What is best as the user has locked it may be slower than the untuned choice: then runs, which
  // know nothing of locks, should take that one.
  const bool is_slower = verdict.gain && *verdict.gain < 1;
  const size_t fastest = is_slower ? 0 : verdict.winner.value_or(0);
  for (size_t n = 0; n < trials.size(); ++n) {
    if (!trials[n].is_good() || verdict.timings[n].count == 0) continue;
    trials[n].timing = verdict.timings[n];
    if (!verdict.winner) continue;
    trials[n].final_result = n == fastest ? tune::FinalResult::won : tune::FinalResult::lost;
  }
  if (trials[0].is_good() && trials[0].timing.count > 0) report_.untuned = trials[0];
  report_.gain = verdict.gain;
  if (!verdict.gain) {
    report_.no_gain_because =
        options_.interrupted() ? "the search was interrupted" : "the untuned choice did not work";
  }
  if (!verdict.winner) return;
  report_.best = trials[*verdict.winner];
  report_.best_was_known = false;
}

}  // namespace mdh::tuning
