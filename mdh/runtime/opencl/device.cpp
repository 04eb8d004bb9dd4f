#include "mdh/runtime/opencl/device.h"

#include <fmt/format.h>

#include <algorithm>

#include "mdh/support/diagnostic.h"
#include "mdh/support/text.h"

namespace mdh::runtime::opencl {
namespace {

constexpr std::string_view prefix = "opencl";

int64_t number_in(std::string_view name) {
  if (name == prefix) return 0;
  long long number = -1;
  const bool begins = name.substr(0, prefix.size() + 1) == fmt::format("{}:", prefix);
  if (!begins || !to_integer(name.substr(prefix.size() + 1), number) || number < 0) {
    user_error("E613", {}, fmt::format("'{}' names no OpenCL device", name),
               "write opencl:N; the devices are counted from 0");
  }
  return number;
}

}  // namespace

std::string_view to_string(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::cpu:
      return "CPU";
    case DeviceKind::gpu:
      return "GPU";
    case DeviceKind::accelerator:
      return "accelerator";
    case DeviceKind::other:
      return "other";
  }
  return "other";
}

bool is_preferred(DeviceKind a, DeviceKind b) {
  const auto rank = [](DeviceKind kind) {
    constexpr DeviceKind order[] = {DeviceKind::gpu, DeviceKind::accelerator, DeviceKind::other,
                                    DeviceKind::cpu};
    return std::find(std::begin(order), std::end(order), kind) - std::begin(order);
  };
  return rank(a) < rank(b);
}

Device find_device(std::string_view name) {
  const int64_t number = number_in(name);
  std::vector<Device> all = devices();
  if (number < static_cast<int64_t>(all.size())) return all[static_cast<size_t>(number)];
  std::vector<std::string> lines;
  for (const Device& device : all) lines.push_back(summary(device));
  missing("E614", fmt::format("there is no OpenCL device {}", number),
          "known: " + join(lines, "; "));
}

GridNumbers grid_numbers(const Device& device) {
  return {.groups_at_once = device.compute_units,
          .items_per_group = device.max_work_group_size,
          .local_bytes = device.local_mem_bytes,
          .global_bytes = device.global_mem_bytes,
          .warp = device.warp};
}

std::string summary(const Device& device) {
  return fmt::format("opencl:{}  {} ({}), {}, {} compute unit{}", device.number, device.name,
                     device.platform, to_string(device.kind), device.compute_units,
                     device.compute_units == 1 ? "" : "s");
}

}  // namespace mdh::runtime::opencl
