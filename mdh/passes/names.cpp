#include "mdh/passes/names.h"

#include <algorithm>

namespace mdh::passes {
namespace {

void take(const std::vector<Symbol>& symbols, std::set<std::string>& names) {
  for (const Symbol& symbol : symbols) names.insert(symbol.name);
}

void take(const loop::Block& block, std::set<std::string>& names) {
  for (const loop::Stmt& s : block) {
    if (const auto* copy = s.as<loop::Copy>()) {
      for (const loop::Counter& axis : copy->axes) names.insert(axis.var.name);
    }
    if (const auto* deal = s.as<loop::Deal>()) {
      for (const loop::Counter& share : deal->shares) names.insert(share.var.name);
    }
    if (const auto* loop = s.as<loop::For>()) names.insert(loop->var.name);
    if (const auto* lanes = s.as<loop::Lanes>()) names.insert(lanes->var.name);
    if (const auto* let = s.as<loop::Let>()) names.insert(let->var.name);
    if (const auto* load = s.as<loop::Load>()) names.insert(load->result.name);
    if (const auto* f = s.as<loop::Apply>()) take(f->results, names);
    if (const auto* combine = s.as<loop::Combine>()) take(combine->results, names);
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
