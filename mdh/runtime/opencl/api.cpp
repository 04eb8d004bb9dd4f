#include "mdh/runtime/opencl/api.h"

#include <fmt/format.h>

#include "mdh/runtime/opencl/hints.h"
#include "mdh/runtime/symbols.h"
#include "mdh/support/diagnostic.h"

namespace mdh::runtime::opencl {
namespace {

struct Symbols {
  const std::string& library;
  void* handle;

  Symbol operator()(const char* name) const {
    const Symbol found = symbol_in(handle, name);
    if (found.address == nullptr) {
      missing("E611", fmt::format("the OpenCL loader {} has no {}", library, name),
              what_to_install);
    }
    return found;
  }
};

void* open_loader(const std::string& library) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    missing("E611", fmt::format("there is no OpenCL loader: {}", dlerror()), what_to_install);
  }
  return handle;
}

}  // namespace

Api load_api(const std::string& library) {
  const Symbols find{library, open_loader(library)};
  return {
      .get_platform_ids = find("clGetPlatformIDs"),
      .get_platform_info = find("clGetPlatformInfo"),
      .get_device_ids = find("clGetDeviceIDs"),
      .get_device_info = find("clGetDeviceInfo"),
      .create_context = find("clCreateContext"),
      .release_context = find("clReleaseContext"),
      .create_command_queue = find("clCreateCommandQueue"),
      .release_command_queue = find("clReleaseCommandQueue"),
      .flush = find("clFlush"),
      .finish = find("clFinish"),
      .create_program_with_source = find("clCreateProgramWithSource"),
      .build_program = find("clBuildProgram"),
      .get_program_build_info = find("clGetProgramBuildInfo"),
      .release_program = find("clReleaseProgram"),
      .create_kernel = find("clCreateKernel"),
      .get_kernel_info = find("clGetKernelInfo"),
      .get_kernel_work_group_info = find("clGetKernelWorkGroupInfo"),
      .set_kernel_arg = find("clSetKernelArg"),
      .enqueue_nd_range_kernel = find("clEnqueueNDRangeKernel"),
      .release_kernel = find("clReleaseKernel"),
      .create_buffer = find("clCreateBuffer"),
      .enqueue_write_buffer = find("clEnqueueWriteBuffer"),
      .enqueue_read_buffer = find("clEnqueueReadBuffer"),
      .release_mem_object = find("clReleaseMemObject"),
      .wait_for_events = find("clWaitForEvents"),
      .get_event_profiling_info = find("clGetEventProfilingInfo"),
      .release_event = find("clReleaseEvent"),
  };
}

const Api& api() {
  static const Api loaded = load_api("libOpenCL.so.1");
  return loaded;
}

}  // namespace mdh::runtime::opencl
