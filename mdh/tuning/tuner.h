// The best configuration of a program on this machine, by measuring.
//
// Configurations that are estimated to be good come first, then a technique asks for others. They
// are compiled several at a time by the cheapest compiler there is; one whose first run is clearly
// slower than the best is not run a second time, and only what beats it then is measured further.
// The best few are compiled by all compilers, and what is near the fastest of those by its own. The
// final (contest.h) is between the best of them and the untuned choice, which is what would run
// without any tuning, compiled as it would be: only a final can say what tuning has gained.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mdh/search/restrictions.h"
#include "mdh/tuning/candidates.h"

namespace mdh::tuning {

struct TuneOptions {
  CandidateOptions candidates;
  double seconds = 60;
  size_t evaluations = 0;  // 0: as many as there is time for
  std::string technique = "auto";
  uint64_t seed = 1;
  search::Restrictions restricted = {};
  std::vector<std::string> locks;
  std::vector<ll::Config> starts;     // of neighbouring sizes, or earlier winners
  std::vector<Trial> known;           // what an earlier search has found out; not tried again
  size_t batch = 16;                  // configurations that are compiled together
  std::optional<ll::Config> untuned;  // what runs without tuning; none: what model_choice.h says
  std::function<bool()> interrupted = [] { return false; };
};

struct TuneProgress {
  size_t evaluations = 0;
  size_t failures = 0;
  double seconds = 0;
  std::optional<double> best_us;
  std::string phase;  // "untuned", "searching", "refining", "final"
};

/// What the first part of a search was spent on: seconds.
struct Screening {
  size_t candidates = 0;
  double asking = 0, compiling = 0, measuring = 0;

  double seconds() const { return asking + compiling + measuring; }
};

struct TuneReport {
  std::optional<Trial> best;  // of this search, or known before and never beaten
  bool best_was_known = false;
  std::optional<Trial> untuned;  // what would run without any tuning, as it was measured last
  /// Time of the untuned choice / time of the best, in the final; 1 if the former won.
  std::optional<double> gain;
  std::string no_gain_because;             // where there is none
  std::vector<Trial> trials;               // in order
  size_t searched = 0;                     // trials of the search; those behind are of the final
  std::map<std::string, size_t> failures;  // by kind
  size_t loaded = 0;                       // times that other programs disturbed
  Screening screening;                     // until the best few are refined
  std::string stopped_by;
};

/// Called for every trial as soon as its outcome is known.
using OnTrial = std::function<void(const Trial&, const TuneProgress&)>;

TuneReport tune(const hl::Program& program, const TuneOptions& options, const OnTrial& on_trial);

}  // namespace mdh::tuning
