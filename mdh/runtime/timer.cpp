#include "mdh/runtime/timer.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <numeric>

namespace mdh::runtime {
namespace {

using Clock = std::chrono::steady_clock;

double microseconds(Clock::duration d) {
  return std::chrono::duration<double, std::micro>(d).count();
}

/// Two-sided 99 % quantile of Student's t; between the table's rows the next smaller number of
/// degrees is on the safe side.
double student_t99(int degrees) {
  struct Row {
    int degrees;
    double t;
  };
  constexpr std::array<Row, 12> table = {{{1, 63.66},
                                          {2, 9.925},
                                          {3, 5.841},
                                          {4, 4.604},
                                          {5, 4.032},
                                          {6, 3.707},
                                          {8, 3.355},
                                          {10, 3.169},
                                          {15, 2.947},
                                          {20, 2.845},
                                          {40, 2.704},
                                          {100, 2.626}}};
  double t = table[0].t;
  for (const Row& row : table) {
    if (degrees >= row.degrees) t = row.t;
  }
  return t;
}

/// What decides when to stop, in no time: between two short runs, threads that wait for the next
/// one fall asleep and caches lose what it needs.
struct RunningMean {
  int count = 0;
  double mean = 0, squares = 0;  // of deviations

  void add(double sample) {
    const double before = sample - mean;
    mean += before / ++count;
    squares += before * (sample - mean);
  }

  double ci99() const {
    if (count < 2) return 0;
    const double deviation = std::sqrt(squares / (count - 1));
    return student_t99(count - 1) * deviation / std::sqrt(count);
  }
};

}  // namespace

Timing summarize(std::vector<double> samples) {
  Timing timing;
  timing.count = static_cast<int>(samples.size());
  if (samples.empty()) return timing;
  std::sort(samples.begin(), samples.end());
  const size_t middle = samples.size() / 2;
  timing.median_us =
      samples.size() % 2 == 1 ? samples[middle] : (samples[middle - 1] + samples[middle]) / 2;
  timing.mean_us = std::accumulate(samples.begin(), samples.end(), 0.0) / timing.count;
  if (timing.count < 2) return timing;
  double squares = 0;
  for (const double x : samples) squares += (x - timing.mean_us) * (x - timing.mean_us);
  const double deviation = std::sqrt(squares / (timing.count - 1));
  timing.ci99_us = student_t99(timing.count - 1) * deviation / std::sqrt(timing.count);
  return timing;
}

double interleaved_ratio(const std::function<void()>& ours, const std::function<void()>& peer,
                         const TimingLimits& limits) {
  std::vector<double> ratios;
  const auto start = Clock::now();
  for (int round = 0; round < limits.warm_up + limits.most; ++round) {
    const auto before = Clock::now();
    ours();
    const auto between = Clock::now();
    peer();
    const auto after = Clock::now();
    if (round < limits.warm_up) continue;
    ratios.push_back(microseconds(after - between) / microseconds(between - before));
    const bool late = microseconds(after - start) > limits.seconds * 1e6;
    if (late && static_cast<int>(ratios.size()) >= limits.least) break;
  }
  return summarize(ratios).median_us;
}

Timing measure(const std::function<void()>& run, const TimingLimits& limits) {
  const auto timed = [&] {
    const auto before = Clock::now();
    run();
    return microseconds(Clock::now() - before);
  };
  return measure_by(timed, limits);
}

Timing measure_by(const std::function<double()>& run_us, const TimingLimits& limits) {
  const auto lap = [&] {
    const auto before = Clock::now();
    const double device_us = run_us();
    return Lap{device_us, microseconds(Clock::now() - before)};
  };
  return measure_laps(lap, limits);
}

Timing measure_laps(const std::function<Lap()>& lap, const TimingLimits& limits) {
  for (int n = 0; n < limits.warm_up; ++n) lap();
  std::vector<double> samples;
  samples.reserve(static_cast<size_t>(std::clamp(limits.most, 1, 4096)));
  std::vector<double> by_host;
  by_host.reserve(samples.capacity());
  RunningMean mean;
  const auto start = Clock::now();
  while (mean.count < limits.most) {
    const Lap one = lap();
    samples.push_back(one.device_us);
    by_host.push_back(one.host_us);
    mean.add(one.device_us);
    const bool known = mean.ci99() <= limits.accuracy * mean.mean;
    const bool late = microseconds(Clock::now() - start) > limits.seconds * 1e6;
    if (mean.count >= limits.least && (known || late)) break;
  }
  Timing timing = summarize(std::move(samples));
  timing.host_us = summarize(std::move(by_host)).median_us;
  return timing;
}

}  // namespace mdh::runtime
