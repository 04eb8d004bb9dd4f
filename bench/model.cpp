#include "bench/model.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>
#include <span>

#include "mdh/calibration/rates.h"
#include "mdh/search/first_choice.h"
#include "mdh/support/diagnostic.h"
#include "mdh/support/text.h"
#include "mdh/tuning/compiler_choice.h"

namespace mdh::bench {
namespace {

using tuning::CompilerChoice;

/// Configurations that are compiled together, as many as in a search.
constexpr size_t batch_size = 8;

/// One that takes so many times the best is slow, however often it is run.
constexpr double hopeless = 30;

/// Different ones: points may mean the same configuration, and small programs have few.
std::vector<tune::Point> draw(const search::SearchSpace& space, size_t count, uint64_t seed) {
  Random random(seed);
  std::vector<tune::Point> points;
  std::set<std::string> known;
  for (size_t tries = 0; points.size() < count && tries < 20 * count + 100; ++tries) {
    const tune::Point point = space.sample(random);
    if (known.insert(ll::print(space.config(point))).second) points.push_back(point);
  }
  return points;
}

/// How often something can be done in a second, tried for a while.
double per_second(const std::function<void(size_t n)>& once) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const double seconds = 0.3;
  for (size_t n = 0;; ++n) {
    const double spent = std::chrono::duration<double>(Clock::now() - start).count();
    if (spent > seconds) return static_cast<double>(n) / spent;
    once(n);
  }
}

/// What a search does most often.
void measure_speed(const search::SearchSpace& space, search::PointEstimate& estimate,
                   const std::vector<tune::Point>& points, ModelReport& report) {
  if (points.empty()) return;
  const auto some = [&](size_t n) -> const tune::Point& { return points[n % points.size()]; };
  report.estimates_per_second = per_second([&](size_t n) { estimate(space, some(n)); });
  report.checks_per_second = per_second([&](size_t n) { space.is_valid(some(n)); });
}

void estimate_all(const ModelOptions& options, const CompilerChoice& compiler,
                  ModelReport& report) {
  const model::Rates& rates = report.rate_values;
  const machine::Machine& machine = options.candidates.machine;
  const search::SearchSpace space(options.program, machine,
                                  {.cores = options.candidates.threads,
                                   .vectors = {rates.vector_bytes, rates.registers},
                                   .locks = {"compiler=default"}});
  search::PointEstimate estimate(machine, rates);
  const std::vector<tune::Point> points = draw(space, options.count, options.seed);
  for (const tune::Point& point : points) {
    const double nanoseconds = estimate(space, point);
    internal_check(std::isfinite(nanoseconds), "an estimate of {} ns", nanoseconds);
    report.configs.push_back(
        {.config = compiled_by(space.config(point), compiler), .estimate_us = nanoseconds / 1e3});
  }
  measure_speed(space, estimate, points, report);
}

/// A slow one is run once more and no further. It is not given up during its first run, which a
/// search would do: a time that is not known has no rank.
tuning::Effort effort(double best_us) {
  tuning::Effort effort{.best_us = best_us};
  if (best_us <= 0) return effort;
  effort.look = runtime::TimingLimits{.warm_up = 0, .least = 1, .most = 1, .seconds = 0};
  effort.look_us = hopeless * best_us;
  return effort;
}

enum class Stage { compilation, run };

std::string kind_of(const tuning::Trial& trial, Stage stage) {
  if (trial.outcome != tune::RecordOutcome::timeout) return to_string(trial.outcome);
  return stage == Stage::compilation ? "compile_timeout" : "run_timeout";
}

void take(const tuning::Trial& trial, Stage stage, Ranked& ranked) {
  ranked.outcome = kind_of(trial, stage);
  ranked.reason = trial.reason;
  ranked.verified = trial.verified;
  if (trial.is_good()) ranked.timing = trial.timing;
}

class Measurement {
 public:
  explicit Measurement(const ModelOptions& options)
      : options_(options), candidates_(options.program, options.candidates) {}

  void run(std::vector<Ranked>& all) {
    for (size_t begin = 0; begin < all.size(); begin += batch_size) {
      const size_t end = std::min(all.size(), begin + batch_size);
      run(std::span(all).subspan(begin, end - begin));
      const std::string best = best_us_ > 0 ? fmt::format(", best {:.6g} us", best_us_) : "";
      options_.progress(fmt::format("{} of {}, {} failed{}", end, all.size(), failed_, best));
    }
  }

 private:
  void run(std::span<Ranked> batch) {
    std::vector<ll::Config> configs;
    for (const Ranked& ranked : batch) configs.push_back(ranked.config);
    std::vector<tuning::Trial> trials =
        candidates_.compile(configs, tuning::Candidates::Together::all);
    for (size_t n = 0; n < batch.size(); ++n) {
      const Stage stage = trials[n].is_good() ? Stage::run : Stage::compilation;
      candidates_.measure(n, effort(best_us_), trials[n]);
      take(trials[n], stage, batch[n]);
      note(batch[n]);
    }
  }

  void note(const Ranked& ranked) {
    if (!ranked.is_measured()) {
      ++failed_;
    } else if (best_us_ <= 0 || ranked.timing.median_us < best_us_) {
      best_us_ = ranked.timing.median_us;
    }
  }

  const ModelOptions& options_;
  tuning::Candidates candidates_;
  double best_us_ = 0;
  size_t failed_ = 0;
};

/// What is known before anything is measured.
ModelReport begun(const ModelOptions& options, const CompilerChoice& compiler) {
  const int threads = options.candidates.threads;
  ModelReport report{.program = options.program.name,
                     .sizes = options.sizes,
                     .machine = this_machine(),
                     .version = options.version};
  report.compiler = fmt::format("{} {}", compiler.compiler, join(compiler.flags, " "));
  report.rates = calibration::known_rates(threads).source;
  report.rate_values = calibration::rates_of(options.candidates.machine, threads);
  report.threads = threads;
  report.seed = options.seed;
  report.asked = options.count;
  return report;
}

}  // namespace

ModelReport measure_model(const ModelOptions& options) {
  const CompilerChoice compiler = quick_compiler(tuning::compilers_here());
  ModelReport report = begun(options, compiler);
  options.progress(fmt::format("estimating {} configurations", options.count));
  estimate_all(options, compiler, report);
  Measurement(options).run(report.configs);
  return report;
}

ModelReport measured_again(const std::string& file, const ModelOptions& options) {
  const CompilerChoice compiler = quick_compiler(tuning::compilers_here());
  const ModelReport then = estimated_again(file, options);
  ModelReport report = begun(options, compiler);
  report.seed = then.seed;
  report.asked = then.asked;
  for (const Ranked& one : then.configs) {
    const ll::Config config = compiled_by(one.config, compiler);
    const double nanoseconds = search::estimated_cost(options.program, options.candidates.machine,
                                                      config, report.rate_values);
    report.configs.push_back({.config = config, .estimate_us = nanoseconds / 1e3});
  }
  Measurement(options).run(report.configs);
  return report;
}

}  // namespace mdh::bench
