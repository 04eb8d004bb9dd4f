#include <cstdio>

#include "mdh/hl/print.h"
#include "mdh/support/text.h"
#include "tools/mdh/verbs.h"

namespace mdh::tool {

int list() {
  for (const examples::Entry& entry : examples::catalogue()) {
    const hl::Program generic = entry.generic();
    std::vector<std::string> dimensions, types;
    for (const hl::Dimension& d : generic.dimensions) {
      dimensions.push_back(fmt::format("{} by {}", d.symbol.name, hl::print(d.combine)));
    }
    for (const scalar::Scalar type : entry.types) types.push_back(to_string(type));
    fmt::print("{:<15} {:<32} {} ({})\n", entry.name, join(dimensions, ", "), entry.summary,
               join(types, " "));
  }
  return 0;
}

}  // namespace mdh::tool
