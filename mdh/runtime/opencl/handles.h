// What stands behind contexts and memory. Only the sources of this folder include this header.
#pragma once

#include "mdh/runtime/opencl/api.h"
#include "mdh/runtime/opencl/context.h"
#include "mdh/runtime/opencl/memory.h"

namespace mdh::runtime::opencl {

struct Context::Handles {
  const Api& api;
  Device device;
  cl_device_id id;
  Owned<cl_context> context;
  Owned<cl_command_queue> queue;  // in order, with profiling
};

struct Memory::Buffers {
  std::vector<Owned<cl_mem>> all;
};

/// A buffer of at least some bytes: OpenCL knows no empty ones.
Owned<cl_mem> allocate(const Context::Handles& on, int64_t bytes, const std::string& what);

}  // namespace mdh::runtime::opencl
