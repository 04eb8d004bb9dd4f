// Compares what types.h and the two interfaces say with NVIDIA's own headers, where these are there.
#include <gtest/gtest.h>

#include <type_traits>

#include "mdh/runtime/cuda/driver_api.h"
#include "mdh/runtime/cuda/nvrtc.h"

#if __has_include(<cuda.h>)
#include <cuda.h>
#define MDH_HAS_CUDA_H 1
#endif
#if __has_include(<nvrtc.h>)
#include <nvrtc.h>
#define MDH_HAS_NVRTC_H 1
#endif

namespace mdh::runtime::cuda::headers_test {
namespace {

/// Enumerations are numbers to us; all else has to be the same.
template <class Ours, class Theirs>
constexpr bool agree() {
  if constexpr (std::is_pointer_v<Ours> && std::is_pointer_v<Theirs>) {
    return agree<std::remove_pointer_t<Ours>, std::remove_pointer_t<Theirs>>();
  } else if constexpr (std::is_enum_v<Theirs>) {
    return std::is_same_v<Ours, int> && sizeof(Theirs) == sizeof(int);
  } else {
    return std::is_same_v<Ours, Theirs>;
  }
}

template <class Ours, class Theirs>
struct Signatures : std::false_type {};

template <class A, class... As, class B, class... Bs>
requires(sizeof...(As) == sizeof...(Bs)) struct Signatures<A (*)(As...), B (*)(Bs...)>
    : std::bool_constant<agree<A, B>() && (agree<As, Bs>() && ...)> {
};

template <class Ours, class Theirs>
constexpr bool agrees = Signatures<Ours, Theirs>::value;

TEST(CudaHeaders, comparison_can_fail) {
  enum Named {};
  EXPECT_FALSE((agrees<int (*)(int), int (*)(long)>));
  EXPECT_FALSE((agrees<int (*)(int), int (*)()>));
  EXPECT_FALSE((agrees<int (*)(CuModule*), int (*)(CuFunction*)>));
  EXPECT_FALSE((agrees<int (*)(long*), int (*)(Named*)>));
  EXPECT_TRUE((agrees<int (*)(void*), Named (*)(void*)>));
}

#ifdef MDH_HAS_CUDA_H

// The names in cuda.h are macros, which add "_v2" and the like themselves.
TEST(CudaHeaders, driver_has_these_functions) {
  EXPECT_TRUE((agrees<decltype(DriverApi::init), decltype(&cuInit)>));
  EXPECT_TRUE((agrees<decltype(DriverApi::driver_get_version), decltype(&cuDriverGetVersion)>));
  EXPECT_TRUE((agrees<decltype(DriverApi::device_get_count), decltype(&cuDeviceGetCount)>));
  EXPECT_TRUE((agrees<decltype(DriverApi::device_get), decltype(&cuDeviceGet)>));
  EXPECT_TRUE((agrees<decltype(DriverApi::device_get_name), decltype(&cuDeviceGetName)>));
  EXPECT_TRUE((agrees<decltype(DriverApi::device_total_mem), decltype(&cuDeviceTotalMem)>));
  EXPECT_TRUE((agrees<decltype(DriverApi::device_get_attribute), decltype(&cuDeviceGetAttribute)>));
  EXPECT_TRUE((
      agrees<decltype(DriverApi::device_primary_ctx_retain), decltype(&cuDevicePrimaryCtxRetain)>));
  EXPECT_TRUE((agrees<decltype(DriverApi::device_primary_ctx_release),
                      decltype(&cuDevicePrimaryCtxRelease)>));
  EXPECT_TRUE((agrees<decltype(DriverApi::ctx_push_current), decltype(&cuCtxPushCurrent)>));
  EXPECT_TRUE((agrees<decltype(DriverApi::ctx_pop_current), decltype(&cuCtxPopCurrent)>));
  EXPECT_TRUE((agrees<decltype(DriverApi::module_load_data_ex), decltype(&cuModuleLoadDataEx)>));
  EXPECT_TRUE((agrees<decltype(DriverApi::module_unload), decltype(&cuModuleUnload)>));
  EXPECT_TRUE((agrees<decltype(DriverApi::module_get_function), decltype(&cuModuleGetFunction)>));
  EXPECT_TRUE((agrees<decltype(DriverApi::func_get_attribute), decltype(&cuFuncGetAttribute)>));
  EXPECT_TRUE((agrees<decltype(DriverApi::func_set_attribute), decltype(&cuFuncSetAttribute)>));
  EXPECT_TRUE((agrees<decltype(DriverApi::launch_kernel), decltype(&cuLaunchKernel)>));
  EXPECT_TRUE((agrees<decltype(DriverApi::mem_alloc), decltype(&cuMemAlloc)>));
  EXPECT_TRUE((agrees<decltype(DriverApi::mem_free), decltype(&cuMemFree)>));
  EXPECT_TRUE((agrees<decltype(DriverApi::memcpy_htod_async), decltype(&cuMemcpyHtoDAsync)>));
  EXPECT_TRUE((agrees<decltype(DriverApi::memcpy_dtoh_async), decltype(&cuMemcpyDtoHAsync)>));
  EXPECT_TRUE((agrees<decltype(DriverApi::memset_d8_async), decltype(&cuMemsetD8Async)>));
  EXPECT_TRUE((agrees<decltype(DriverApi::stream_create), decltype(&cuStreamCreate)>));
  EXPECT_TRUE((agrees<decltype(DriverApi::stream_destroy), decltype(&cuStreamDestroy)>));
  EXPECT_TRUE((agrees<decltype(DriverApi::stream_synchronize), decltype(&cuStreamSynchronize)>));
  EXPECT_TRUE((agrees<decltype(DriverApi::event_create), decltype(&cuEventCreate)>));
  EXPECT_TRUE((agrees<decltype(DriverApi::event_destroy), decltype(&cuEventDestroy)>));
  EXPECT_TRUE((agrees<decltype(DriverApi::event_record), decltype(&cuEventRecord)>));
  EXPECT_TRUE((agrees<decltype(DriverApi::event_synchronize), decltype(&cuEventSynchronize)>));
  EXPECT_TRUE((agrees<decltype(DriverApi::event_elapsed_time), decltype(&cuEventElapsedTime)>));
  EXPECT_TRUE((agrees<decltype(DriverApi::stream_begin_capture), decltype(&cuStreamBeginCapture)>));
  EXPECT_TRUE((agrees<decltype(DriverApi::stream_end_capture), decltype(&cuStreamEndCapture)>));
  EXPECT_TRUE(
      (agrees<decltype(DriverApi::event_record_with_flags), decltype(&cuEventRecordWithFlags)>));
  EXPECT_TRUE(
      (agrees<decltype(DriverApi::graph_instantiate), decltype(&cuGraphInstantiateWithFlags)>));
  EXPECT_TRUE((agrees<decltype(DriverApi::graph_launch), decltype(&cuGraphLaunch)>));
  EXPECT_TRUE((agrees<decltype(DriverApi::graph_exec_destroy), decltype(&cuGraphExecDestroy)>));
  EXPECT_TRUE((agrees<decltype(DriverApi::graph_destroy), decltype(&cuGraphDestroy)>));
  EXPECT_TRUE((agrees<decltype(DriverApi::module_get_global), decltype(&cuModuleGetGlobal)>));
#if CUDA_VERSION >= 12040
  EXPECT_TRUE((agrees<decltype(DriverApi::func_get_param_info), decltype(&cuFuncGetParamInfo)>));
#endif
}

#if CUDA_VERSION >= 11080
TEST(CudaHeaders, launches_are_asked_for_in_this_form) {
  EXPECT_EQ(sizeof(LaunchAttribute), sizeof(CUlaunchAttribute));
  EXPECT_EQ(offsetof(LaunchAttribute, value), offsetof(CUlaunchAttribute, value));
  EXPECT_EQ(sizeof(LaunchConfig), sizeof(CUlaunchConfig));
  EXPECT_EQ(offsetof(LaunchConfig, block), offsetof(CUlaunchConfig, blockDimX));
  EXPECT_EQ(offsetof(LaunchConfig, shared_bytes), offsetof(CUlaunchConfig, sharedMemBytes));
  EXPECT_EQ(offsetof(LaunchConfig, stream), offsetof(CUlaunchConfig, hStream));
  EXPECT_EQ(offsetof(LaunchConfig, attributes), offsetof(CUlaunchConfig, attrs));
  EXPECT_EQ(offsetof(LaunchConfig, attribute_count), offsetof(CUlaunchConfig, numAttrs));
  EXPECT_EQ(launch_waits_by_itself, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
}
#endif

TEST(CudaHeaders, attributes_have_these_numbers) {
  EXPECT_EQ(int{max_threads_per_block}, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  EXPECT_EQ(int{max_block_dim_x}, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X);
  EXPECT_EQ(int{max_block_dim_y}, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y);
  EXPECT_EQ(int{max_block_dim_z}, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z);
  EXPECT_EQ(int{max_grid_dim_x}, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X);
  EXPECT_EQ(int{max_grid_dim_y}, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y);
  EXPECT_EQ(int{max_grid_dim_z}, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z);
  EXPECT_EQ(int{max_shared_memory_per_block}, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  EXPECT_EQ(int{warp_size}, CU_DEVICE_ATTRIBUTE_WARP_SIZE);
  EXPECT_EQ(int{max_registers_per_block}, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
  EXPECT_EQ(int{clock_rate}, CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
  EXPECT_EQ(int{multiprocessor_count}, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  EXPECT_EQ(int{compute_mode}, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE);
  EXPECT_EQ(int{memory_clock_rate}, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
  EXPECT_EQ(int{global_memory_bus_width}, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
  EXPECT_EQ(int{l2_cache_size}, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  EXPECT_EQ(int{pci_bus}, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID);
  EXPECT_EQ(int{pci_device}, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID);
  EXPECT_EQ(int{pci_domain}, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID);
  EXPECT_EQ(int{compute_capability_major}, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  EXPECT_EQ(int{compute_capability_minor}, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  EXPECT_EQ(int{max_registers_per_multiprocessor},
            CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
  EXPECT_EQ(int{max_shared_memory_per_block_optin},
            CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  EXPECT_EQ(int{function_max_threads_per_block}, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  EXPECT_EQ(int{function_shared_size_bytes}, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  EXPECT_EQ(int{function_local_size_bytes}, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  EXPECT_EQ(int{function_num_regs}, CU_FUNC_ATTRIBUTE_NUM_REGS);
  EXPECT_EQ(int{function_max_dynamic_shared_size_bytes},
            CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
}

TEST(CudaHeaders, options_have_these_numbers) {
  EXPECT_EQ(int{jit_error_log_buffer}, CU_JIT_ERROR_LOG_BUFFER);
  EXPECT_EQ(int{jit_error_log_buffer_size_bytes}, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
  EXPECT_EQ(compute_mode_prohibited, CU_COMPUTEMODE_PROHIBITED);
  EXPECT_EQ(stream_non_blocking, unsigned{CU_STREAM_NON_BLOCKING});
  EXPECT_EQ(event_default, unsigned{CU_EVENT_DEFAULT});
  EXPECT_EQ(event_record_external, unsigned{CU_EVENT_RECORD_EXTERNAL});
  EXPECT_EQ(capture_relaxed, int{CU_STREAM_CAPTURE_MODE_RELAXED});
}

TEST(CudaHeaders, results_have_these_numbers) {
  EXPECT_EQ(int{success}, CUDA_SUCCESS);
  EXPECT_EQ(int{invalid_value}, CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(int{out_of_memory}, CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(int{not_initialized}, CUDA_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(int{stub_library}, CUDA_ERROR_STUB_LIBRARY);
  EXPECT_EQ(int{device_unavailable}, CUDA_ERROR_DEVICE_UNAVAILABLE);
  EXPECT_EQ(int{no_device}, CUDA_ERROR_NO_DEVICE);
  EXPECT_EQ(int{invalid_device}, CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(int{device_not_licensed}, CUDA_ERROR_DEVICE_NOT_LICENSED);
  EXPECT_EQ(int{invalid_image}, CUDA_ERROR_INVALID_IMAGE);
  EXPECT_EQ(int{invalid_context}, CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(int{no_binary_for_gpu}, CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_EQ(int{ecc_uncorrectable}, CUDA_ERROR_ECC_UNCORRECTABLE);
  EXPECT_EQ(int{invalid_ptx}, CUDA_ERROR_INVALID_PTX);
  EXPECT_EQ(int{nvlink_uncorrectable}, CUDA_ERROR_NVLINK_UNCORRECTABLE);
  EXPECT_EQ(int{jit_compiler_not_found}, CUDA_ERROR_JIT_COMPILER_NOT_FOUND);
  EXPECT_EQ(int{unsupported_ptx_version}, CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
  EXPECT_EQ(int{jit_compilation_disabled}, CUDA_ERROR_JIT_COMPILATION_DISABLED);
  EXPECT_EQ(int{not_found}, CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(int{illegal_address}, CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(int{launch_out_of_resources}, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  EXPECT_EQ(int{launch_timeout}, CUDA_ERROR_LAUNCH_TIMEOUT);
  EXPECT_EQ(int{context_is_destroyed}, CUDA_ERROR_CONTEXT_IS_DESTROYED);
  EXPECT_EQ(int{device_assert}, CUDA_ERROR_ASSERT);
  EXPECT_EQ(int{hardware_stack_error}, CUDA_ERROR_HARDWARE_STACK_ERROR);
  EXPECT_EQ(int{illegal_instruction}, CUDA_ERROR_ILLEGAL_INSTRUCTION);
  EXPECT_EQ(int{misaligned_address}, CUDA_ERROR_MISALIGNED_ADDRESS);
  EXPECT_EQ(int{invalid_address_space}, CUDA_ERROR_INVALID_ADDRESS_SPACE);
  EXPECT_EQ(int{invalid_pc}, CUDA_ERROR_INVALID_PC);
  EXPECT_EQ(int{launch_failed}, CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(int{system_not_ready}, CUDA_ERROR_SYSTEM_NOT_READY);
  EXPECT_EQ(int{system_driver_mismatch}, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH);
  EXPECT_EQ(int{compat_not_supported_on_device}, CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE);
  EXPECT_EQ(int{mps_connection_failed}, CUDA_ERROR_MPS_CONNECTION_FAILED);
  EXPECT_EQ(int{mps_server_not_ready}, CUDA_ERROR_MPS_SERVER_NOT_READY);
  EXPECT_EQ(int{mps_max_clients_reached}, CUDA_ERROR_MPS_MAX_CLIENTS_REACHED);
  EXPECT_EQ(int{mps_max_connections_reached}, CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED);
  EXPECT_EQ(int{unknown}, CUDA_ERROR_UNKNOWN);
#if CUDA_VERSION >= 11080
  EXPECT_EQ(int{mps_client_terminated}, CUDA_ERROR_MPS_CLIENT_TERMINATED);
#endif
#if CUDA_VERSION >= 13000
  EXPECT_EQ(int{contained}, CUDA_ERROR_CONTAINED);
  EXPECT_EQ(int{tensor_memory_leak}, CUDA_ERROR_TENSOR_MEMORY_LEAK);
#endif
}

#else

TEST(CudaHeaders, of_the_driver) { GTEST_SKIP() << "SKIP: cuda.h is not installed"; }

#endif

#ifdef MDH_HAS_NVRTC_H

TEST(CudaHeaders, nvrtc_has_these_functions) {
  EXPECT_TRUE((agrees<decltype(NvrtcApi::version), decltype(&nvrtcVersion)>));
  EXPECT_TRUE(
      (agrees<decltype(NvrtcApi::get_num_supported_archs), decltype(&nvrtcGetNumSupportedArchs)>));
  EXPECT_TRUE((agrees<decltype(NvrtcApi::get_supported_archs), decltype(&nvrtcGetSupportedArchs)>));
  EXPECT_TRUE((agrees<decltype(NvrtcApi::get_error_string), decltype(&nvrtcGetErrorString)>));
  EXPECT_TRUE((agrees<decltype(NvrtcApi::create_program), decltype(&nvrtcCreateProgram)>));
  EXPECT_TRUE((agrees<decltype(NvrtcApi::destroy_program), decltype(&nvrtcDestroyProgram)>));
  EXPECT_TRUE((agrees<decltype(NvrtcApi::compile_program), decltype(&nvrtcCompileProgram)>));
  EXPECT_TRUE(
      (agrees<decltype(NvrtcApi::get_program_log_size), decltype(&nvrtcGetProgramLogSize)>));
  EXPECT_TRUE((agrees<decltype(NvrtcApi::get_program_log), decltype(&nvrtcGetProgramLog)>));
  EXPECT_TRUE((agrees<decltype(NvrtcApi::get_cubin_size), decltype(&nvrtcGetCUBINSize)>));
  EXPECT_TRUE((agrees<decltype(NvrtcApi::get_cubin), decltype(&nvrtcGetCUBIN)>));
  EXPECT_TRUE((agrees<decltype(NvrtcApi::get_ptx_size), decltype(&nvrtcGetPTXSize)>));
  EXPECT_TRUE((agrees<decltype(NvrtcApi::get_ptx), decltype(&nvrtcGetPTX)>));
  EXPECT_EQ(nvrtc_success, NVRTC_SUCCESS);
  EXPECT_EQ(nvrtc_compilation_failed, NVRTC_ERROR_COMPILATION);
}

#else

TEST(CudaHeaders, of_nvrtc) { GTEST_SKIP() << "SKIP: nvrtc.h is not installed"; }

#endif

}  // namespace
}  // namespace mdh::runtime::cuda::headers_test
