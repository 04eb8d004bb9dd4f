#include "mdh/driver/tuner.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <set>

#include "mdh/driver/compiler_choice.h"
#include "mdh/driver/efforts.h"
#include "mdh/driver/first_choice.h"
#include "mdh/driver/predicted_times.h"
#include "mdh/driver/promising_space.h"
#include "mdh/driver/rates.h"
#include "mdh/driver/search_space.h"
#include "mdh/driver/trades.h"
#include "mdh/ll/print.h"
#include "mdh/support/diagnostic.h"
#include "mdh/support/text.h"
#include "mdh/tune/technique.h"

namespace mdh::driver {
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

/// So many configurations in a row that do not even compile mean that nothing compiles any more:
/// the disk is full, or the compiler is gone.
constexpr size_t hopeless = 64;

class TuningRun {
 public:
  TuningRun(const hl::Program& program, const TuneOptions& options, const OnTrial& on_trial)
      : options_(options),
        on_trial_(on_trial),
        rates_(rates_of(options.candidates.machine, options.candidates.threads)),
        space_(program, options.candidates.machine,
               {.cores = options.candidates.threads,
                .restricted = options.restricted,
                .vectors = {rates_.vector_bytes, rates_.registers},
                .locks = locks_of(options)}),
        candidates_(program, options.candidates),
        estimate_(options.candidates.machine, rates_),
        compilers_(compilers_here()) {}

  TuneReport run() {
    const std::vector<tune::Point> start = starting_points();
    std::optional<PromisingSpace> promising;
    if (options_.technique == "auto" && !start.empty()) {
      promising.emplace(
          space_.parameters(), start, [&](const tune::Point& p) { return estimate_(space_, p); },
          PromisingSpace::Near{
              .all = [&](const tune::Point& p) { return trades(space_, machine(), p); },
              .one = [&](const tune::Point& p,
                         Random& random) { return trade(space_, machine(), p, random); }});
    }
    const tune::SearchDomain& domain =
        promising ? static_cast<const tune::SearchDomain&>(*promising) : space_.parameters();
    const auto technique = tune::make_technique(options_.technique, domain,
                                                {.seed = options_.seed, .candidates = start});
    for (const Trial& trial : options_.known) {
      if (const auto point = point_of(trial.config)) technique->tell(*point, outcome_of(trial));
      seen_.emplace(key_of(trial.config), outcome_of(trial));
      if (trial.is_good()) take_if_better(trial);
    }
    report_.best_was_known = report_.best.has_value();
    const bool refines = promising && !decides_compiler(options_);
    search(*technique, refines ? searching : deciding);
    note_screening();
    if (refines) refine(*promising, start);
    report_.searched = report_.trials.size();
    if (!is_over(1.0)) decide();
    settle();
    return std::move(report_);
  }

 private:
  const machine::Machine& machine() const { return options_.candidates.machine; }

  double elapsed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

  /// The given part of the budget is spent.
  bool is_over(double part) {
    std::string why;
    if (elapsed() > options_.seconds * part) why = "time";
    if (options_.evaluations > 0 && report_.trials.size() >= evaluations_until(part)) {
      why = "evaluations";
    }
    if (refused_ >= hopeless) why = "nothing compiles";
    if (options_.interrupted()) why = "interrupted";
    const bool is_new = report_.stopped_by != "space exhausted" || why == "interrupted";
    if (!why.empty() && is_new) report_.stopped_by = why;
    return !why.empty();
  }

  /// Few are for the search alone.
  size_t evaluations_until(double part) const {
    const double all = static_cast<double>(options_.evaluations);
    return static_cast<size_t>(options_.evaluations < 64 ? all : std::ceil(part * all));
  }

  /// Even the smallest budget is enough for the first few.
  bool is_empty_handed() const {
    return !report_.best && report_.trials.empty() && !options_.interrupted();
  }

  std::vector<tune::Point> starting_points() const {
    std::vector<tune::Point> points;
    for (const ll::Config& config : options_.starts) {
      if (const auto near = space_.nearest_to(config)) points.push_back(*near);
    }
    FirstChoiceOptions first{.count = 96, .seed = options_.seed, .starts = points};
    for (const EstimatedPoint& e :
         first_choice(space_, options_.candidates.machine, rates_, first)) {
      points.push_back(e.point);
    }
    return points;
  }

