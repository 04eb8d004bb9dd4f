// The types and numbers of the CUDA driver and of NVRTC that mdh uses, as their headers have them.
// mdh needs neither header: both libraries are opened at run time, and their binary interface does
// not change. Where cuda.h is there, headers_test.cpp compares.
#pragma once

#include <cstddef>

// Opaque in cuda.h as well; under the same names, so that the two can be compared.
struct CUctx_st;
struct CUmod_st;
struct CUfunc_st;
struct CUstream_st;
struct CUevent_st;
struct CUgraph_st;
struct CUgraphExec_st;
struct _nvrtcProgram;

namespace mdh::runtime::cuda {

using CuResult = int;  // an enumeration
using CuDevice = int;
using CuPointer = unsigned long long;
using CuContext = CUctx_st*;
using CuModule = CUmod_st*;
using CuFunction = CUfunc_st*;
using CuStream = CUstream_st*;
using CuEvent = CUevent_st*;
using CuGraph = CUgraph_st*;
using CuGraphExec = CUgraphExec_st*;
using NvrtcResult = int;  // an enumeration
using NvrtcProgram = _nvrtcProgram*;

/// What cuDeviceGetAttribute is asked.
enum DeviceAttribute : int {
  max_threads_per_block = 1,
  max_block_dim_x = 2,
  max_block_dim_y = 3,
  max_block_dim_z = 4,
  max_grid_dim_x = 5,
  max_grid_dim_y = 6,
  max_grid_dim_z = 7,
  max_shared_memory_per_block = 8,
  warp_size = 10,
  max_registers_per_block = 12,
  clock_rate = 13,  // kHz
  multiprocessor_count = 16,
  compute_mode = 20,
  pci_bus = 33,
  pci_device = 34,
  memory_clock_rate = 36,        // kHz
  global_memory_bus_width = 37,  // bits
  l2_cache_size = 38,
  pci_domain = 50,
  compute_capability_major = 75,
  compute_capability_minor = 76,
  max_registers_per_multiprocessor = 82,
  max_shared_memory_per_block_optin = 97,
};

/// What cuFuncGetAttribute is asked.
enum FunctionAttribute : int {
  function_max_threads_per_block = 0,
  function_shared_size_bytes = 1,
  function_local_size_bytes = 3,
  function_num_regs = 4,
  function_max_dynamic_shared_size_bytes = 8,
};

/// What cuModuleLoadDataEx is told.
enum JitOption : int { jit_error_log_buffer = 5, jit_error_log_buffer_size_bytes = 6 };

inline constexpr int compute_mode_prohibited = 2;
inline constexpr unsigned stream_non_blocking = 1;
inline constexpr unsigned event_default = 0;
inline constexpr unsigned event_record_external = 1;
inline constexpr int capture_relaxed = 2;

/// How cuLaunchKernelEx is asked to launch.
struct LaunchAttribute {
  int id;
  int padding;
  union {
    int allowed;
    char bytes[64];
  } value;
};
struct LaunchConfig {
  unsigned grid[3];
  unsigned block[3];
  unsigned shared_bytes;
  CuStream stream;
  LaunchAttribute* attributes;
  unsigned attribute_count;
};
/// The launch may be prepared before the one before it in the stream ends: it waits for that itself.
inline constexpr int launch_waits_by_itself = 6;

/// The results that mdh tells apart; status.cpp has the names of all.
enum Status : int {
  success = 0,
  invalid_value = 1,
  out_of_memory = 2,
  not_initialized = 3,
  stub_library = 34,
  device_unavailable = 46,
  no_device = 100,
  invalid_device = 101,
  device_not_licensed = 102,
  invalid_image = 200,
  invalid_context = 201,
  no_binary_for_gpu = 209,
  ecc_uncorrectable = 214,
  invalid_ptx = 218,
  nvlink_uncorrectable = 220,
  jit_compiler_not_found = 221,
  unsupported_ptx_version = 222,
  jit_compilation_disabled = 223,
  contained = 226,
  not_found = 500,
  illegal_address = 700,
  launch_out_of_resources = 701,
  launch_timeout = 702,
  context_is_destroyed = 709,
  device_assert = 710,
  hardware_stack_error = 714,
  illegal_instruction = 715,
  misaligned_address = 716,
  invalid_address_space = 717,
  invalid_pc = 718,
  launch_failed = 719,
  tensor_memory_leak = 721,
  system_not_ready = 802,
  system_driver_mismatch = 803,
  compat_not_supported_on_device = 804,
  mps_connection_failed = 805,
  mps_server_not_ready = 807,
  mps_max_clients_reached = 808,
  mps_max_connections_reached = 809,
  mps_client_terminated = 810,
  unknown = 999,
};

inline constexpr NvrtcResult nvrtc_success = 0;
inline constexpr NvrtcResult nvrtc_compilation_failed = 6;

}  // namespace mdh::runtime::cuda
