#include "mdh/machine/constraint.h"

#include <fmt/format.h>

#include "mdh/support/text.h"

namespace mdh::machine {
namespace {

std::string sentence(const PartsAtMost& c) {
  return fmt::format("the parts on {}{} are at most {}", join(c.layers, " times "),
                     c.axis.empty() ? "" : " in " + c.axis, c.limit);
}

std::string sentence(const PartsEqual& c) {
  return fmt::format("the parts on {} are {} or 1", join(c.layers, " times "), c.count);
}

std::string sentence(const CombinesIn& c) {
  return fmt::format("{} combines in {}", c.layer, join(c.regions, " or "));
}

std::string sentence(const BytesAtMost& c) {
  return fmt::format("region {} holds {} bytes{}", c.region, c.limit,
                     c.soft ? " before it is slow" : "");
}

std::string sentence(const NotSharedBy& c) {
  return fmt::format("region {} is not shared by the cores of {}", c.region, c.layer);
}

}  // namespace

std::string to_string(const Constraint& constraint) {
  return std::visit([](const auto& c) { return sentence(c); }, constraint);
}

}  // namespace mdh::machine
