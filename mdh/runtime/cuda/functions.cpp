#include "mdh/runtime/cuda/functions.h"

#include <algorithm>
#include <array>

#include "mdh/kernel/refused.h"
#include "mdh/support/diagnostic.h"

namespace mdh::runtime::cuda {
namespace {

/// Loads a cubin, which needs no more, or PTX, which the driver compiles here and may refuse.
CuModule load_image(const std::string& image, const Context& context) {
  std::array<char, 8192> log{};
  std::array<int, 2> options = {jit_error_log_buffer, jit_error_log_buffer_size_bytes};
  std::array<void*, 2> values = {log.data(), reinterpret_cast<void*>(log.size() - 1)};
  CuModule module = nullptr;
  const CuResult status = context.api.module_load_data_ex(
      &module, image.c_str(), static_cast<unsigned>(options.size()), options.data(), values.data());
  if (status == invalid_ptx) {
    throw kernel::Refused(fmt::format("the CUDA driver refused a compiled kernel ({}):\n{}",
                                      status_name(status), log.data()));
  }
  context.check(status, "cuModuleLoadDataEx");
  return module;
}

/// Pointers and 64-bit integers, one behind the other, where the driver is new enough to tell. It is
/// asked about those that a launch passes and no more: tools that watch the driver report every
/// question that it cannot answer.
void check_parameters(const std::string& name, CuFunction function, size_t arguments,
                      const Context& context) {
  if (context.api.func_get_param_info == nullptr) return;
  constexpr size_t width = 8;
  for (size_t n = 0; n < arguments; ++n) {
    size_t offset = 0, bytes = 0;
    const CuResult status = context.api.func_get_param_info(function, n, &offset, &bytes);
    internal_check(status != invalid_value, "'{}' takes {} arguments and gets {}", name, n,
                   arguments);
    context.check(status, "cuFuncGetParamInfo");
    internal_check(bytes == width && offset == n * width,
                   "argument {} of '{}' has {} bytes at {}, and is given {} at {}", n, name, bytes,
                   offset, width, n * width);
  }
}

}  // namespace

Functions::Functions(const kernel::Module& module, const std::string& object,
                     std::shared_ptr<const Context> context)
    : context_(std::move(context)) {
  const Current here(*context_);
  module_ = load_image(object, *context_);
  try {
    kernel::for_each_written_launch(module.steps, [&](const kernel::Launch& launch, size_t loops) {
      add(launch, module.arguments.size() + 1 + loops);
    });
    wait_by_themselves_ = wait_by_themselves();
  } catch (...) {
    context_->api.module_unload(module_);
    throw;
  }
}

Functions::~Functions() {
  CuContext ignored = nullptr;
  if (context_->api.ctx_push_current(context_->handle()) != success) return;
  context_->api.module_unload(module_);
  context_->api.ctx_pop_current(&ignored);
}

/// The code says so (backend/rts/wait_for_launch.cu), where it was compiled for GPUs that can.
bool Functions::wait_by_themselves() const {
  const DriverApi& api = context_->api;
  constexpr int first_that_can = 90;
  if (context_->device.arch.number < first_that_can) return false;
  if (api.launch_kernel_ex == nullptr || api.module_get_global == nullptr) return false;
  CuPointer pointer = 0;
  size_t bytes = 0;
  return api.module_get_global(&pointer, &bytes, module_, "mdh_waits_for_launch") == success;
}

void Functions::launch(const kernel::Launch& launch, void** parameters, CuStream stream) const {
  const auto number = [](int64_t n) { return static_cast<unsigned>(n); };
  const auto &groups = launch.groups, &items = launch.items;
  const CuFunction function = functions_.at(launch.function);
  if (!wait_by_themselves_) {
    context_->check(context_->api.launch_kernel(
                        function, number(groups[0]), number(groups[1]), number(groups[2]),
                        number(items[0]), number(items[1]), number(items[2]),
                        number(launch.local_bytes), stream, parameters, nullptr),
                    "cuLaunchKernel");
    return;
  }
  LaunchAttribute waits{.id = launch_waits_by_itself, .padding = 0, .value = {.allowed = 1}};
  const LaunchConfig config{.grid = {number(groups[0]), number(groups[1]), number(groups[2])},
                            .block = {number(items[0]), number(items[1]), number(items[2])},
                            .shared_bytes = number(launch.local_bytes),
                            .stream = stream,
                            .attributes = &waits,
                            .attribute_count = 1};
  context_->check(context_->api.launch_kernel_ex(&config, function, parameters, nullptr),
                  "cuLaunchKernelEx");
}

void Functions::add(const kernel::Launch& launch, size_t arguments) {
  CuFunction& function = functions_[launch.function];
  if (function == nullptr) {
    const CuResult status =
        context_->api.module_get_function(&function, module_, launch.function.c_str());
    internal_check(status != not_found, "the compiled module lacks '{}'", launch.function);
    context_->check(status, "cuModuleGetFunction");
  }
  check_parameters(launch.function, function, arguments, *context_);
  const FunctionNeeds needs = needs_of(function);
  check_function(launch, needs, context_->device);
  int64_t& dynamic = dynamic_bytes_[launch.function];
  dynamic = std::max(dynamic, launch.local_bytes);
  if (dynamic + needs.shared_bytes <= context_->device.shared_bytes) return;
  context_->check(context_->api.func_set_attribute(function, function_max_dynamic_shared_size_bytes,
                                                   static_cast<int>(dynamic)),
                  "cuFuncSetAttribute");
}

FunctionNeeds Functions::needs_of(CuFunction function) const {
  const auto ask = [&](FunctionAttribute what) {
    int answer = 0;
    context_->check(context_->api.func_get_attribute(&answer, what, function),
                    "cuFuncGetAttribute");
    return int64_t{answer};
  };
  return {.max_threads = ask(function_max_threads_per_block),
          .shared_bytes = ask(function_shared_size_bytes),
          .stack_bytes = ask(function_local_size_bytes),
          .registers = ask(function_num_regs)};
}

std::vector<Resources> Functions::resources() const {
  const Current here(*context_);
  std::vector<Resources> all;
  for (const auto& [name, function] : functions_) {
    const FunctionNeeds needs = needs_of(function);
    all.push_back({.function = name,
                   .registers = needs.registers,
                   .spilled_bytes = needs.stack_bytes,
                   .local_bytes = needs.shared_bytes + dynamic_bytes_.at(name),
                   .items_per_group = needs.max_threads,
                   .stack_bytes = needs.stack_bytes});
  }
  return all;
}

}  // namespace mdh::runtime::cuda
