#include "mdh/passes/lower.h"

#include "mdh/ll/parameters.h"
#include "mdh/passes/fuse.h"

namespace mdh::passes {

ll::Program lower(const hl::Program& program, const machine::Machine& machine,
                  const ll::Config& config) {
  const hl::Program fused = fuse(program, config.fuse);
  validate(config, fused, machine);
  ll::Program result = program_of(parameters_of(config, fused, machine), fused, machine);
  verify(result);
  return result;
}

}  // namespace mdh::passes
