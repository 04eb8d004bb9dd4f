#include "mdh/passes/common/names.h"

#include <algorithm>

namespace mdh::passes {
namespace {

void take(const loop::Block& block, std::set<std::string>& names) {
  for (const loop::Stmt& s : block) {
    for (const Symbol& symbol : loop::defined_by(s)) names.insert(symbol.name);
    loop::for_each_child(s, [&](const loop::Block& child) { take(child, names); });
  }
}

}  // namespace

Names::Names(const loop::Program& p) {
  for (const loop::Dimension& d : p.dimensions) taken_.insert(d.symbol.name);
  for (const loop::Digit& d : p.digits) taken_.insert(d.var.name);
  for (const loop::Buffer& b : p.buffers) taken_.insert(b.symbol.name);
  take(p.body, taken_);
}

Symbol Names::fresh(std::string name) {
  std::replace(name.begin(), name.end(), '.', '_');
  if (taken_.insert(name).second) return loop::named(name);
  std::string copy = name + "_";
  int& number = copies_.try_emplace(name, 1).first->second;
  while (!taken_.insert(copy).second) copy = name + "_" + std::to_string(++number);
  return loop::named(copy);
}

}  // namespace mdh::passes
