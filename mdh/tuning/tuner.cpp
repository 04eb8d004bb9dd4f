#include "mdh/tuning/tuner.h"

#include <algorithm>
#include <cmath>

#include "mdh/driver/rates.h"
#include "mdh/ll/print.h"
#include "mdh/search/trades.h"
#include "mdh/support/diagnostic.h"
#include "mdh/tuning/efforts.h"
#include "mdh/tuning/model_choice.h"
#include "mdh/tuning/tuning_run.h"

namespace mdh::tuning {
namespace {

bool decides_compiler(const TuneOptions& options) {
  return std::any_of(options.locks.begin(), options.locks.end(),
                     [](const std::string& lock) { return lock.starts_with("compiler"); });
}

/// The search compiles cheaply and the final with all compilers, unless the user decides.
std::vector<std::string> locks_of(const TuneOptions& options) {
  std::vector<std::string> locks = options.locks;
  if (!decides_compiler(options)) locks.push_back("compiler=default");
  return locks;
}

ll::Config untuned_config(const hl::Program& program, const TuneOptions& options) {
  if (options.untuned) return *options.untuned;
  const CandidateOptions& o = options.candidates;
  return untuned_choice(program, *o.target, o.device, o.machine, o.threads).config;
}

/// What is computed and how, whoever compiles it.
std::string key_of(ll::Config config) {
  config.program.clear();
  config.machine.clear();
  config.sizes.clear();
  config.types.clear();
  config.layers.clear();
  config.code.kernel.compiler.clear();
  config.code.kernel.flags.clear();
  return ll::print(config);
}

tune::Outcome outcome_for_search(const Trial& trial) {
  if (trial.is_good()) return tune::measured(trial.timing.median_us);
  return tune::failed(to_string(trial.outcome));
}

}  // namespace

bool chooses_compiler(const TuneOptions& options) {
  return options.candidates.target->obeys.compiler && !decides_compiler(options);
}

TuningRun::TuningRun(const hl::Program& program, const TuneOptions& options,
                     const OnTrial& on_trial)
    : options_(options),
      on_trial_(on_trial),
      rates_(driver::rates_on(*options.candidates.target, options.candidates.device,
                              options.candidates.machine, options.candidates.threads)),
      space_(program, options.candidates.machine,
             {.cores = options.candidates.threads,
              .restricted = options.restricted,
              .obeys = options.candidates.target->obeys,
              .vectors = {rates_.vector_bytes, rates_.registers},
              .locks = locks_of(options)}),
      candidates_(program, options.candidates),
      estimate_(options.candidates.machine, rates_),
      compilers_(compilers_for(*options.candidates.target)),
      untuned_(untuned_config(program, options)) {}

TuneReport TuningRun::run() {
  const std::vector<tune::Point> start = starting_points();
  std::optional<search::PromisingSpace> promising;
  if (options_.technique == "auto" && !start.empty() && has_model()) {
    promising.emplace(
        space_.parameters(), start, [&](const tune::Point& p) { return estimate_(space_, p); },
        search::PromisingSpace::Near{
            .all = [&](const tune::Point& p) { return search::trades(space_, machine(), p); },
            .one = [&](const tune::Point& p,
                       Random& random) { return search::trade(space_, machine(), p, random); }});
  }
  const tune::SearchDomain& domain =
      promising ? static_cast<const tune::SearchDomain&>(*promising) : space_.parameters();
  const auto technique = tune::make_technique(options_.technique, domain,
                                              {.seed = options_.seed, .candidates = start});
  take_over_known(*technique);
  try_untuned(*technique);
  const bool refines = promising && chooses_compiler(options_);
  search(*technique, refines ? searching : deciding);
  note_screening();
  if (refines) refine(*promising, start);
  report_.searched = report_.trials.size();
  if (may_decide()) decide();
  if (report_.stopped_by.empty()) report_.stopped_by = "time";
  return std::move(report_);
}

// ---- budgets

double TuningRun::elapsed() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

/// Who has interrupted the search wants to read that and nothing else.
tune::StopRule TuningRun::budget(double part) const {
  const bool counts = options_.evaluations > 0;
  return tune::any_of(
      {tune::when(options_.interrupted),
       tune::when([this] { return refused_ >= hopeless; }, "nothing compiles"),
       tune::called("evaluations",
                    counts ? tune::after_evaluations(evaluations_until(part)) : tune::never_stop()),
       tune::called("time", tune::after_seconds(options_.seconds * part))});
}

bool TuningRun::is_over(double part) {
  const auto why =
      budget(part).reason({.evaluations = report_.trials.size(), .seconds = elapsed()});
  if (why) note_stop(*why);
  return why.has_value();
}

void TuningRun::note_stop(const std::string& why) {
  const bool is_new = report_.stopped_by != space_exhausted || why == "interrupted";
  if (is_new) report_.stopped_by = why;
}

/// Few are for the search alone.
size_t TuningRun::evaluations_until(double part) const {
  const double all = static_cast<double>(options_.evaluations);
  return static_cast<size_t>(options_.evaluations < 64 ? all : std::ceil(part * all));
}

/// Even the smallest budget is enough for the first few if the untuned choice does not work.
bool TuningRun::is_empty_handed() const {
  return !report_.best && searched_ == 0 && !options_.interrupted();
}

// ---- what is known and what comes of a trial

void TuningRun::take_over_known(tune::Technique& technique) {
  for (const Trial& trial : options_.known) {
    if (const auto point = point_of(trial.config)) {
      technique.tell(*point, outcome_for_search(trial));
    }
    seen_.emplace(key_of(trial.config), outcome_for_search(trial));
    if (trial.is_good()) take_if_better(trial);
  }
  report_.best_was_known = report_.best.has_value();
}

std::optional<tune::Point> TuningRun::point_of(ll::Config config) const {
  if (chooses_compiler(options_)) {
    config.code.kernel.compiler.clear();
    config.code.kernel.flags.clear();
  }
  return space_.point(config);
}

void TuningRun::take_if_better(const Trial& trial) {
  if (report_.best && !is_better(trial, *report_.best)) return;
  report_.best = trial;
  report_.best_was_known = false;
}

void TuningRun::note(Trial trial, const std::string& phase) {
  trial.seconds = elapsed();
  report_.trials.push_back(trial);
  count(trial);
  if (trial.is_good() && phase != "final") take_if_better(trial);
  TuneProgress progress{
      .evaluations = report_.trials.size(), .seconds = trial.seconds, .phase = phase};
  for (const auto& [kind, times] : report_.failures) progress.failures += times;
  if (report_.best) progress.best_us = report_.best->timing.median_us;
  on_trial_(trial, progress);
}

void TuningRun::count(const Trial& trial) {
  if (!trial.is_good()) ++report_.failures[to_string(trial.outcome)];
  if (trial.is_good() && trial.is_loaded()) ++report_.loaded;
  const bool refused = trial.outcome == tune::RecordOutcome::compile_error;
  if (!trial.is_repeated) refused_ = refused ? refused_ + 1 : 0;
}

void TuningRun::note_screening() {
  report_.screening.candidates = searched_;
  report_.screening.compiling = compiling_;
  report_.screening.measuring = measuring_;
}

/// The untuned choice is compiled by a better compiler than what is searched: it is not to be
/// beaten by that, or nothing would be measured well.
double TuningRun::time_to_beat() const {
  double us = fastest_searched_us_.value_or(HUGE_VAL);
  for (const Trial& trial : options_.known) {
    if (trial.is_good() && !trial.is_loaded()) us = std::min(us, trial.timing.median_us);
  }
  return us == HUGE_VAL ? 0 : us;
}

// ---- the search

std::vector<tune::Point> TuningRun::starting_points() const {
  std::vector<tune::Point> points;
  for (const ll::Config& config : options_.starts) {
    if (const auto near = space_.nearest_to(config)) points.push_back(*near);
  }
  if (!has_model()) {  // what is usual is all that is known
    if (const auto near = space_.nearest_to(untuned_)) points.push_back(*near);
    return points;
  }
  search::FirstChoiceOptions first{.count = 96, .seed = options_.seed, .starts = points};
  for (const search::EstimatedPoint& e :
       search::first_choice(space_, options_.candidates.machine, rates_, first)) {
    points.push_back(e.point);
  }
  return points;
}

void TuningRun::try_untuned(tune::Technique& technique) {
  // The same loops by another compiler would say nothing about it.
  const bool is_known = std::any_of(options_.known.begin(), options_.known.end(),
                                    [&](const Trial& t) { return t.config == untuned_; });
  if (is_known || options_.interrupted()) return;
  std::vector<Trial> trials = candidates_.compile({untuned_}, Candidates::Together::none, patience);
  candidates_.measure(0, screening(0), trials.front());
  const Trial& trial = trials.front();
  note(trial, "untuned");
  if (trial.is_good()) report_.untuned = trial;
  seen_.emplace(key_of(untuned_), outcome_for_search(trial));
  if (const auto point = point_of(untuned_)) technique.tell(*point, outcome_for_search(trial));
}

void TuningRun::search(tune::Technique& technique, double part) {
  const tune::Evaluate evaluate = [&](std::span<const tune::Point> points) {
    std::vector<tune::Outcome> outcomes;
    for (const Trial& trial : tried(points)) {
      outcomes.push_back(outcome_for_search(trial));
      seen_.insert_or_assign(key_of(trial.config), outcomes.back());
    }
    return outcomes;
  };
  const tune::StopRule stop = tune::unless([&] { return is_empty_handed(); }, budget(part));
  const bool prepares = candidates_.may_prepare();
  const auto prepare = [&](std::span<const tune::Point> points) {
    if (prepares) candidates_.prepare(quick(points));
  };
  const tune::SearchResult result =
      tune::search(technique, evaluate, stop,
                   {.batch = options_.batch,
                    .filled = 0.75,
                    .known = [&](const tune::Point& point) { return known_of(point); },
                    .ahead = prepares ? batches_ahead : 0,
                    .prepare = prepare,
                    .evaluations_before = report_.trials.size(),
                    .seconds_before = elapsed()});
  candidates_.drop_prepared();
  report_.screening.asking += result.asking;
  if (result.stopped_by != space_exhausted || !is_over(1.0)) note_stop(result.stopped_by);
}

/// Different points may mean the same configuration, also in one batch.
std::optional<tune::Outcome> TuningRun::known_of(const tune::Point& point) {
  const std::string key = key_of(space_.config(point));
  const auto known = seen_.find(key);
  if (known != seen_.end()) return known->second;
  if (!space_.is_valid(point)) return tune::failed("not valid");
  seen_.emplace(key, tune::failed("tried at the same time"));
  return std::nullopt;
}

std::vector<ll::Config> TuningRun::quick(std::span<const tune::Point> points) const {
  std::vector<ll::Config> configs;
  for (const tune::Point& point : points) {
    const ll::Config config = space_.config(point);
    configs.push_back(chooses_compiler(options_) ? compiled_by(config, quick_compiler(compilers_))
                                                 : config);
  }
  return configs;
}

/// As soon as anything works, what spills is not worth a measurement.
void TuningRun::drop_spilling(Trial& trial) const {
  if (!report_.best || !trial.is_good() || trial.is_repeated || trial.stack_bytes == 0) return;
  trial.outcome = tune::RecordOutcome::spills;
  trial.reason =
      fmt::format("each thread keeps {} bytes of registers or arrays in memory", trial.stack_bytes);
}

std::vector<Trial> TuningRun::tried(std::span<const tune::Point> points) {
  std::vector<Trial> trials =
      screened(quick(points), Candidates::Together::all, "searching", time_to_beat());
  searched_ += trials.size();
  for (const Trial& trial : trials) {
    if (!trial.is_good() || trial.is_loaded()) continue;
    const double us = trial.timing.median_us;
    fastest_searched_us_ = std::min(us, fastest_searched_us_.value_or(us));
  }
  return trials;
}

/// Compiled, run and noted; fewer if it is time for the final: devices compile when they run. What does not beat a time, or that of
/// another of them, is not measured further.
std::vector<Trial> TuningRun::screened(const std::vector<ll::Config>& configs,
                                       Candidates::Together together, const std::string& phase,
                                       double to_beat_us) {
  const bool searches = together == Candidates::Together::all;
  const double begin = elapsed();
  std::vector<Trial> trials = candidates_.compile(configs, together);
  compiling_ += elapsed() - begin;
  for (size_t n = 0; n < trials.size(); ++n) {
    if (options_.interrupted() || (report_.best && is_over(deciding))) {
      trials.resize(n);
      break;
    }
    const double begun = elapsed();
    if (searches) drop_spilling(trials[n]);
    candidates_.measure(n, searches ? screening(to_beat_us) : comparison(to_beat_us), trials[n]);
    measuring_ += elapsed() - begun;
    note(trials[n], phase);
    if (!trials[n].is_good() || trials[n].is_loaded()) continue;
    const double us = trials[n].timing.median_us;
    if (to_beat_us <= 0 || us < to_beat_us) to_beat_us = us;
  }
  return trials;
}

TuneReport tune(const hl::Program& program, const TuneOptions& options, const OnTrial& on_trial) {
  return TuningRun(program, options, on_trial).run();
}

}  // namespace mdh::tuning
