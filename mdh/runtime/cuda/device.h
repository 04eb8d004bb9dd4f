// The CUDA devices of this machine, in plain numbers.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mdh/runtime/cuda/arch.h"
#include "mdh/runtime/device.h"

namespace mdh::runtime::cuda {

struct Device {
  int number = 0;   // cuda:0, cuda:1, ...
  int ordinal = 0;  // of the driver, which also counts devices that nobody may use
  std::string name;
  Arch arch;               // that kernels are built for
  int driver_version = 0;  // 13000 is CUDA 13.0; 0: there is no driver
  int64_t multiprocessors = 0;
  int64_t max_threads_per_block = 1024;
  std::array<int64_t, 3> max_block = {1024, 1024, 64};
  std::array<int64_t, 3> max_grid = {2147483647, 65535, 65535};
  int64_t shared_bytes = 49152;  // of a block, without asking
  int64_t shared_bytes_optin = 49152;
  int64_t registers_per_block = 65536;
  int64_t registers_per_multiprocessor = 65536;
  int64_t warp = 32;
  int64_t memory_bytes = 0;
  int64_t l2_bytes = 0;
  int64_t clock_khz = 0;
  int64_t memory_clock_khz = 0;  // 0 where the driver does not tell
  int64_t memory_bus_bits = 0;
  std::string place;     // on the bus, see runtime::Device; empty where the driver does not tell
  bool is_there = true;  // or only a description, to build for
};

/// All devices on which contexts are allowed, in the order of the driver, which passes over those
/// that CUDA_VISIBLE_DEVICES hides. Never empty: "missing"
/// (E641, E642) where there is no driver or no device.
std::vector<Device> devices();

/// The device "cuda:N"; "cuda" is the first one. The error names what there is. Where there is
/// none and MDH_CUDA_ARCH is set, a device of that kind, which is not there.
Device find_device(std::string_view name);

/// A device with the numbers of a usual one of its kind.
Device described(const Arch& arch);

GridNumbers grid_numbers(const Device& device);

/// Bytes per second between the device and its memory, both directions together; 0: unknown.
double memory_bandwidth(const Device& device);

/// "9.0".
std::string compute_capability(const Device& device);

/// One line per device, for messages and listings.
std::string summary(const Device& device);

DeviceInfo info_of(const Device& device);

}  // namespace mdh::runtime::cuda
