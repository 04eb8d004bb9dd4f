#include "mdh/runtime/opencl/functions.h"

#include "mdh/runtime/opencl/limits.h"
#include "mdh/support/diagnostic.h"

namespace mdh::runtime::opencl {
namespace {

Owned<cl_kernel> create(const std::string& name, cl_program program, const Context::Handles& on) {
  cl_int status = CL_SUCCESS;
  cl_kernel function = on.api.create_kernel(program, name.c_str(), &status);
  internal_check(status != CL_INVALID_KERNEL_NAME, "the built program lacks '{}'", name);
  return owned(function, on.api.release_kernel, status, "clCreateKernel");
}

size_t parameters_of(cl_kernel function, const Context::Handles& on) {
  cl_uint count = 0;
  check(on.api.get_kernel_info(function, CL_KERNEL_NUM_ARGS, sizeof count, &count, nullptr),
        "clGetKernelInfo");
  return count;
}

}  // namespace

FunctionNeeds needs_of(cl_kernel function, const Context::Handles& on) {
  size_t group = 0;
  cl_ulong local = 0;
  std::array<size_t, 3> built_for = {0, 0, 0};
  check(on.api.get_kernel_work_group_info(function, on.id, CL_KERNEL_WORK_GROUP_SIZE, sizeof group,
                                          &group, nullptr),
        "clGetKernelWorkGroupInfo");
  check(on.api.get_kernel_work_group_info(function, on.id, CL_KERNEL_LOCAL_MEM_SIZE, sizeof local,
                                          &local, nullptr),
        "clGetKernelWorkGroupInfo");
  check(on.api.get_kernel_work_group_info(function, on.id, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                                          sizeof built_for, built_for.data(), nullptr),
        "clGetKernelWorkGroupInfo");
  const auto number = [](size_t n) { return static_cast<int64_t>(n); };
  return {number(group),
          static_cast<int64_t>(local),
          {number(built_for[0]), number(built_for[1]), number(built_for[2])}};
}

Functions functions_of(const kernel::Module& module, cl_program program,
                       const Context::Handles& on) {
  Functions functions;
  const auto add = [&](const kernel::Launch& launch, size_t loops) {
    auto place = functions.find(launch.function);
    if (place == functions.end()) {
      place = functions.emplace(launch.function, create(launch.function, program, on)).first;
    }
    cl_kernel function = place->second.get();
    const size_t given = module.arguments.size() + 1 + loops, taken = parameters_of(function, on);
    internal_check(given == taken, "'{}' takes {} arguments and gets {}", launch.function, taken,
                   given);
    check_limits(launch, needs_of(function, on), on.device);
  };
  kernel::for_each_written_launch(module.steps, add);
  return functions;
}

}  // namespace mdh::runtime::opencl