  std::optional<tune::Point> point_of(ll::Config config) const {
    if (!decides_compiler(options_)) {
      config.code.kernel.compiler.clear();
      config.code.kernel.flags.clear();
    }
    return space_.point(config);
  }

  static tune::Outcome outcome_of(const Trial& trial) {
    if (trial.is_good()) return tune::measured(trial.timing.median_us);
    return tune::failed(to_string(trial.outcome));
  }

  ll::Config quick(const tune::Point& point) const {
    const ll::Config config = space_.config(point);
    return decides_compiler(options_) ? config : compiled_by(config, quick_compiler(compilers_));
  }

  /// Parts of the time after which others begin.
  static constexpr double searching = 0.5, deciding = 0.85;

  /// Asks, compiles, runs and tells until a part of the time is over.
  void search(tune::Technique& technique, double part) {
    while (!is_over(part) || is_empty_handed()) {
      const double asked = elapsed();
      const std::vector<tune::Point> points = new_points(technique);
      report_.screening.asking += elapsed() - asked;
      if (points.empty()) {
        if (!is_over(1.0)) report_.stopped_by = "space exhausted";
        return;
      }
      const std::vector<Trial> trials = tried(points);
      for (size_t n = 0; n < trials.size(); ++n) {
        technique.tell(points[n], outcome_of(trials[n]));
        seen_.insert_or_assign(key_of(trials[n].config), outcome_of(trials[n]));
      }
    }
  }

  /// A batch of valid points whose configurations were not tried. Some fewer are as good as a whole
  /// one: a technique that learns has to do so for every question.
  std::vector<tune::Point> new_points(tune::Technique& technique) {
    size_t wanted = options_.batch;
    if (options_.evaluations > 0) {
      wanted = std::min(
          wanted, options_.evaluations - std::min(options_.evaluations, report_.trials.size()));
    }
    std::vector<tune::Point> points;
    while (4 * points.size() < 3 * wanted) {
      const std::vector<tune::Point> asked = technique.ask(wanted - points.size());
      if (asked.empty()) break;
      for (const tune::Point& point : asked) {
        // Different points may mean the same configuration.
        const auto known = seen_.find(key_of(space_.config(point)));
        if (known != seen_.end()) {
          technique.tell(point, known->second);
        } else if (space_.is_valid(point)) {
          points.push_back(point);
          seen_.emplace(key_of(space_.config(point)), tune::failed("tried at the same time"));
        } else {
          technique.tell(point, tune::failed("not valid"));
        }
      }
      if (is_over(1.0) && !(points.empty() && is_empty_handed())) break;
    }
    return points;
  }

  /// What is computed and how, whoever compiles it.
  static std::string key_of(ll::Config config) {
    config.program.clear();
    config.machine.clear();
    config.sizes.clear();
    config.types.clear();
    config.layers.clear();
    config.code.kernel.compiler.clear();
    config.code.kernel.flags.clear();
    return ll::print(config);
  }

  std::vector<Trial> tried(const std::vector<tune::Point>& points) {
    std::vector<ll::Config> configs;
    for (const tune::Point& point : points) configs.push_back(quick(point));
    return screened(configs, Candidates::Together::all, "searching", best_us());
  }

  /// Compiled, run and noted; fewer if the time is over. What does not beat a time, or that of
  /// another of them, is not measured further.
  std::vector<Trial> screened(const std::vector<ll::Config>& configs, Candidates::Together together,
                              const std::string& phase, double to_beat_us) {
    const bool searches = together == Candidates::Together::all;
    const double begin = elapsed();
    std::vector<Trial> trials = candidates_.compile(configs, together);
    compiling_ += elapsed() - begin;
    for (size_t n = 0; n < trials.size(); ++n) {
      if (options_.interrupted() || (report_.best && is_over(1.0))) {
        trials.resize(n);
        break;
      }
      const double begun = elapsed();
      candidates_.measure(n, searches ? screening(to_beat_us) : comparison(to_beat_us), trials[n]);
      measuring_ += elapsed() - begun;
      note(trials[n], phase);
      const double us = trials[n].timing.median_us;
      if (trials[n].is_good() && (to_beat_us <= 0 || us < to_beat_us)) to_beat_us = us;
    }
    return trials;
  }

  void note_screening() {
    report_.screening.candidates = report_.trials.size();
    report_.screening.compiling = compiling_;
    report_.screening.measuring = measuring_;
  }

  double best_us() const { return report_.best ? report_.best->timing.median_us : 0; }

