#include <dlfcn.h>

#include <algorithm>
#include <vector>

#include "bench/runner/gpu_job.h"
#include "mdh/runtime/cuda/memory.h"
#include "mdh/runtime/cuda/stopwatch.h"
#include "mdh/support/diagnostic.h"

namespace mdh::bench {
namespace {

namespace cuda = runtime::cuda;

/// The functions of a peer; null where it has none.
struct PeerFunctions {
  const char* (*open)(long);
  const char* (*about)();
  long (*workspace_bytes)();
  const char* (*load)(void**, char*, void*);
  const char* (*store)(void**, char*, void*);
  long (*count_ways)();
  const char* (*choose_way)(long);
  int (*run)(void**, char*, void*);
};

PeerFunctions functions_of(const std::string& file) {
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) missing("E843", fmt::format("{}", dlerror()));
  const auto find = [&]<class F>(F& place, const char* name) {
    place = reinterpret_cast<F>(dlsym(library, name));
  };
  PeerFunctions all{};
  find(all.open, "open_peer");
  find(all.about, "about");
  find(all.workspace_bytes, "workspace_bytes");
  find(all.load, "load_peer");
  find(all.store, "store_peer");
  find(all.count_ways, "count_ways");
  find(all.choose_way, "choose_way");
  find(all.run, "run");
  if (all.run == nullptr) missing("E843", "has no function run");
  return all;
}

void check(const char* complaint) {
  if (complaint != nullptr) missing("E843", complaint);
}

class PeerJob : public GpuJob {
 public:
  explicit PeerJob(const runtime::WorkRequest& request)
      : context_(cuda::Context::of(cuda::find_device(request.device))),
        call_(functions_of(request.library)) {
    const cuda::Current here(*context_);
    if (call_.open != nullptr) check(call_.open(0));
    const long bytes = call_.workspace_bytes != nullptr ? call_.workspace_bytes() : 0;
    if (bytes > 0) workspace_ = cuda::allocate(context_, bytes, "the workspace of a library");
  }

  std::string about() const override {
    const std::string versions = call_.about != nullptr ? call_.about() : "";
    return versions + (way_.empty() ? "" : ": " + way_);
  }

  void load(Handles buffers) override {
    const cuda::Current here(*context_);
    std::vector<void*> pointers(buffers.begin(), buffers.end());
    if (call_.load != nullptr) check(call_.load(pointers.data(), workspace(), stream()));
    context_->wait();
    if (call_.count_ways != nullptr && way_.empty()) choose_best(buffers);
  }

  void run(Handles buffers) override {
    const cuda::Current here(*context_);
    launch(buffers, stream());
    context_->wait();
  }

  void store(Handles buffers) override {
    const cuda::Current here(*context_);
    std::vector<void*> pointers(buffers.begin(), buffers.end());
    if (call_.store != nullptr) check(call_.store(pointers.data(), workspace(), stream()));
    context_->wait();
  }

  std::function<runtime::Lap()> stopwatch(Handles buffers, runtime::Caches caches) override {
    const std::vector<void*> kept(buffers.begin(), buffers.end());
    return cuda::stopwatch(
        context_, [this, kept](cuda::CuStream stream) { launch(kept, stream); }, caches);
  }

 private:
  void* stream() const { return context_->stream(); }
  char* workspace() const {
    return workspace_ ? static_cast<char*>(workspace_->handle()) : nullptr;
  }

  void launch(Handles buffers, void* stream) const {
    std::vector<void*> pointers(buffers.begin(), buffers.end());
    const int status = call_.run(pointers.data(), workspace(), stream);
    if (status != 0) missing("E843", fmt::format("the library returned status {}", status));
  }

  /// Libraries have several ways to compute the same: the fastest one counts.
  void choose_best(Handles buffers) {
    double best = 0;
    long chosen = -1, possible = 0;
    std::string refusal = "none";
    for (long n = 0; n < call_.count_ways(); ++n) {
      try {
        const char* name = call_.choose_way(n);
        if (name == nullptr) continue;
        const std::string described = name;
        const double us = time_of_way(buffers);
        ++possible;
        if (chosen >= 0 && us >= best) continue;
        best = us;
        chosen = n;
        way_ = described;
      } catch (const Error& e) {
        if (context_->is_lost()) throw;
        refusal = e.diagnostic().message;
      }
    }
    if (chosen < 0) missing("E843", fmt::format("no way to compute it works: {}", refusal));
    call_.choose_way(chosen);
    way_ += fmt::format(", best of {}", possible);
  }

  double time_of_way(Handles buffers) {
    run(buffers);
    const std::function<runtime::Lap()> watch = stopwatch(buffers, runtime::Caches::warm);
    std::vector<double> laps;
    for (int n = 0; n < 6; ++n) laps.push_back(watch().device_us);
    return *std::min_element(laps.begin() + 2, laps.end());
  }

  std::shared_ptr<const cuda::Context> context_;
  PeerFunctions call_;
  std::shared_ptr<const runtime::DeviceMemory> workspace_;
  std::string way_;  // that was chosen
};

}  // namespace

std::unique_ptr<GpuJob> peer_job(const runtime::WorkRequest& request) {
  return std::make_unique<PeerJob>(request);
}

}  // namespace mdh::bench
