// What a process computes on a GPU: a module of mdh, or a peer, which is a shared object that calls
// a library.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "mdh/runtime/device.h"
#include "mdh/runtime/worker/message.h"

namespace mdh::bench {

/// Buffers are handles of device memory, outputs first.
using Handles = std::span<void* const>;

class GpuJob {
 public:
  virtual ~GpuJob() = default;

  /// Versions, and how it computes.
  virtual std::string about() const { return {}; }

  /// New inputs are there: what is prepared once, untimed.
  virtual void load(Handles) {}

  /// Done on return.
  virtual void run(Handles buffers) = 0;

  /// The outputs are needed in the buffers; untimed.
  virtual void store(Handles) {}

  /// Each call is one measurement, as in runtime::LoadedKernel.
  virtual std::function<runtime::Lap()> stopwatch(Handles buffers, runtime::Caches caches) = 0;
};

std::unique_ptr<GpuJob> module_job(const runtime::WorkRequest& request,
                                   const runtime::Device& device);

/// bench/gpu/peers.h says what the shared object defines. "Missing" if its library is.
std::unique_ptr<GpuJob> peer_job(const runtime::WorkRequest& request);

}  // namespace mdh::bench
