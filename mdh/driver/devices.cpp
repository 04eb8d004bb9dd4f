#include "mdh/driver/devices.h"

#include "mdh/calibration/machine_identity.h"
#include "mdh/runtime/host/devices.h"
#include "mdh/runtime/opencl/device.h"

namespace mdh::driver {

namespace {

/// None where there is no OpenCL, or no device.
std::vector<runtime::DeviceInfo> opencl_devices() {
  std::vector<runtime::DeviceInfo> all;
  try {
    for (const runtime::opencl::Device& d : runtime::opencl::devices()) {
      runtime::DeviceInfo info{
          d.name, fmt::format("opencl:{} {}", d.number, to_string(d.kind)), {}};
      info.details = {{"platform", d.platform},
                      {"version", d.version},
                      {"compute units", std::to_string(d.compute_units)},
                      {"items of a group", std::to_string(d.max_work_group_size)},
                      {"local memory", fmt::format("{} bytes", d.local_mem_bytes)},
                      {"doubles", d.has_fp64 ? "yes" : "no"}};
      all.push_back(std::move(info));
    }
  } catch (const Error& e) {
    if (e.diagnostic().kind != DiagnosticKind::missing) throw;
  }
  return all;
}

tune::MachineIdentity device_identity(const std::string& name) {
  const runtime::opencl::Device device = runtime::opencl::find_device(name);
  return {device.vendor,
          device.name,
          device.compute_units,
          fmt::format("{}, driver {}", device.version, device.driver),
          {{"local", device.local_mem_bytes}}};
}

}  // namespace

const std::vector<DeviceSource>& device_sources() {
  static const std::vector<DeviceSource> table = {
      {"host", runtime::host::devices},
      {"opencl", opencl_devices},
  };
  return table;
}

std::vector<runtime::DeviceInfo> all_devices() {
  std::vector<runtime::DeviceInfo> all;
  for (const DeviceSource& source : device_sources()) {
    for (runtime::DeviceInfo& device : source.list()) all.push_back(std::move(device));
  }
  return all;
}

machine::Machine machine_of(const Target& target, const std::string& device) {
  machine::Machine m = machine::find_machine(target.machine);
  if (target.name != "opencl") return m;
  const auto numbers = runtime::opencl::machine_numbers(
      runtime::opencl::find_device(device.empty() ? "opencl" : device));
  for (machine::Region& region : m.regions) {
    if (region.owner == "BLK") region.capacity = numbers.local_bytes;
  }
  for (machine::Layer& layer : m.layers) {
    if (layer.name == "BLK") layer.count = numbers.groups_at_once;
    if (layer.name == "THR") layer.count = numbers.items_per_group;
  }
  for (machine::Constraint& rule : m.constraints) {
    auto* most = std::get_if<machine::PartsAtMost>(&rule);
    if (most && most->layers == std::vector<std::string>{"THR"}) {
      most->limit = numbers.items_per_group;
    }
  }
  return m;
}

tune::MachineIdentity identity_of(const Target& target, const std::string& device) {
  if (target.name != "opencl") return calibration::host_identity();
  return device_identity(device.empty() ? "opencl" : device);
}

}  // namespace mdh::driver
