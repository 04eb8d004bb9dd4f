// The parts of one search, in the order in which they run. Only for tuner.h.
#pragma once

#include <chrono>
#include <map>
#include <set>

#include "mdh/model/rates.h"
#include "mdh/search/first_choice.h"
#include "mdh/search/promising_space.h"
#include "mdh/search/search_space.h"
#include "mdh/tune/search.h"
#include "mdh/tuning/compiler_choice.h"
#include "mdh/tuning/contest.h"
#include "mdh/tuning/model_choice.h"
#include "mdh/tuning/predicted_times.h"
#include "mdh/tuning/tuner.h"

namespace mdh::tuning {

class TuningRun {
 public:
  /// All must outlive it.
  TuningRun(const hl::Program& program, const TuneOptions& options, const OnTrial& on_trial);

  TuneReport run();

 private:
  // ---- budgets (tuner.cpp)

  /// Parts of the time after which others begin.
  static constexpr double searching = 0.5, deciding = 0.85;
  /// Seconds to compile what has to be compiled, as opposed to what is only tried.
  static constexpr double patience = 60;

  /// So many configurations in a row that do not even compile mean that nothing compiles any more:
  /// the disk is full, or the compiler is gone.
  static constexpr size_t hopeless = 64;

  /// Where others can be compiled meanwhile, one batch is measured, the next one is nearly ready, and
  /// those behind it have the cores that are free while all wait for the slowest source of one.
  static constexpr size_t batches_ahead = 3;

  static constexpr const char* space_exhausted = "space exhausted";  // as tune::search says

  double elapsed() const;
  /// The rules by which the given part of the budget is spent.
  tune::StopRule budget(double part) const;
  /// It is spent now.
  bool is_over(double part);
  void note_stop(const std::string& why);
  size_t evaluations_until(double part) const;
  bool is_empty_handed() const;

  // ---- what is known and what comes of a trial (tuner.cpp)

  const machine::Machine& machine() const { return options_.candidates.machine; }
  /// Without one, nothing is estimated: the technique alone says what to try.
  bool has_model() const { return has_cost_model(*options_.candidates.target, machine()); }
  void take_over_known(tune::Technique& technique);
  void take_if_better(const Trial& trial);
  void note(Trial trial, const std::string& phase);
  void note_screening();
  void count(const Trial& trial);
  double time_to_beat() const;
  std::optional<tune::Point> point_of(ll::Config config) const;

  // ---- the search (tuner.cpp)

  std::vector<tune::Point> starting_points() const;
  /// What would run without any tuning, compiled as it would be: the first trial.
  void try_untuned(tune::Technique& technique);
  /// Asks, compiles, runs and tells until a part of the time is over.
  void search(tune::Technique& technique, double part);
  std::optional<tune::Outcome> known_of(const tune::Point& point);
  /// Configurations as they are compiled for the search.
  std::vector<ll::Config> quick(std::span<const tune::Point> points) const;
  void drop_spilling(Trial& trial) const;
  std::vector<Trial> tried(std::span<const tune::Point> points);
  std::vector<Trial> screened(const std::vector<ll::Config>& configs, Candidates::Together together,
                              const std::string& phase, double to_beat_us);

  // ---- near the best few (tuning_refinement.cpp)

  /// Other compilers prefer other configurations: the best few by all of them, and those that were
  /// estimated to be the best, whatever the quick compiler made of them; then what is near the
  /// fastest by the compiler that made it.
  void refine(const search::PromisingSpace& near, const std::vector<tune::Point>& estimated);
  void refine_by(const std::vector<ll::Config>& configs);
  std::vector<ll::Config> best_few(size_t count) const;
  std::vector<ll::Config> by_all_compilers(const std::vector<ll::Config>& configs) const;
  std::vector<ll::Config> untried_near(const search::PromisingSpace& near) const;
  std::vector<tune::Point> near_the_fastest(const search::PromisingSpace& near) const;
  std::vector<RelativeTime> relative_times() const;

  // ---- the final (tuning_final.cpp)

  std::vector<ll::Config> finalists() const;
  std::vector<ll::Config> challengers() const;
  size_t evaluations_left() const;
  bool may_win_untuned() const;
  bool may_decide();
  /// In turn, round by round, the untuned choice among them.
  void decide();
  Verdict play_final(std::vector<Trial>& trials);
  void settle(const Verdict& verdict, std::vector<Trial>& trials);

  const TuneOptions& options_;
  const OnTrial& on_trial_;
  model::Rates rates_;
  search::SearchSpace space_;
  Candidates candidates_;
  search::PointEstimate estimate_;
  std::vector<CompilerChoice> compilers_;
  ll::Config untuned_;
  TuneReport report_;
  std::map<std::string, tune::Outcome> seen_;  // by configuration
  size_t searched_ = 0;                        // trials of the search alone
  std::optional<double> fastest_searched_us_;
  size_t refused_ = 0;                    // the last trials did not compile
  std::vector<Trial> refined_;            // by the compilers that decide, the fastest first
  std::set<std::string> refined_keys_;    // configurations with their compilers
  double compiling_ = 0, measuring_ = 0;  // seconds
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// The search tries several compilers: the target has them, and the user has not locked one, so
/// that configurations say which one it is.
bool chooses_compiler(const TuneOptions& options);

}  // namespace mdh::tuning
