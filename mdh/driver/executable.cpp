#include "mdh/driver/executable.h"

#include "mdh/driver/overlap.h"

namespace mdh::driver {

Executable::Executable(Stages stages, runtime::host::Kernel kernel)
    : stages_(std::move(stages)), kernel_(std::move(kernel)) {}

Executable::Executable(Stages stages, runtime::opencl::Kernel kernel)
    : stages_(std::move(stages)), kernel_(std::move(kernel)) {}

void Executable::operator()(std::span<void* const> buffers, int threads) const {
  check_overlap(module().arguments, buffers);
  if (const auto* device = on_device()) {
    (*device)(buffers);
  } else {
    std::get<runtime::host::Kernel>(kernel_)(buffers, threads);
  }
}

std::string Executable::library() const {
  const auto* host = std::get_if<runtime::host::Kernel>(&kernel_);
  return host ? host->path() : "";
}

std::string Executable::remark() const {
  const auto* host = std::get_if<runtime::host::Kernel>(&kernel_);
  return host ? host->remark() : "";
}

Executable compile(const hl::Program& program, const machine::Machine& machine,
                   const ll::Config& config, const Target& target, const std::string& device) {
  Stages stages = lower_all(program, machine, config, target, kernel_name(program));
  if (stages.module.language == "opencl") {
    const runtime::opencl::Context context(
        runtime::opencl::find_device(device.empty() ? target.name : device));
    auto kernels = runtime::opencl::load({&stages.module, 1}, context);
    return {std::move(stages), std::move(kernels.front())};
  }
  runtime::host::Kernel kernel = runtime::host::load(stages.module);
  return {std::move(stages), std::move(kernel)};
}

}  // namespace mdh::driver
