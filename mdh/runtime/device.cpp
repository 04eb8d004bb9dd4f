#include "mdh/runtime/device.h"

#include "mdh/support/diagnostic.h"

namespace mdh::runtime {

std::function<Lap()> LoadedKernel::stopwatch(const RunOn& on, Caches caches) const {
  require_warm(caches);
  return [this, on] {
    using Clock = std::chrono::steady_clock;
    const auto before = Clock::now();
    const double device_us = timed_run(on);
    return Lap{device_us, std::chrono::duration<double, std::micro>(Clock::now() - before).count()};
  };
}

}  // namespace mdh::runtime
