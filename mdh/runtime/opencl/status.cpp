#include <array>

#include <fmt/format.h>

#include "mdh/runtime/opencl/api.h"
#include "mdh/support/diagnostic.h"

namespace mdh::runtime::opencl {
namespace {

struct Status {
  cl_int code;
  const char* name;
};

constexpr std::array statuses = {
    Status{CL_SUCCESS, "CL_SUCCESS"},
    Status{CL_DEVICE_NOT_FOUND, "CL_DEVICE_NOT_FOUND"},
    Status{CL_DEVICE_NOT_AVAILABLE, "CL_DEVICE_NOT_AVAILABLE"},
    Status{CL_COMPILER_NOT_AVAILABLE, "CL_COMPILER_NOT_AVAILABLE"},
    Status{CL_MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
    Status{CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES"},
    Status{CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY"},
    Status{CL_PROFILING_INFO_NOT_AVAILABLE, "CL_PROFILING_INFO_NOT_AVAILABLE"},
    Status{CL_MEM_COPY_OVERLAP, "CL_MEM_COPY_OVERLAP"},
    Status{CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE"},
    Status{CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
           "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
    Status{CL_INVALID_VALUE, "CL_INVALID_VALUE"},
    Status{CL_INVALID_PLATFORM, "CL_INVALID_PLATFORM"},
    Status{CL_INVALID_DEVICE, "CL_INVALID_DEVICE"},
    Status{CL_INVALID_CONTEXT, "CL_INVALID_CONTEXT"},
    Status{CL_INVALID_QUEUE_PROPERTIES, "CL_INVALID_QUEUE_PROPERTIES"},
    Status{CL_INVALID_COMMAND_QUEUE, "CL_INVALID_COMMAND_QUEUE"},
    Status{CL_INVALID_HOST_PTR, "CL_INVALID_HOST_PTR"},
    Status{CL_INVALID_MEM_OBJECT, "CL_INVALID_MEM_OBJECT"},
    Status{CL_INVALID_BINARY, "CL_INVALID_BINARY"},
    Status{CL_INVALID_BUILD_OPTIONS, "CL_INVALID_BUILD_OPTIONS"},
    Status{CL_INVALID_PROGRAM, "CL_INVALID_PROGRAM"},
    Status{CL_INVALID_PROGRAM_EXECUTABLE, "CL_INVALID_PROGRAM_EXECUTABLE"},
    Status{CL_INVALID_KERNEL_NAME, "CL_INVALID_KERNEL_NAME"},
    Status{CL_INVALID_KERNEL_DEFINITION, "CL_INVALID_KERNEL_DEFINITION"},
    Status{CL_INVALID_KERNEL, "CL_INVALID_KERNEL"},
    Status{CL_INVALID_ARG_INDEX, "CL_INVALID_ARG_INDEX"},
    Status{CL_INVALID_ARG_VALUE, "CL_INVALID_ARG_VALUE"},
    Status{CL_INVALID_ARG_SIZE, "CL_INVALID_ARG_SIZE"},
    Status{CL_INVALID_KERNEL_ARGS, "CL_INVALID_KERNEL_ARGS"},
    Status{CL_INVALID_WORK_DIMENSION, "CL_INVALID_WORK_DIMENSION"},
    Status{CL_INVALID_WORK_GROUP_SIZE, "CL_INVALID_WORK_GROUP_SIZE"},
    Status{CL_INVALID_WORK_ITEM_SIZE, "CL_INVALID_WORK_ITEM_SIZE"},
    Status{CL_INVALID_GLOBAL_OFFSET, "CL_INVALID_GLOBAL_OFFSET"},
    Status{CL_INVALID_EVENT_WAIT_LIST, "CL_INVALID_EVENT_WAIT_LIST"},
    Status{CL_INVALID_EVENT, "CL_INVALID_EVENT"},
    Status{CL_INVALID_OPERATION, "CL_INVALID_OPERATION"},
    Status{CL_INVALID_BUFFER_SIZE, "CL_INVALID_BUFFER_SIZE"},
    Status{CL_INVALID_GLOBAL_WORK_SIZE, "CL_INVALID_GLOBAL_WORK_SIZE"},
};

bool is_exhaustion(cl_int status) {
  return status == CL_MEM_OBJECT_ALLOCATION_FAILURE || status == CL_OUT_OF_RESOURCES ||
         status == CL_OUT_OF_HOST_MEMORY;
}

}  // namespace

std::string status_name(cl_int status) {
  for (const Status& known : statuses) {
    if (known.code == status) return known.name;
  }
  return fmt::format("error {}", status);
}

void check(cl_int status, const char* call) {
  if (status == CL_SUCCESS) return;
  if (is_exhaustion(status)) {
    missing("E616",
            fmt::format("the OpenCL device ran out of memory or resources ({} in {})",
                        status_name(status), call),
            "use a smaller size, smaller groups, or less local memory");
  }
  internal_failure(false, fmt::format("{} failed: {}", call, status_name(status)));
}

}  // namespace mdh::runtime::opencl
