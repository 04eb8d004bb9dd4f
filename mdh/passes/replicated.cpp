#include "mdh/passes/replicated.h"

#include <algorithm>

namespace mdh::passes {

using loop::Block;
using loop::Stmt;

namespace {

void add_defined(const Block& block, std::set<Symbol>& names) {
  for (const Stmt& s : block) {
    if (const auto* loop = s.as<loop::For>()) names.insert(loop->var);
    if (const auto* lanes = s.as<loop::Lanes>()) names.insert(lanes->var);
    if (const auto* let = s.as<loop::Let>()) names.insert(let->var);
    if (const auto* load = s.as<loop::Load>()) names.insert(load->result);
    if (const auto* f = s.as<loop::Apply>()) names.insert(f->results.begin(), f->results.end());
    if (const auto* sum = s.as<loop::Combine>()) {
      names.insert(sum->results.begin(), sum->results.end());
    }
    if (const auto* deal = s.as<loop::Deal>()) {
      for (const loop::Counter& share : deal->shares) names.insert(share.var);
    }
    loop::for_each_child(s, [&](const Block& child) { add_defined(child, names); });
  }
}

}  // namespace

bool is_replicated(const loop::For& loop) {
  return loop.how == loop::How::unrolled || loop.how == loop::How::lanes;
}

const loop::For* as_replicated(const Stmt& s) {
  const auto* loop = s.as<loop::For>();
  return loop && is_replicated(*loop) ? loop : nullptr;
}

std::set<Symbol> defined_in(const Block& block) {
  std::set<Symbol> names;
  add_defined(block, names);
  return names;
}

bool is_free_of(const loop::Expr& e, const std::set<Symbol>& names) {
  if (const auto* v = e.as<scalar::Variable>()) return !names.contains(v->symbol);
  bool free = true;
  scalar::for_each_child(e,
                         [&](const loop::Expr& child) { free = free && is_free_of(child, names); });
  return free;
}

bool any_of(const Block& block, const std::function<bool(const Stmt&)>& holds) {
  return std::any_of(block.begin(), block.end(), [&](const Stmt& s) {
    bool found = holds(s);
    loop::for_each_child(s, [&](const Block& child) { found = found || any_of(child, holds); });
    return found;
  });
}

bool has_teams(const Block& block) {
  return any_of(block, [](const Stmt& s) { return s.as<loop::Deal>() || s.as<loop::Barrier>(); });
}

bool is_leaf(const Stmt& s) {
  return s.as<loop::Load>() || s.as<loop::Apply>() || s.as<loop::Combine>() ||
         s.as<loop::Store>() || s.as<loop::AsyncCopy>();
}

int64_t size_of(const Block& block) {
  int64_t size = 0;
  for (const Stmt& s : block) {
    size += is_leaf(s) ? 1 : 0;
    loop::for_each_child(s, [&](const Block& child) { size += size_of(child); });
  }
  return size;
}

}  // namespace mdh::passes
