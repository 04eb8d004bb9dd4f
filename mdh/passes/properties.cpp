#include "mdh/passes/properties.h"

#include <vector>

namespace mdh::passes {
namespace {

const std::vector<std::string>& names() {
  static const std::vector<std::string> all = {"rolled",  "staggered",   "dealt",  "copied",
                                               "scanned", "accumulated", "counted"};
  return all;
}

void remove_violated(const loop::Block& block, std::set<Property>& left) {
  for (const loop::Stmt& s : block) {
    if (s.as<loop::Loop>()) left.erase(Property::counted);
    if (const auto* copy = s.as<loop::Copy>()) {
      left.erase(Property::copied);
      if (copy->roll) left.erase(Property::rolled);
      if (!copy->team.empty()) left.erase(Property::dealt);
    }
    if (s.as<loop::TeamCombine>() || s.as<loop::ScanFix>()) left.erase(Property::dealt);
    if (s.as<loop::ScanStep>() || s.as<loop::ScanFix>()) left.erase(Property::scanned);
    if (s.as<loop::Accumulate>() || s.as<loop::WriteUp>() || s.as<loop::TeamCombine>()) {
      left.erase(Property::accumulated);
    }
    loop::for_each_child(s, [&](const loop::Block& child) { remove_violated(child, left); });
  }
}

}  // namespace

const std::string& to_string(Property property) { return names()[static_cast<size_t>(property)]; }

std::set<Property> properties_of(const loop::Program& program) {
  std::set<Property> left;
  for (size_t n = 0; n < names().size(); ++n) left.insert(static_cast<Property>(n));
  remove_violated(program.body, left);
  for (const loop::Buffer& b : program.buffers) {
    if (b.depth > 1) left.erase(Property::staggered);
  }
  return left;
}

}  // namespace mdh::passes
