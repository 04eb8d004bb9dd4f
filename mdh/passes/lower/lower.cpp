#include "mdh/passes/lower/lower.h"

#include "mdh/passes/lower/fuse.h"

namespace mdh::passes {

ll::Program lower(const hl::Program& program, const machine::Machine& machine,
                  const ll::Config& config) {
  return ll::valid_program(config, fuse(program, config.fuse), machine);
}

}  // namespace mdh::passes
