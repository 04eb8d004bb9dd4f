#include "mdh/codegen/arguments.h"

namespace mdh::codegen {

std::vector<kernel::Argument> arguments_of(const loop::Program& p) {
  std::vector<kernel::Argument> arguments;
  for (const loop::Buffer& b : p.buffers) {
    if (b.role == loop::Role::temporary) continue;
    arguments.push_back({b.symbol.name, to_string(b.type), scalar::bytes_of(b.type), b.extents,
                         b.role == loop::Role::output});
  }
  return arguments;
}

}  // namespace mdh::codegen
