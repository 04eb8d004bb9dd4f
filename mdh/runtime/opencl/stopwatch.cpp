#include "mdh/runtime/opencl/stopwatch.h"

#include <utility>

#include "mdh/runtime/together.h"

namespace mdh::runtime::opencl {
namespace {

class Stopwatch {
 public:
  explicit Stopwatch(std::function<RunTime(int)> run) : run_(std::move(run)) {}

  Lap lap() {
    if (calls_ > 1) return together();
    const RunTime time = run_(1);
    alone_ = {device_time(time), time.wall_us};
    // Not at first, when the driver may still have to finish the kernel.
    if (++laps_ > 1 && is_short(alone_)) calls_ = calls_together(alone_);
    return alone_;
  }

 private:
  /// Its host's time is that of the call that was made alone.
  Lap together() const { return {device_time(run_(calls_)) / calls_, alone_.host_us}; }

  std::function<RunTime(int)> run_;
  int laps_ = 0;
  int calls_ = 1;
  Lap alone_;
};

}  // namespace

double device_time(const RunTime& time) {
  return time.device_us > 0 ? time.device_us : time.wall_us;
}

std::function<Lap()> stopwatch(std::function<RunTime(int calls)> run) {
  return [watch = Stopwatch(std::move(run))]() mutable { return watch.lap(); };
}

}  // namespace mdh::runtime::opencl