  void take_if_better(const Trial& trial) {
    if (report_.best && trial.timing.median_us >= best_us()) return;
    report_.best = trial;
    report_.best_was_known = false;
  }

  void note(Trial trial, const std::string& phase) {
    trial.seconds = elapsed();
    report_.trials.push_back(trial);
    if (!trial.is_good()) ++report_.failures[to_string(trial.outcome)];
    const bool refused = trial.outcome == tune::RecordOutcome::compile_error;
    if (!trial.is_repeated) refused_ = refused ? refused_ + 1 : 0;
    if (trial.is_good() && !report_.first) report_.first = trial;
    if (trial.is_good()) take_if_better(trial);
    TuneProgress progress{
        .evaluations = report_.trials.size(), .seconds = trial.seconds, .phase = phase};
    for (const auto& [kind, count] : report_.failures) progress.failures += count;
    if (report_.best) progress.best_us = best_us();
    on_trial_(trial, progress);
  }

  /// Different configurations, the fastest first.
  std::vector<ll::Config> best_few(size_t count) const {
    std::vector<const Trial*> good;
    for (const Trial& trial : report_.trials) {
      if (trial.is_good()) good.push_back(&trial);
    }
    for (const Trial& trial : options_.known) {
      if (trial.is_good()) good.push_back(&trial);
    }
    std::stable_sort(good.begin(), good.end(), [](const Trial* a, const Trial* b) {
      return a->timing.median_us < b->timing.median_us;
    });
    std::vector<ll::Config> configs;
    for (const Trial* trial : good) {
      ll::Config config = trial->config;
      if (!decides_compiler(options_)) {
        config.code.kernel.compiler.clear();
        config.code.kernel.flags.clear();
      }
      const bool known = std::find(configs.begin(), configs.end(), config) != configs.end();
      if (!known && configs.size() < count) configs.push_back(config);
    }
    return configs;
  }

  /// Outside of the configurations, for each compiler has a process of its own.
  std::vector<ll::Config> by_all_compilers(const std::vector<ll::Config>& configs) const {
    std::vector<ll::Config> all;
    for (const CompilerChoice& compiler : compilers_) {
      for (const ll::Config& config : configs) all.push_back(compiled_by(config, compiler));
    }
    return all;
  }

  // ---- near the best few

  /// Other compilers prefer other configurations: the best few by all of them, and those that were
  /// estimated to be the best, whatever the quick compiler made of them; then what is near the
  /// fastest by the compiler that made it.
  void refine(const PromisingSpace& near, const std::vector<tune::Point>& estimated) {
    std::vector<ll::Config> few = best_few(4);
    for (size_t n = 0; n < std::min<size_t>(3, estimated.size()); ++n) {
      const ll::Config config = space_.config(estimated[n]);
      if (std::find(few.begin(), few.end(), config) == few.end()) few.push_back(config);
    }
    candidates_.renew_processes();
    refine_by(by_all_compilers(few));
    while (!is_over(deciding)) {
      const std::vector<ll::Config> next = untried_near(near);
      if (next.empty()) return;
      refine_by(next);
    }
  }

  void refine_by(const std::vector<ll::Config>& configs) {
    if (is_over(deciding)) return;
    for (const ll::Config& config : configs) refined_keys_.insert(ll::print(config));
    const double to_beat = refined_.empty() ? 0 : refined_.front().timing.median_us;
    for (Trial& trial : screened(configs, Candidates::Together::none, "refining", to_beat)) {
      if (trial.is_good()) refined_.push_back(std::move(trial));
    }
    std::stable_sort(refined_.begin(), refined_.end(), [](const Trial& a, const Trial& b) {
      return a.timing.median_us < b.timing.median_us;
    });
  }

  /// Changes of one decision of the fastest few, and what the quick compiler made fast code of: by
  /// the compiler of the fastest, those first that are predicted to be best.
  std::vector<ll::Config> untried_near(const PromisingSpace& near) const {
    if (refined_.empty()) return {};
    const ll::KernelCode& code = refined_.front().config.code.kernel;
    const CompilerChoice compiler{code.compiler, code.flags};
    const std::vector<tune::Point> points = near_the_fastest(near);
    const std::vector<double> times =
        predicted_times(near, relative_times(), points, options_.seed);
    std::vector<size_t> order(points.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return times[a] < times[b]; });
    std::vector<ll::Config> configs;
    std::set<std::string> keys = refined_keys_;
    for (const size_t n : order) {
      const ll::Config config = compiled_by(space_.config(points[n]), compiler);
      if (!keys.insert(ll::print(config)).second || !space_.is_valid(points[n])) continue;
      configs.push_back(config);
      if (configs.size() == refined_at_once) break;
    }
    return configs;
  }

