// The functions of the OpenCL loader, found at run time: mdh is not linked against it. Only the
// sources of this folder include this header.
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <memory>
#include <string>
#include <type_traits>

namespace mdh::runtime::opencl {

/// Named as in the standard, without "cl".
struct Api {
  decltype(&clGetPlatformIDs) get_platform_ids;
  decltype(&clGetPlatformInfo) get_platform_info;
  decltype(&clGetDeviceIDs) get_device_ids;
  decltype(&clGetDeviceInfo) get_device_info;

  decltype(&clCreateContext) create_context;
  decltype(&clReleaseContext) release_context;
  decltype(&clCreateCommandQueue) create_command_queue;
  decltype(&clReleaseCommandQueue) release_command_queue;
  decltype(&clFlush) flush;
  decltype(&clFinish) finish;

  decltype(&clCreateProgramWithSource) create_program_with_source;
  decltype(&clBuildProgram) build_program;
  decltype(&clGetProgramBuildInfo) get_program_build_info;
  decltype(&clReleaseProgram) release_program;

  decltype(&clCreateKernel) create_kernel;
  decltype(&clGetKernelInfo) get_kernel_info;
  decltype(&clGetKernelWorkGroupInfo) get_kernel_work_group_info;
  decltype(&clSetKernelArg) set_kernel_arg;
  decltype(&clEnqueueNDRangeKernel) enqueue_nd_range_kernel;
  decltype(&clReleaseKernel) release_kernel;

  decltype(&clCreateBuffer) create_buffer;
  decltype(&clEnqueueWriteBuffer) enqueue_write_buffer;
  decltype(&clEnqueueReadBuffer) enqueue_read_buffer;
  decltype(&clReleaseMemObject) release_mem_object;

  decltype(&clWaitForEvents) wait_for_events;
  decltype(&clGetEventProfilingInfo) get_event_profiling_info;
  decltype(&clReleaseEvent) release_event;
};

/// Opens a loader; "missing" if there is none or if it lacks a function. It stays open: drivers
/// keep threads.
Api load_api(const std::string& library);

/// That of this machine, libOpenCL.so.1, opened at the first call.
const Api& api();

/// An object of OpenCL with the one who has to release it.
template <class T>
using Owned = std::unique_ptr<std::remove_pointer_t<T>, cl_int (*)(T)>;

/// "CL_INVALID_VALUE".
std::string status_name(cl_int status);

/// A call that failed: "missing" where the device ran out of memory or resources, else a bug.
void check(cl_int status, const char* call);

/// What a function that creates an object gave: checked and owned.
template <class T>
Owned<T> owned(T object, cl_int (*release)(T), cl_int status, const char* call) {
  Owned<T> result(object, release);
  check(status, call);
  return result;
}

}  // namespace mdh::runtime::opencl
