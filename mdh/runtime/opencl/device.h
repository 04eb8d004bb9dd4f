// The OpenCL devices of this machine, in plain numbers. Needs no header of OpenCL.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mdh/runtime/device.h"

namespace mdh::runtime::opencl {

enum class DeviceKind { cpu, gpu, accelerator, other };

std::string_view to_string(DeviceKind kind);

struct Device {
  int number = 0;  // opencl:0, opencl:1, ... over all platforms
  std::string name;
  std::string platform;
  std::string vendor;
  std::string version;  // "OpenCL 3.0 ..."
  std::string driver;
  DeviceKind kind = DeviceKind::other;
  int64_t compute_units = 0;
  int64_t max_work_group_size = 0;
  std::array<int64_t, 3> max_work_item_sizes = {0, 0, 0};  // of a group, per axis
  int64_t local_mem_bytes = 0;                             // of a group
  int64_t global_mem_bytes = 0;
  int64_t max_allocation_bytes = 0;      // of one buffer
  int64_t cache_bytes = 0;               // between it and the global memory; 0: none, or unknown
  int64_t clock_mhz = 0;                 // 0: unknown
  bool has_dedicated_local_mem = false;  // otherwise it is a part of the global memory
  bool has_fp64 = false;
  bool has_exact_fp32_division = false;  // division and square root rounded as IEEE 754 wants
  bool has_fp32_subnormals = false;
  int64_t warp = 0;   // items that run together, of GPUs whose driver tells; 0: unknown
  std::string place;  // on the bus, see runtime::Device; empty where the driver does not tell
};

/// Who says `opencl` on a machine with a GPU means the GPU, in whatever order the loader finds
/// drivers: GPUs come before accelerators, and CPUs last.
bool is_preferred(DeviceKind a, DeviceKind b);

/// All devices that can compile and run kernels, in the order in which opencl:N counts them:
/// preferred kinds first. Never empty: "missing", with what to install, where there is no loader or
/// no device.
std::vector<Device> devices();

/// The device "opencl:N"; "opencl" is the first one. The error names what there is.
Device find_device(std::string_view name);

GridNumbers grid_numbers(const Device& device);

/// One line per device, for messages and listings: "opencl:0  pthread-cortex-a72 (PoCL), 4 units".
std::string summary(const Device& device);

}  // namespace mdh::runtime::opencl
