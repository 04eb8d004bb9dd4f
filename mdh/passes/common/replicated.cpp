#include "mdh/passes/common/replicated.h"

#include <algorithm>

namespace mdh::passes {

using loop::Block;
using loop::Stmt;

namespace {

void add_defined(const Block& block, std::set<Symbol>& names) {
  for (const Stmt& s : block) {
    const std::vector<Symbol> mine = loop::defined_by(s);
    names.insert(mine.begin(), mine.end());
    loop::for_each_child(s, [&](const Block& child) { add_defined(child, names); });
  }
}

}  // namespace

bool is_replicated(loop::How how) { return how == loop::How::unrolled || how == loop::How::lanes; }

const loop::For* as_replicated(const Stmt& s) {
  const auto* loop = s.as<loop::For>();
  return loop && is_replicated(loop->how) ? loop : nullptr;
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

bool reads(const Stmt& s, const Symbol& buffer) {
  const std::vector<Symbol> all = loop::uses_of(s).reads;
  return std::find(all.begin(), all.end(), buffer) != all.end();
}

bool writes(const Stmt& s, const Symbol& buffer) {
  const std::vector<Symbol> all = loop::uses_of(s).writes;
  return std::find(all.begin(), all.end(), buffer) != all.end();
}

bool has_teams(const Block& block) {
  return any_of(block, [](const Stmt& s) { return s.as<loop::Deal>() || s.as<loop::Barrier>(); });
}

bool is_leaf(const Stmt& s) {
  return s.as<loop::Load>() || s.as<loop::Apply>() || s.as<loop::Combine>() ||
         s.as<loop::Store>() || s.as<loop::AsyncCopy>() || s.as<loop::Prefetch>() ||
         s.as<loop::AtomicCombine>() || s.as<loop::AtomicTake>();
}

namespace {

bool uses_buffer(const loop::Program& p, const Block& block,
                 const std::function<bool(const loop::Buffer&)>& holds) {
  return any_of(block, [&](const Stmt& s) {
    const loop::Uses uses = loop::uses_of(s);
    const auto is_meant = [&](const Symbol& b) { return holds(find_buffer(p, b)); };
    return std::any_of(uses.reads.begin(), uses.reads.end(), is_meant) ||
           std::any_of(uses.writes.begin(), uses.writes.end(), is_meant);
  });
}

}  // namespace

bool uses_registers(const loop::Program& p, const Stmt& s) {
  return uses_buffer(p, {s},
                     [](const loop::Buffer& b) { return b.scope == loop::Scope::registers; });
}

bool chooses_instance(const loop::Program& p, const loop::For& loop) {
  return uses_buffer(p, loop.body, [&](const loop::Buffer& b) {
    return std::find(b.per.begin(), b.per.end(), loop.var) != b.per.end();
  });
}

}  // namespace mdh::passes
