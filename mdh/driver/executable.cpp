#include "mdh/driver/executable.h"

#include "mdh/driver/devices.h"
#include "mdh/driver/overlap.h"

namespace mdh::driver {

Executable::Executable(Stages stages, std::shared_ptr<const runtime::Device> device,
                       std::shared_ptr<const runtime::LoadedKernel> kernel)
    : stages_(std::move(stages)), device_(std::move(device)), kernel_(std::move(kernel)) {}

Executable Executable::beside(Stages stages,
                              std::shared_ptr<const runtime::LoadedKernel> kernel) const {
  return {std::move(stages), device_, std::move(kernel)};
}

void Executable::operator()(std::span<void* const> buffers, int threads) const {
  check_overlap(module().arguments, buffers);
  kernel_->call(buffers, threads);
}

Executable compile(const hl::Program& program, const machine::Machine& machine,
                   const ll::Config& config, const Target& target, const std::string& device) {
  const auto on = target.runtime->open(device);
  Stages stages = lower_all(program, machine, config, target_on(target, *on), kernel_name(program));
  auto kernel = on->load({&stages.module, 1}).front();
  return {std::move(stages), on, std::move(kernel)};
}

}  // namespace mdh::driver
