// One device, opened: what kernels are built for and memory is allocated on.
#pragma once

#include <memory>

#include "mdh/runtime/opencl/device.h"

namespace mdh::runtime::opencl {

/// Copies are the same context; it is closed with the last of them and of what was made with it.
/// Its commands run in the order in which they are given. Any number of threads may use a context:
/// their commands wait in one queue.
class Context {
 public:
  explicit Context(const Device& device);

  const Device& device() const;

  struct Handles;  // OpenCL's own, in handles.h
  const Handles& handles() const { return *handles_; }

 private:
  std::shared_ptr<const Handles> handles_;
};

}  // namespace mdh::runtime::opencl
