#include <algorithm>

#include "mdh/runtime/cuda/device.h"
#include "mdh/runtime/cuda/driver_api.h"
#include "mdh/runtime/cuda/hints.h"
#include "mdh/support/diagnostic.h"
#include "mdh/support/text.h"

namespace mdh::runtime::cuda {
namespace {

/// Asks one device.
struct AttributeOf {
  const DriverApi& api;
  CuDevice id;

  int64_t operator()(DeviceAttribute what) const {
    int answer = 0;
    check(api.device_get_attribute(&answer, what, id), "cuDeviceGetAttribute");
    return answer;
  }

  /// 0 where a driver does not tell, or does not any more.
  int64_t if_known(DeviceAttribute what) const {
    int answer = 0;
    return api.device_get_attribute(&answer, what, id) == success ? answer : 0;
  }
};

/// A bus is never 0 where there is a GPU, and neither is what a driver does not tell.
std::string place_of(const AttributeOf& ask) {
  const int64_t bus = ask.if_known(pci_bus);
  return bus == 0 ? "" : bus_place(ask.if_known(pci_domain), bus, ask.if_known(pci_device));
}

std::string name_of(const DriverApi& api, CuDevice id) {
  std::array<char, 256> name{};
  check(api.device_get_name(name.data(), static_cast<int>(name.size()) - 1, id), "cuDeviceGetName");
  return in_ascii(name.data());
}

int64_t memory_of(const DriverApi& api, CuDevice id) {
  size_t bytes = 0;
  check(api.device_total_mem(&bytes, id), "cuDeviceTotalMem");
  return static_cast<int64_t>(bytes);
}

Device describe(const DriverApi& api, CuDevice id) {
  const AttributeOf ask{api, id};
  Device device{.name = name_of(api, id)};
  device.arch.number =
      static_cast<int>(10 * ask(compute_capability_major) + ask(compute_capability_minor));
  device.multiprocessors = ask(multiprocessor_count);
  device.max_threads_per_block = ask(max_threads_per_block);
  device.max_block = {ask(max_block_dim_x), ask(max_block_dim_y), ask(max_block_dim_z)};
  device.max_grid = {ask(max_grid_dim_x), ask(max_grid_dim_y), ask(max_grid_dim_z)};
  device.shared_bytes = ask(max_shared_memory_per_block);
  device.shared_bytes_optin =
      std::max(device.shared_bytes, ask.if_known(max_shared_memory_per_block_optin));
  device.registers_per_block = ask(max_registers_per_block);
  device.registers_per_multiprocessor = ask(max_registers_per_multiprocessor);
  device.warp = ask(warp_size);
  device.memory_bytes = memory_of(api, id);
  device.l2_bytes = ask.if_known(l2_cache_size);
  device.clock_khz = ask.if_known(clock_rate);
  device.memory_clock_khz = ask.if_known(memory_clock_rate);
  device.memory_bus_bits = ask.if_known(global_memory_bus_width);
  device.place = place_of(ask);
  return device;
}

int version_of(const DriverApi& api) {
  int version = 0;
  check(api.driver_get_version(&version), "cuDriverGetVersion");
  return version;
}

}  // namespace

std::vector<Device> devices() {
  const DriverApi& api = driver();
  int count = 0;
  check(api.device_get_count(&count), "cuDeviceGetCount");
  std::vector<Device> all;
  for (int n = 0; n < count; ++n) {
    CuDevice id = 0;
    check(api.device_get(&id, n), "cuDeviceGet");
    if (AttributeOf{api, id}.if_known(compute_mode) == compute_mode_prohibited) continue;
    all.push_back(describe(api, id));
    all.back().number = static_cast<int>(all.size()) - 1;
    all.back().ordinal = n;
    all.back().driver_version = version_of(api);
  }
  if (all.empty()) missing("E642", "there is no CUDA device", how_to_see_a_device);
  return all;
}

}  // namespace mdh::runtime::cuda
