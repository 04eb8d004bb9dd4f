#include "mdh/runtime/cuda/limits.h"

#include "mdh/support/diagnostic.h"

namespace mdh::runtime::cuda {
namespace {

constexpr const char* fewer_items = "give the items of a group fewer parts";

[[noreturn]] void refuse_launch(const kernel::Launch& launch, const Device& device,
                                const std::string& asked, int64_t allowed,
                                const std::string& hint) {
  user_error("E615", {},
             fmt::format("kernel '{}' needs {}; {} has at most {}", launch.function, asked,
                         device.name, allowed),
             hint);
}

int64_t threads_of(const kernel::Launch& launch) {
  int64_t threads = 1;
  for (const int64_t items : launch.items) {
    if (__builtin_mul_overflow(threads, items, &threads)) return INT64_MAX;
  }
  return threads;
}

void check_grid_and_block(const kernel::Launch& launch, const Device& device) {
  for (size_t axis = 0; axis < 3; ++axis) {
    const int64_t items = launch.items[axis], groups = launch.groups[axis];
    internal_check(items > 0 && groups > 0, "kernel '{}' has an empty grid", launch.function);
    if (items > device.max_block[axis]) {
      refuse_launch(launch, device, fmt::format("{} items of a group along axis {}", items, axis),
                    device.max_block[axis], fewer_items);
    }
    if (groups > device.max_grid[axis]) {
      refuse_launch(launch, device, fmt::format("{} groups along axis {}", groups, axis),
                    device.max_grid[axis], "give the groups fewer parts, or another axis by a tag");
    }
  }
  if (threads_of(launch) > device.max_threads_per_block) {
    refuse_launch(launch, device, fmt::format("groups of {} items", threads_of(launch)),
                  device.max_threads_per_block, fewer_items);
  }
}

void check_shared(const kernel::Launch& launch, int64_t bytes, const Device& device) {
  if (bytes <= device.shared_bytes_optin) return;
  refuse_launch(launch, device, fmt::format("{} bytes of local memory", bytes),
                device.shared_bytes_optin, "keep smaller tiles in local memory");
}

void check_cluster(const kernel::Launch& launch, const Device& device) {
  const int64_t groups = launch.cluster[0] * launch.cluster[1] * launch.cluster[2];
  const int64_t most = grid_numbers(device).groups_of_cluster;
  if (groups <= most) return;
  refuse_launch(launch, device, fmt::format("clusters of {} groups", groups), most,
                "let the last group combine, or a launch of its own: last_core, partials_kernel");
}

/// Of a thread, on all devices: the driver has no attribute for it, and launches fail without a
/// reason.
constexpr int64_t most_stack_bytes = 512 * 1024;

/// Registers are given to whole warps, eight to a thread at a time.
int64_t registers_taken(const FunctionNeeds& needs, int64_t threads, const Device& device) {
  const int64_t each = (needs.registers + 7) / 8 * 8;
  const int64_t warps = (threads + device.warp - 1) / device.warp;
  return each * warps * device.warp;
}

}  // namespace

void check_launches(const kernel::Module& module, const Device& device) {
  kernel::for_each_written_launch(module.steps, [&](const kernel::Launch& launch, size_t) {
    check_grid_and_block(launch, device);
    check_shared(launch, launch.local_bytes, device);
    check_cluster(launch, device);
  });
}

void check_function(const kernel::Launch& launch, const FunctionNeeds& needs,
                    const Device& device) {
  check_shared(launch, launch.local_bytes + needs.shared_bytes, device);
  if (needs.stack_bytes > most_stack_bytes) {
    refuse_launch(launch, device,
                  fmt::format("{} bytes of private memory for each item", needs.stack_bytes),
                  most_stack_bytes, "keep smaller tiles in private memory");
  }
  const int64_t threads = threads_of(launch);
  if (registers_taken(needs, threads, device) > device.registers_per_block) {
    refuse_launch(
        launch, device,
        fmt::format("{} registers for each of the {} items of a group", needs.registers, threads),
        device.registers_per_block,
        "give the items of a group fewer parts, or keep smaller tiles in registers");
  }
  if (threads > needs.max_threads) {
    user_error("E615", {},
               fmt::format("kernel '{}' needs groups of {} items; {} runs it with at most {}",
                           launch.function, threads, device.name, needs.max_threads),
               fewer_items);
  }
}

}  // namespace mdh::runtime::cuda
