#include "mdh/backend/c/arguments.h"

#include <algorithm>

#include "mdh/loop/in_place.h"

namespace mdh::backend {

std::vector<kernel::Argument> arguments_of(const loop::Program& p) {
  std::vector<kernel::Argument> arguments;
  for (const loop::Buffer& b : p.buffers) {
    if (b.role == loop::Role::temporary) continue;
    arguments.push_back({b.symbol.name, to_string(b.type), scalar::bytes_of(b.type), b.extents,
                         b.role == loop::Role::output});
  }
  const auto number = [&](const Symbol& buffer) {
    const auto found = std::find_if(arguments.begin(), arguments.end(),
                                    [&](const auto& a) { return a.name == buffer.name; });
    return static_cast<int>(found - arguments.begin());
  };
  for (const loop::InPlace& pair : loop::in_place(p)) {
    arguments[static_cast<size_t>(number(pair.output))].in_place.push_back(number(pair.input));
  }
  return arguments;
}

int64_t whole_lines(int64_t bytes) {
  constexpr int64_t line = 64;
  return (bytes + line - 1) / line * line;
}

}  // namespace mdh::backend