  static constexpr size_t refined_at_once = 8;

  std::vector<tune::Point> near_the_fastest(const PromisingSpace& near) const {
    std::vector<tune::Point> points;
    for (size_t n = 0; n < std::min<size_t>(3, refined_.size()); ++n) {
      const auto point = point_of(refined_[n].config);
      if (!point) continue;
      for (tune::Point& p : near.neighbours(*point)) points.push_back(std::move(p));
    }
    for (const ll::Config& config : best_few(24)) {
      if (const auto point = point_of(config)) points.push_back(*point);
    }
    return points;
  }

  std::vector<RelativeTime> relative_times() const {
    const auto compiler_of = [](const Trial& trial) {
      const ll::KernelCode& code = trial.config.code.kernel;
      return code.compiler + " " + join(code.flags, " ");
    };
    std::map<std::string, double> best;
    for (const Trial& trial : report_.trials) {
      if (!trial.is_good()) continue;
      double& least = best.try_emplace(compiler_of(trial), HUGE_VAL).first->second;
      least = std::min(least, trial.timing.median_us);
    }
    std::vector<RelativeTime> times;
    for (const Trial& trial : report_.trials) {
      const auto point = trial.is_good() ? point_of(trial.config) : std::nullopt;
      if (point) times.push_back({*point, trial.timing.median_us / best.at(compiler_of(trial))});
    }
    return times;
  }

  // ---- the final

  /// The fastest of the refined ones; the best few with all compilers where there are none.
  std::vector<ll::Config> finalists() const {
    std::vector<ll::Config> best;
    for (const Trial& trial : refined_) {
      if (best.size() < 5) best.push_back(trial.config);
    }
    if (!best.empty()) return best;
    return decides_compiler(options_) ? best_few(3) : by_all_compilers(best_few(3));
  }

  /// In turn, round by round.
  void decide() {
    std::vector<Trial> trials = candidates_.compile(finalists(), Candidates::Together::none);
    candidates_.renew_processes();
    std::vector<std::vector<double>> samples(trials.size());
    Effort effort = decision();
    for (int round = 0; round < 3; ++round) {
      if (round == 1) effort.best_us = 1e-9;  // all have been verified
      for (size_t n = 0; n < trials.size(); ++n) {
        if (options_.interrupted() || !trials[n].is_good()) continue;
        if (round > 0 && is_over(1.1)) break;
        candidates_.measure(n, effort, trials[n]);
        samples[n].push_back(trials[n].timing.median_us);
      }
    }
    for (size_t n = 0; n < trials.size(); ++n) {
      if (trials[n].is_good() && samples[n].empty()) continue;  // there was no time for it
      std::sort(samples[n].begin(), samples[n].end());
      if (trials[n].is_good()) trials[n].timing.median_us = samples[n][samples[n].size() / 2];
      note(trials[n], "final");
    }
  }

  /// Times of the final are better known than those of the search.
  void settle() {
    const Trial* best = nullptr;
    for (size_t n = report_.searched; n < report_.trials.size(); ++n) {
      const Trial& trial = report_.trials[n];
      const bool better =
          trial.is_good() && (!best || trial.timing.median_us < best->timing.median_us);
      if (better) best = &trial;
    }
    if (best) {
      report_.best = *best;
      report_.best_was_known = false;
    }
    if (report_.stopped_by.empty()) report_.stopped_by = "time";
  }

  const TuneOptions& options_;
  const OnTrial& on_trial_;
  model::Rates rates_;
  SearchSpace space_;
  Candidates candidates_;
  PointEstimate estimate_;
  std::vector<CompilerChoice> compilers_;
  TuneReport report_;
  std::map<std::string, tune::Outcome> seen_;  // by configuration
  size_t refused_ = 0;                         // the last trials did not compile
  std::vector<Trial> refined_;                 // by the compilers that decide, the fastest first
  std::set<std::string> refined_keys_;         // configurations with their compilers
  double compiling_ = 0, measuring_ = 0;       // seconds
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace

TuneReport tune(const hl::Program& program, const TuneOptions& options, const OnTrial& on_trial) {
  return TuningRun(program, options, on_trial).run();
}

}  // namespace mdh::driver
