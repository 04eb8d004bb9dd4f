#include "mdh/runtime/cuda/stopwatch.h"

#include <algorithm>
#include <chrono>

#include "mdh/runtime/cuda/graph.h"
#include "mdh/runtime/cuda/memory.h"
#include "mdh/runtime/cuda/moment.h"
#include "mdh/runtime/together.h"
#include "mdh/support/diagnostic.h"

namespace mdh::runtime::cuda {
namespace {

using Clock = std::chrono::steady_clock;

class Stopwatch {
 public:
  Stopwatch(std::shared_ptr<const Context> context, Launches launches, Caches caches)
      : context_(std::move(context)),
        launches_(std::move(launches)),
        caches_(caches),
        start_(context_),
        end_(context_) {}

  Lap lap() {
    const Current here(*context_);
    if (caches_ == Caches::cold) {
      make_cold();
      return alone();
    }
    if (graph_) return together();
    const Lap one = alone();
    ++laps_;
    // One by one for ever, if not at first, when a kernel may still have to be loaded.
    if (!is_short(one)) is_refused_ = laps_ > 1;
    if (!is_short(one) || is_refused_) return one;
    capture(one);
    return graph_ ? together() : one;
  }

 private:
  Lap alone() const {
    const auto before = Clock::now();
    start_.record();
    launches_(context_->stream());
    end_.record();
    context_->wait();
    const std::chrono::duration<double, std::micro> host = Clock::now() - before;
    return {end_.microseconds_since(start_), host.count()};
  }

  /// Its host's time is that of the call that was made alone.
  Lap together() const {
    graph_->launch();
    context_->wait();
    return {end_.microseconds_since(start_) / calls_, host_us_};
  }

  void capture(const Lap& one) {
    calls_ = calls_together(one);
    host_us_ = one.host_us;
    try {
      graph_ = Graph::of(context_, [&](CuStream stream) {
        start_.record_in_graph(stream);
        for (int n = 0; n < calls_; ++n) launches_(stream);
        end_.record_in_graph(stream);
      });
      if (graph_) together();  // the first time it is taken to the device
    } catch (const Error&) {
      if (context_->is_lost()) throw;
      graph_ = nullptr;  // a driver that cannot do it says so late
    }
    is_refused_ = graph_ == nullptr;
  }

  void make_cold() {
    if (!flush_) {
      constexpr int64_t least = int64_t{64} << 20;  // where the driver does not tell
      const int64_t bytes = std::max(2 * context_->device.l2_bytes, least);
      flush_ = allocate(context_, bytes, "what makes caches cold");
    }
    poison(*context_, *flush_);
  }

  std::shared_ptr<const Context> context_;
  Launches launches_;
  Caches caches_;
  Moment start_, end_;
  std::unique_ptr<const Graph> graph_;
  bool is_refused_ = false;
  int laps_ = 0;
  int calls_ = 1;
  double host_us_ = 0;
  std::shared_ptr<const DeviceMemory> flush_;
};

}  // namespace

std::function<Lap()> stopwatch(std::shared_ptr<const Context> context, Launches launches,
                               Caches caches) {
  const auto watch = std::make_shared<Stopwatch>(std::move(context), std::move(launches), caches);
  return [watch] { return watch->lap(); };
}

}  // namespace mdh::runtime::cuda
