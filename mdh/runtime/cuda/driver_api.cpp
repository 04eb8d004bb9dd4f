#include "mdh/runtime/cuda/driver_api.h"

#include <cstdlib>
#include <map>
#include <mutex>

#include <fmt/format.h>

#include "mdh/runtime/cuda/hints.h"
#include "mdh/runtime/symbols.h"
#include "mdh/support/diagnostic.h"

namespace mdh::runtime::cuda {
namespace {

struct DriverSymbols {
  const std::string& library;
  void* handle;

  Symbol operator()(const char* name) const {
    const Symbol found = symbol_in(handle, name);
    if (found.address == nullptr) {
      missing("E641", fmt::format("the CUDA driver {} has no {}", library, name),
              "install a newer driver: mdh needs one for CUDA 11 or later");
    }
    return found;
  }
};

void* open_driver(const std::string& library) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    missing("E641", fmt::format("there is no CUDA driver: {}", dlerror()), how_to_get_a_driver);
  }
  return handle;
}

/// Whatever is wrong with a driver that is not even started is nothing that mdh did.
void initialise(const DriverApi& api) {
  const CuResult status = api.init(0);
  if (status == no_device) missing("E642", "there is no CUDA device", how_to_see_a_device);
  try {
    check(status, "cuInit");
  } catch (const Error& e) {
    if (e.diagnostic().kind == DiagnosticKind::missing) throw;
    missing("E642",
            fmt::format("the CUDA driver cannot be used ({} in cuInit)", status_name(status)),
            how_to_get_a_driver);
  }
}

}  // namespace

DriverApi load_driver(const std::string& library) {
  const DriverSymbols find{library, open_driver(library)};
  return {
      .init = find("cuInit"),
      .driver_get_version = find("cuDriverGetVersion"),
      .device_get_count = find("cuDeviceGetCount"),
      .device_get = find("cuDeviceGet"),
      .device_get_name = find("cuDeviceGetName"),
      .device_total_mem = find("cuDeviceTotalMem_v2"),
      .device_get_attribute = find("cuDeviceGetAttribute"),
      .device_primary_ctx_retain = find("cuDevicePrimaryCtxRetain"),
      .device_primary_ctx_release = find("cuDevicePrimaryCtxRelease_v2"),
      .ctx_push_current = find("cuCtxPushCurrent_v2"),
      .ctx_pop_current = find("cuCtxPopCurrent_v2"),
      .module_load_data_ex = find("cuModuleLoadDataEx"),
      .module_unload = find("cuModuleUnload"),
      .module_get_function = find("cuModuleGetFunction"),
      .func_get_attribute = find("cuFuncGetAttribute"),
      .func_set_attribute = find("cuFuncSetAttribute"),
      .launch_kernel = find("cuLaunchKernel"),
      .mem_alloc = find("cuMemAlloc_v2"),
      .mem_free = find("cuMemFree_v2"),
      .memcpy_htod_async = find("cuMemcpyHtoDAsync_v2"),
      .memcpy_dtoh_async = find("cuMemcpyDtoHAsync_v2"),
      .memset_d8_async = find("cuMemsetD8Async"),
      .stream_create = find("cuStreamCreate"),
      .stream_destroy = find("cuStreamDestroy_v2"),
      .stream_synchronize = find("cuStreamSynchronize"),
      .event_create = find("cuEventCreate"),
      .event_destroy = find("cuEventDestroy_v2"),
      .event_record = find("cuEventRecord"),
      .event_synchronize = find("cuEventSynchronize"),
      .event_elapsed_time = find("cuEventElapsedTime"),
      .stream_begin_capture = symbol_in(find.handle, "cuStreamBeginCapture_v2"),
      .stream_end_capture = symbol_in(find.handle, "cuStreamEndCapture"),
      .event_record_with_flags = symbol_in(find.handle, "cuEventRecordWithFlags"),
      .graph_instantiate = symbol_in(find.handle, "cuGraphInstantiateWithFlags"),
      .graph_launch = symbol_in(find.handle, "cuGraphLaunch"),
      .graph_exec_destroy = symbol_in(find.handle, "cuGraphExecDestroy"),
      .graph_destroy = symbol_in(find.handle, "cuGraphDestroy"),
      .launch_kernel_ex = symbol_in(find.handle, "cuLaunchKernelEx"),
      .module_get_global = symbol_in(find.handle, "cuModuleGetGlobal_v2"),
      .func_get_param_info = symbol_in(find.handle, "cuFuncGetParamInfo"),
  };
}

bool has_graphs(const DriverApi& api) {
  return api.stream_begin_capture != nullptr && api.stream_end_capture != nullptr &&
         api.event_record_with_flags != nullptr && api.graph_instantiate != nullptr &&
         api.graph_launch != nullptr && api.graph_exec_destroy != nullptr &&
         api.graph_destroy != nullptr;
}

const DriverApi& driver() {
  static std::mutex mutex;
  static std::map<std::string, DriverApi> opened;  // entries stay where they are
  const char* named = std::getenv("MDH_LIBCUDA");
  const std::string library = named == nullptr ? "libcuda.so.1" : named;
  const std::lock_guard<std::mutex> lock(mutex);
  auto place = opened.find(library);
  if (place == opened.end()) place = opened.emplace(library, load_driver(library)).first;
  initialise(place->second);  // does nothing but the first time
  return place->second;
}

}  // namespace mdh::runtime::cuda
