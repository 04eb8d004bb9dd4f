#include <algorithm>
#include <cmath>
#include <numeric>

#include "mdh/ll/print.h"
#include "mdh/support/text.h"
#include "mdh/tuning/tuning_run.h"

namespace mdh::tuning {
namespace {

constexpr size_t refined_at_once = 8;

/// By all compilers at once: more would take too long in a short search.
constexpr size_t few_at_once = 2;

std::string compiler_of(const Trial& trial) {
  const ll::KernelCode& code = trial.config.code.kernel;
  return code.compiler + " " + join(code.flags, " ");
}

}  // namespace

/// Different configurations, the best first.
std::vector<ll::Config> TuningRun::best_few(size_t count) const {
  std::vector<const Trial*> good;
  for (const Trial& trial : report_.trials) {
    if (trial.is_good()) good.push_back(&trial);
  }
  for (const Trial& trial : options_.known) {
    if (trial.is_good()) good.push_back(&trial);
  }
  std::stable_sort(good.begin(), good.end(),
                   [](const Trial* a, const Trial* b) { return is_better(*a, *b); });
  std::vector<ll::Config> configs;
  for (const Trial* trial : good) {
    ll::Config config = trial->config;
    if (chooses_compiler(options_)) {
      config.code.kernel.compiler.clear();
      config.code.kernel.flags.clear();
    }
    const bool known = std::find(configs.begin(), configs.end(), config) != configs.end();
    if (!known && configs.size() < count) configs.push_back(config);
  }
  return configs;
}

/// Outside of the configurations, for each compiler has a process of its own.
std::vector<ll::Config> TuningRun::by_all_compilers(const std::vector<ll::Config>& configs) const {
  std::vector<ll::Config> all;
  for (const CompilerChoice& compiler : compilers_) {
    for (const ll::Config& config : configs) all.push_back(compiled_by(config, compiler));
  }
  return all;
}

void TuningRun::refine(const search::PromisingSpace& near,
                       const std::vector<tune::Point>& estimated) {
  std::vector<ll::Config> few = best_few(4);
  for (size_t n = 0; n < std::min<size_t>(3, estimated.size()); ++n) {
    const ll::Config config = space_.config(estimated[n]);
    if (std::find(few.begin(), few.end(), config) == few.end()) few.push_back(config);
  }
  candidates_.renew_processes();
  for (size_t n = 0; n < few.size(); n += few_at_once) {
    const auto begin = few.begin() + static_cast<ptrdiff_t>(n);
    const auto end = few.begin() + static_cast<ptrdiff_t>(std::min(n + few_at_once, few.size()));
    refine_by(by_all_compilers({begin, end}));
  }
  while (!is_over(deciding)) {
    const std::vector<ll::Config> next = untried_near(near);
    if (next.empty()) return;
    refine_by(next);
  }
}

void TuningRun::refine_by(const std::vector<ll::Config>& configs) {
  if (is_over(deciding)) return;
  for (const ll::Config& config : configs) refined_keys_.insert(ll::print(config));
  const double to_beat = refined_.empty() ? 0 : refined_.front().timing.median_us;
  for (Trial& trial : screened(configs, Candidates::Together::none, "refining", to_beat)) {
    if (trial.is_good()) refined_.push_back(std::move(trial));
  }
  std::stable_sort(refined_.begin(), refined_.end(), is_better);
}

/// Changes of one decision of the fastest few, and what the quick compiler made fast code of: by
/// the compiler of the fastest, those first that are predicted to be best.
std::vector<ll::Config> TuningRun::untried_near(const search::PromisingSpace& near) const {
  if (refined_.empty()) return {};
  const ll::KernelCode& code = refined_.front().config.code.kernel;
  const CompilerChoice compiler{code.compiler, code.flags};
  const std::vector<tune::Point> points = near_the_fastest(near);
  const std::vector<double> times = predicted_times(near, relative_times(), points, options_.seed);
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

std::vector<tune::Point> TuningRun::near_the_fastest(const search::PromisingSpace& near) const {
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

std::vector<RelativeTime> TuningRun::relative_times() const {
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

}  // namespace mdh::tuning
