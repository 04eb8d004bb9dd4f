// One device, opened: what kernels are loaded into and memory is allocated in.
#pragma once

#include <atomic>
#include <memory>

#include "mdh/runtime/cuda/device.h"
#include "mdh/runtime/cuda/driver_api.h"

namespace mdh::runtime::cuda {

/// The primary context of a device, which libraries such as cuBLAS or PyTorch use as well: their
/// pointers and streams can be used here. There is one per process and device, closed with the last
/// of what was made with it. Any number of threads may use it: their commands wait in one stream.
class Context {
 public:
  /// "Missing" if the device is not there.
  static std::shared_ptr<const Context> of(const Device& device);

  Context(const DriverApi& driver_api, Device of_device);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const DriverApi& api;
  const Device device;

  CuStream stream() const { return stream_; }
  CuContext handle() const { return context_; }

  /// As check() of driver_api.h, and remembers what has broken the context.
  void check(CuResult status, const char* call) const;

  /// Until all that was put into the stream is done.
  void wait() const { check(api.stream_synchronize(stream_), "cuStreamSynchronize"); }

  /// A kernel has broken it, and nothing works here any more.
  bool is_lost() const { return is_lost_; }

 private:
  CuDevice id_ = 0;
  CuContext context_ = nullptr;
  CuStream stream_ = nullptr;
  mutable std::atomic<bool> is_lost_{false};
};

/// Makes a context that of this thread as long as the object lives, and then the one before it
/// again. Every use of the driver needs this, whatever the caller has made current.
class Current {
 public:
  explicit Current(const Context& context);
  ~Current();
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;

 private:
  const DriverApi& api_;
};

}  // namespace mdh::runtime::cuda
