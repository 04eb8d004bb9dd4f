#include "mdh/runtime/opencl/launcher.h"

#include "mdh/support/diagnostic.h"

namespace mdh::runtime::opencl {
namespace {

constexpr size_t most_pending = 512;

cl_ulong moment(const Api& api, cl_event event, cl_profiling_info which) {
  cl_ulong nanoseconds = 0;
  check(api.get_event_profiling_info(event, which, sizeof nanoseconds, &nanoseconds, nullptr),
        "clGetEventProfilingInfo");
  return nanoseconds;
}

/// A function was built for its groups, and the driver finds out late that it cannot run them.
void check_group_size(cl_int status, const kernel::Launch& launch, const Device& device) {
  if (status != CL_INVALID_WORK_GROUP_SIZE) return;
  user_error("E615", {},
             fmt::format("kernel '{}' needs groups of {} x {} x {} items, which {} ({}) refuses",
                         launch.function, launch.items[0], launch.items[1], launch.items[2],
                         device.name, device.platform),
             "give the items of a group fewer parts");
}

}  // namespace

void Launcher::launch(cl_kernel function, const kernel::Launch& launch,
                      std::span<const int64_t> indices) {
  for (size_t n = 0; n < indices.size(); ++n) {
    const cl_long index = indices[n];
    check(on_.api.set_kernel_arg(function, static_cast<cl_uint>(first_index_ + n), sizeof index,
                                 &index),
          "clSetKernelArg");
  }
  size_t global[3], local[3];
  for (size_t axis = 0; axis < 3; ++axis) {
    local[axis] = static_cast<size_t>(launch.items[axis]);
    global[axis] = static_cast<size_t>(launch.groups[axis]) * local[axis];
  }
  ++time_.launches;
  cl_event event = nullptr;
  const bool is_ours = of_caller_ == nullptr, is_watched = is_ours && is_watching_;
  const cl_int status =
      on_.api.enqueue_nd_range_kernel(is_ours ? on_.queue.get() : of_caller_, function, 3, nullptr,
                                      global, local, 0, nullptr, is_watched ? &event : nullptr);
  check_group_size(status, launch, on_.device);
  if (!is_watched) return check(status, "clEnqueueNDRangeKernel");
  pending_.push_back(owned(event, on_.api.release_event, status, "clEnqueueNDRangeKernel"));
  if (pending_.size() >= most_pending) drain();
}

RunTime Launcher::finish() {
  drain();
  if (last_end_ > first_start_) {
    time_.device_us = static_cast<double>(last_end_ - first_start_) / 1000;
  }
  return time_;
}

/// The queue is in order: with the last launch all are done.
void Launcher::drain() {
  if (pending_.empty()) return;
  cl_event last = pending_.back().get();
  check(on_.api.wait_for_events(1, &last), "clWaitForEvents");
  if (last_end_ == 0) {
    first_start_ = moment(on_.api, pending_.front().get(), CL_PROFILING_COMMAND_START);
  }
  last_end_ = moment(on_.api, last, CL_PROFILING_COMMAND_END);
  pending_.clear();
}

}  // namespace mdh::runtime::opencl
