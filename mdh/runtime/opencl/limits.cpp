#include "mdh/runtime/opencl/limits.h"

#include <algorithm>

#include "mdh/support/diagnostic.h"

namespace mdh::runtime::opencl {
namespace {

/// Some drivers count one element of local memory too many: a kernel that uses all of it must not
/// be refused for that. One that really asks for too much fails at its launch.
constexpr int64_t local_bytes_miscounted = 128;

[[noreturn]] void refuse(const kernel::Launch& launch, const Device& device,
                         const std::string& asked, int64_t allowed, const std::string& hint) {
  user_error("E615", {},
             fmt::format("kernel '{}' needs {}; {} ({}) has at most {}", launch.function, asked,
                         device.name, device.platform, allowed),
             hint);
}

void check_group(const kernel::Launch& launch, const FunctionNeeds& needs, const Device& device) {
  const std::string hint = "give the items of a group fewer parts";
  int64_t group = 1;
  for (size_t axis = 0; axis < 3; ++axis) {
    const int64_t items = launch.items[axis], most = device.max_work_item_sizes[axis];
    internal_check(items > 0 && launch.groups[axis] > 0, "kernel '{}' has an empty grid",
                   launch.function);
    if (items > most) {
      refuse(launch, device, fmt::format("{} items of a group along axis {}", items, axis), most,
             hint);
    }
    if (__builtin_mul_overflow(group, items, &group)) group = INT64_MAX;
  }
  const int64_t most = launch.items == needs.built_for
                           ? device.max_work_group_size
                           : std::min(device.max_work_group_size, needs.max_work_group_size);
  if (group > most) refuse(launch, device, fmt::format("groups of {} items", group), most, hint);
}

void check_grid(const kernel::Launch& launch, const Device& device) {
  for (size_t axis = 0; axis < 3; ++axis) {
    int64_t all = 0;
    if (__builtin_mul_overflow(launch.groups[axis], launch.items[axis], &all)) {
      refuse(launch, device,
             fmt::format("{} groups of {} items along axis {}", launch.groups[axis],
                         launch.items[axis], axis),
             INT64_MAX, "give the groups fewer parts");
    }
  }
}

void check_local(const kernel::Launch& launch, int64_t needed, int64_t slack,
                 const Device& device) {
  if (needed <= device.local_mem_bytes + slack) return;
  refuse(launch, device, fmt::format("{} bytes of local memory", needed), device.local_mem_bytes,
         "keep smaller tiles in local memory");
}

}  // namespace

void check_limits(const kernel::Launch& launch, const FunctionNeeds& needs, const Device& device) {
  check_group(launch, needs, device);
  check_grid(launch, device);
  check_local(launch, needs.local_bytes, local_bytes_miscounted, device);
}

void check_local_memory(const kernel::Module& module, const Device& device) {
  kernel::for_each_written_launch(module.steps, [&](const kernel::Launch& launch, size_t) {
    check_local(launch, launch.local_bytes, 0, device);
  });
}

void check_types(const kernel::Module& module, const Device& device) {
  for (const kernel::Argument& argument : module.arguments) {
    if (argument.type == "f64" && !device.has_fp64) {
      missing("E617",
              fmt::format("buffer '{}' holds doubles, which {} ({}) does not have", argument.name,
                          device.name, device.platform),
              "use f32, or another device");
    }
  }
}

}  // namespace mdh::runtime::opencl
