// Timing: warm up, repeat until the mean is known well enough, report the median.
#pragma once

#include <functional>
#include <vector>

namespace mdh::runtime {

struct Timing {
  double median_us = 0;
  double mean_us = 0;
  double ci99_us = 0;  // half width of the 99 % confidence interval of the mean
  int count = 0;
  double load = 0;     // share of the time that other programs took from it, if that was counted
  double host_us = 0;  // by the clock of the host, of a run with what it took to start it
};

/// What a run finds in the caches of its device.
enum class Caches {
  warm,  // what the run before it has left there
  cold,  // nothing of its own: something larger is written before each run
};

struct TimingLimits {
  int warm_up = 2;
  int least = 5;
  int most = 1000;
  double seconds = 1.0;    // no further repetition after this
  double accuracy = 0.05;  // stop when the interval is within this share of the mean
  Caches caches = Caches::warm;
};

/// Statistics of samples in microseconds; Student's t for the interval.
Timing summarize(std::vector<double> samples_us);

Timing measure(const std::function<void()>& run, const TimingLimits& limits = {});

/// The same of what has a clock of its own: each run returns its microseconds. The host's clock runs
/// as well.
Timing measure_by(const std::function<double()>& run_us, const TimingLimits& limits = {});

/// A run by both clocks. Where many are measured together, the host's is that of one alone.
struct Lap {
  double device_us = 0;
  double host_us = 0;
};

/// The same of what reads both clocks itself.
Timing measure_laps(const std::function<Lap()>& lap, const TimingLimits& limits = {});

/// Time of `peer` over time of `ours`: both run in turn, the median of the ratios of all rounds.
double interleaved_ratio(const std::function<void()>& ours, const std::function<void()>& peer,
                         const TimingLimits& limits = {});

}  // namespace mdh::runtime
