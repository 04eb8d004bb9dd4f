#include "mdh/driver/executable.h"

namespace mdh::driver {

ChosenConfig choose_config(const hl::Program& program, const machine::Machine& machine,
                           const ll::Config* given, const std::string& file, int cores) {
  if (given != nullptr) return {*given, "file " + file};
  return {ll::default_config(program, machine, cores), "default"};
}

Executable::Executable(Stages stages, runtime::host::Kernel kernel)
    : stages_(std::move(stages)), kernel_(std::move(kernel)) {}

Executable compile(const hl::Program& program, const machine::Machine& machine,
                   const ll::Config& config, const Target& target) {
  Stages stages = lower_all(program, machine, config, target, kernel_name(program));
  runtime::host::Kernel kernel = runtime::host::load(stages.module);
  return {std::move(stages), std::move(kernel)};
}

}  // namespace mdh::driver
