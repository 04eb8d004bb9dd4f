#include "mdh/runtime/cuda/device.h"

#include <fmt/format.h>

#include "mdh/support/diagnostic.h"
#include "mdh/support/text.h"

namespace mdh::runtime::cuda {
namespace {

constexpr std::string_view device_prefix = "cuda";

int64_t number_of_device(std::string_view name) {
  if (name == device_prefix) return 0;
  long long number = -1;
  const bool begins = name.substr(0, device_prefix.size() + 1) == fmt::format("{}:", device_prefix);
  if (!begins || !to_integer(name.substr(device_prefix.size() + 1), number) || number < 0) {
    user_error("E643", {}, fmt::format("'{}' names no CUDA device", name),
               "write cuda:N; the devices are counted from 0");
  }
  return number;
}

/// What a usual device of a kind has.
struct Kind {
  int arch;
  const char* name;
  int64_t multiprocessors;
  int64_t shared_bytes_optin;
  int64_t memory_gib;
};

constexpr int64_t kib = 1024;

/// Of 32 bits, in the instruction sets of all that mdh builds for.
constexpr int64_t most_registers_of_a_thread = 255;
constexpr Kind kinds[] = {
    {70, "V100", 80, 96 * kib, 16},       {75, "T4", 40, 64 * kib, 16},
    {80, "A100", 108, 163 * kib, 40},     {86, "A10", 72, 99 * kib, 24},
    {87, "Orin", 16, 163 * kib, 32},      {89, "L40", 142, 99 * kib, 48},
    {90, "H100", 132, 227 * kib, 80},     {100, "B200", 148, 227 * kib, 180},
    {120, "RTX 5090", 170, 99 * kib, 32},
};

/// The latest one that is not later.
const Kind& kind_of(const Arch& arch) {
  const Kind* found = &kinds[0];
  for (const Kind& kind : kinds) {
    if (kind.arch <= arch.number) found = &kind;
  }
  return *found;
}

std::vector<Device> devices_or_description() {
  const std::optional<Arch> arch = arch_of_user();
  if (!arch) return devices();
  try {
    std::vector<Device> all = devices();
    for (Device& device : all) device.arch = *arch;
    return all;
  } catch (const Error& e) {
    if (e.diagnostic().kind != DiagnosticKind::missing) throw;
    return {described(*arch)};
  }
}

}  // namespace

Device find_device(std::string_view name) {
  const int64_t number = number_of_device(name);
  const std::vector<Device> all = devices_or_description();
  if (number < static_cast<int64_t>(all.size())) return all[static_cast<size_t>(number)];
  std::vector<std::string> lines;
  for (const Device& device : all) lines.push_back(summary(device));
  missing("E644", fmt::format("there is no CUDA device {}", number), "known: " + join(lines, "; "));
}

Device described(const Arch& arch) {
  const Kind& kind = kind_of(arch);
  Device device{.name = fmt::format("no device, numbers of {}", kind.name), .arch = arch};
  device.multiprocessors = kind.multiprocessors;
  device.shared_bytes_optin = kind.shared_bytes_optin;
  device.memory_bytes = kind.memory_gib << 30;
  device.is_there = false;
  return device;
}

GridNumbers grid_numbers(const Device& device) {
  return {.groups_at_once = device.multiprocessors,
          .items_per_group = device.max_threads_per_block,
          .local_bytes = device.shared_bytes_optin,
          .global_bytes = device.memory_bytes,
          .lockstep = device.warp,
          .warp = device.warp,
          .copies_in_flight = device.arch.number >= 80,
          .groups_of_cluster = device.arch.number >= 90 ? 8 : 1,  // some devices run 16
          .register_bytes = 4 * std::min(most_registers_of_a_thread, device.registers_per_block),
          .groups_per_axis = device.max_grid};
}

double memory_bandwidth(const Device& device) {
  // Two transfers in a cycle.
  return 2.0 * 1000 * static_cast<double>(device.memory_clock_khz) *
         static_cast<double>(device.memory_bus_bits) / 8;
}

std::string compute_capability(const Device& device) {
  return fmt::format("{}.{}", device.arch.number / 10, device.arch.number % 10);
}

std::string summary(const Device& device) {
  return fmt::format("cuda:{}  {}, compute capability {}, {} multiprocessor{}", device.number,
                     device.name, compute_capability(device), device.multiprocessors,
                     device.multiprocessors == 1 ? "" : "s");
}

DeviceInfo info_of(const Device& device) {
  DeviceInfo info{device.name, fmt::format("cuda:{} GPU", device.number), {}};
  const auto add = [&](const char* what, std::string value) {
    info.details.emplace_back(what, std::move(value));
  };
  add("compute capability", compute_capability(device));
  add("driver",
      fmt::format("CUDA {}.{}", device.driver_version / 1000, device.driver_version % 1000 / 10));
  add("multiprocessors", std::to_string(device.multiprocessors));
  add("memory", fmt::format("{:.1f} GiB", static_cast<double>(device.memory_bytes) / (1 << 30)));
  if (const double rate = memory_bandwidth(device); rate > 0) {
    add("memory bandwidth", fmt::format("{:.0f} GB/s", rate * 1e-9));
  }
  add("L2 cache", fmt::format("{} bytes", device.l2_bytes));
  add("shared memory", fmt::format("{} bytes of a block", device.shared_bytes_optin));
  add("registers", fmt::format("{} of a block, {} of a multiprocessor", device.registers_per_block,
                               device.registers_per_multiprocessor));
  add("threads of a block", std::to_string(device.max_threads_per_block));
  add("threads of a warp", std::to_string(device.warp));
  if (device.clock_khz > 0) {
    add("clock", fmt::format("{:.0f} MHz", static_cast<double>(device.clock_khz) / 1000));
  }
  return info;
}

}  // namespace mdh::runtime::cuda
