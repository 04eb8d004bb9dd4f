#include <cstdio>

#include "mdh/hl/print.h"
#include "mdh/support/text.h"
#include "tools/mdh/verbs.h"

namespace mdh::tool {
namespace {

/// "paper, paper3 with SH=2 SW=2"
std::string named_sizes(const examples::Entry& entry) {
  std::vector<std::string> texts;
  for (const auto& [name, sizes] : entry.sizes) {
    std::vector<std::string> settings;
    for (const auto& [constant, value] : entry.settings_of(name)) {
      settings.push_back(fmt::format("{}={}", constant, value));
    }
    texts.push_back(name + (settings.empty() ? "" : " with " + join(settings, " ")));
  }
  return join(texts, ", ");
}

}  // namespace

int list() {
  for (const examples::Entry& entry : examples::catalogue()) {
    const hl::Program generic = entry.generic();
    std::vector<std::string> dimensions, types;
    for (const hl::Dimension& d : generic.dimensions) {
      dimensions.push_back(fmt::format("{} by {}", d.symbol.name, hl::print(d.combine)));
    }
    for (const scalar::Scalar type : entry.types) types.push_back(to_string(type));
    const std::string sizes = named_sizes(entry);
    fmt::print("{:<15} {:<32} {} ({}{}{})\n", entry.name, join(dimensions, ", "), entry.summary,
               join(types, " "), sizes.empty() ? "" : "; sizes ", sizes);
  }
  return 0;
}

}  // namespace mdh::tool
