// The functions of the CUDA driver, found at run time: mdh is not linked against it.
#pragma once

#include <string>

#include "mdh/runtime/cuda/types.h"

namespace mdh::runtime::cuda {

/// Named as in cuda.h, without "cu". Those that changed once have "_v2" behind their names in the
/// library. All are there since CUDA 11, but the last ones.
struct DriverApi {
  CuResult (*init)(unsigned flags);
  CuResult (*driver_get_version)(int* version);
  CuResult (*device_get_count)(int* count);
  CuResult (*device_get)(CuDevice* device, int ordinal);
  CuResult (*device_get_name)(char* name, int length, CuDevice device);
  CuResult (*device_total_mem)(size_t* bytes, CuDevice device);
  CuResult (*device_get_attribute)(int* value, int attribute, CuDevice device);

  CuResult (*device_primary_ctx_retain)(CuContext* context, CuDevice device);
  CuResult (*device_primary_ctx_release)(CuDevice device);
  CuResult (*ctx_push_current)(CuContext context);
  CuResult (*ctx_pop_current)(CuContext* context);

  CuResult (*module_load_data_ex)(CuModule* module, const void* image, unsigned count, int* options,
                                  void** values);
  CuResult (*module_unload)(CuModule module);
  CuResult (*module_get_function)(CuFunction* function, CuModule module, const char* name);
  CuResult (*func_get_attribute)(int* value, int attribute, CuFunction function);
  CuResult (*func_set_attribute)(CuFunction function, int attribute, int value);
  CuResult (*launch_kernel)(CuFunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                            unsigned block_x, unsigned block_y, unsigned block_z,
                            unsigned shared_bytes, CuStream stream, void** parameters,
                            void** extra);

  CuResult (*mem_alloc)(CuPointer* pointer, size_t bytes);
  CuResult (*mem_free)(CuPointer pointer);
  CuResult (*memcpy_htod_async)(CuPointer to, const void* from, size_t bytes, CuStream stream);
  CuResult (*memcpy_dtoh_async)(void* to, CuPointer from, size_t bytes, CuStream stream);
  CuResult (*memset_d8_async)(CuPointer to, unsigned char value, size_t count, CuStream stream);

  CuResult (*stream_create)(CuStream* stream, unsigned flags);
  CuResult (*stream_destroy)(CuStream stream);
  CuResult (*stream_synchronize)(CuStream stream);
  CuResult (*event_create)(CuEvent* event, unsigned flags);
  CuResult (*event_destroy)(CuEvent event);
  CuResult (*event_record)(CuEvent event, CuStream stream);
  CuResult (*event_synchronize)(CuEvent event);
  CuResult (*event_elapsed_time)(float* milliseconds, CuEvent start, CuEvent end);

  /// Graphs, since CUDA 11.4; null where the driver is older.
  CuResult (*stream_begin_capture)(CuStream stream, int mode);
  CuResult (*stream_end_capture)(CuStream stream, CuGraph* graph);
  CuResult (*event_record_with_flags)(CuEvent event, CuStream stream, unsigned flags);
  CuResult (*graph_instantiate)(CuGraphExec* exec, CuGraph graph, unsigned long long flags);
  CuResult (*graph_launch)(CuGraphExec exec, CuStream stream);
  CuResult (*graph_exec_destroy)(CuGraphExec exec);
  CuResult (*graph_destroy)(CuGraph graph);

  /// Launches that wait by themselves, since CUDA 11.8; null where the driver is older.
  CuResult (*launch_kernel_ex)(const LaunchConfig* config, CuFunction function, void** parameters,
                               void** extra);
  CuResult (*module_get_global)(CuPointer* pointer, size_t* bytes, CuModule module,
                                const char* name);

  /// Since CUDA 12.4; null where the driver is older.
  CuResult (*func_get_param_info)(CuFunction function, size_t index, size_t* offset, size_t* bytes);
};

/// All that a graph needs.
bool has_graphs(const DriverApi& api);

/// Opens a driver; "missing" (E641) if there is none or if it lacks a function. It stays open:
/// drivers keep threads.
DriverApi load_driver(const std::string& library);

/// That of this machine, or the library that MDH_LIBCUDA names. Each is opened once, and cuInit has
/// been called: "missing" (E642) if that found nothing.
const DriverApi& driver();

/// "CUDA_ERROR_INVALID_VALUE".
std::string status_name(CuResult status);

/// Nothing works in a context after such a failure: a kernel has gone wrong.
bool breaks_context(CuResult status);

/// A call that failed: "missing" where the device ran out of memory or the driver cannot do
/// something, a bug of mdh else. Those that break contexts have the code E646.
void check(CuResult status, const char* call);

}  // namespace mdh::runtime::cuda
