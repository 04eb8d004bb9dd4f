#include "mdh/runtime/opencl/context.h"

#include "mdh/runtime/opencl/discover.h"
#include "mdh/runtime/opencl/handles.h"
#include "mdh/support/diagnostic.h"

namespace mdh::runtime::opencl {
namespace {

Discovered found_again(const Device& device) {
  for (Discovered& one : discover(api())) {
    if (one.device.number == device.number && one.device.name == device.name) return one;
  }
  internal_failure(false, fmt::format("'{}' is no device of this machine", summary(device)));
}

Owned<cl_context> create_context(const Discovered& on) {
  const cl_context_properties properties[] = {
      CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(on.platform), 0};
  cl_int status = CL_SUCCESS;
  cl_context context = api().create_context(properties, 1, &on.id, nullptr, nullptr, &status);
  return owned(context, api().release_context, status, "clCreateContext");
}

Owned<cl_command_queue> create_queue(cl_context context, cl_device_id id) {
  cl_int status = CL_SUCCESS;
  cl_command_queue queue =
      api().create_command_queue(context, id, CL_QUEUE_PROFILING_ENABLE, &status);
  return owned(queue, api().release_command_queue, status, "clCreateCommandQueue");
}

}  // namespace

Context::Context(const Device& device) {
  const Discovered found = found_again(device);
  Owned<cl_context> context = create_context(found);
  Owned<cl_command_queue> queue = create_queue(context.get(), found.id);
  handles_ = std::make_shared<const Handles>(
      Handles{api(), found.device, found.id, std::move(context), std::move(queue)});
}

const Device& Context::device() const { return handles_->device; }

}  // namespace mdh::runtime::opencl
