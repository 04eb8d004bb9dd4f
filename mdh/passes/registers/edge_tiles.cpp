#include "mdh/passes/registers/edge_tiles.h"

#include <algorithm>
#include <map>
#include <set>

#include "mdh/passes/common/blocks.h"
#include "mdh/passes/common/replicated.h"
#include "mdh/passes/common/shapes.h"
#include "mdh/scalar/simplify.h"

namespace mdh::passes {
namespace {

using loop::Block;
using loop::Expr;
using loop::How;
using loop::Stmt;
using loop::StmtNode;

bool in_registers(const loop::Program& p, const Symbol& buffer) {
  return find_buffer(p, buffer).scope == loop::Scope::registers;
}

bool reads_buffer(const Block& block, const Symbol& buffer) {
  return any_of(block, [&](const Stmt& s) { return reads(s, buffer); });
}

bool writes_buffer(const Block& block, const Symbol& buffer) {
  return any_of(block, [&](const Stmt& s) { return !s.as<loop::Alloc>() && writes(s, buffer); });
}

/// Some elements are not written.
bool is_masked(const loop::For& loop, const Symbol& buffer) {
  return std::any_of(loop.body.begin(), loop.body.end(), [&](const Stmt& s) {
    const auto* choice = s.as<loop::If>();
    return choice && choice->otherwise.empty() && writes_buffer(choice->then, buffer);
  });
}

/// Rounds may write different elements.
bool may_write_apart(const loop::Program& p, const loop::For& loop, const Symbol& buffer) {
  std::set<Symbol> varying = {loop.var};
  const auto varies = [&](const Expr& e) { return !is_free_of(e, varying); };
  return chooses_instance(p, loop) || any_of(loop.body, [&](const Stmt& s) {
           const auto* let = s.as<loop::Let>();
           if (let && varies(let->value)) varying.insert(let->var);
           const auto* store = s.as<loop::Store>();
           return store && store->to.buffer == buffer &&
                  std::any_of(store->to.index.begin(), store->to.index.end(), varies);
         });
}

/// Loops over registers and lanes in it have no bounds, so that all that they write is written. A
/// reduction may end early: its first round, which is there where points are, writes everything.
bool computes_all(const loop::Program& p, const Block& block, const Symbol& buffer) {
  const bool bounded = any_of(block, [&](const Stmt& s) {
    const loop::For* loop = as_replicated(s);
    return loop && (!constant(loop->trip) || is_masked(*loop, buffer)) &&
           may_write_apart(p, *loop, buffer);
  });
  return writes_buffer(block, buffer) && !bounded;
}

bool uses_buffer(const Block& block, const Symbol& buffer) {
  return reads_buffer(block, buffer) || writes_buffer(block, buffer);
}

/// Nothing is computed but combinations, and no register is written.
bool is_write_up(const loop::Program& p, const Block& block) {
  return !any_of(block, [&](const Stmt& s) {
    const std::vector<Symbol> written = loop::uses_of(s).writes;
    return s.as<loop::Apply>() || std::any_of(written.begin(), written.end(),
                                              [&](const auto& b) { return in_registers(p, b); });
  });
}

/// Registers that begin in the block.
std::vector<Symbol> registers_begun_in(const loop::Program& p, const Block& block) {
  std::vector<Symbol> found;
  for (const Stmt& s : block) {
    const auto* alloc = s.as<loop::Alloc>();
    if (alloc && in_registers(p, alloc->buffer)) found.push_back(alloc->buffer);
  }
  return found;
}

/// Copies what statements read of registers, with the loops around the reads; loops over
/// registers and lanes run over all of their parts, as they do in whole tiles.
class Copier {
 public:
  Copier(const Symbol& from, const Symbol& to, Names& names)
      : from_(from), to_(to), names_(names) {}

  Block copies(const Block& rest) {
    find(rest, {});
    return copies_;
  }

 private:
  void find(const Block& block, const std::vector<loop::For>& around) {
    for (const Stmt& s : block) {
      const auto* load = s.as<loop::Load>();
      if (load && load->from.buffer == from_) add(load->from, around);
      std::vector<loop::For> inside = around;
      if (const auto* loop = s.as<loop::For>()) inside.push_back(with_all_parts(*loop));
      loop::for_each_child(s, [&](const Block& child) { find(child, inside); });
    }
  }

  static loop::For with_all_parts(loop::For loop) {
    loop.body.clear();
    if (const auto bound = bound_of(loop); bound && is_replicated(loop.how)) {
      loop.trip = scalar::index_literal(bound->parts);
    }
    return loop;
  }

  void add(const loop::Element& element, const std::vector<loop::For>& around) {
    if (std::find(done_.begin(), done_.end(), element) != done_.end()) return;
    done_.push_back(element);
    const Symbol value = names_.fresh(to_.name + "_x");
    Block body = element_copy({to_, element.index}, element, value);
    for (auto loop = around.rbegin(); loop != around.rend(); ++loop) {
      loop::For outer = *loop;
      outer.body = body;
      body = {StmtNode{outer}};
    }
    append(copies_, body);
  }

  Symbol from_, to_;
  Names& names_;
  std::vector<loop::Element> done_;
  Block copies_;
};

/// Loops one round after the other, reading from other buffers.
Block in_sequence(const Block& block, const std::map<Symbol, Symbol>& instead) {
  Block result;
  for (const Stmt& s : block) {
    StmtNode node = loop::map_children(s, [&](const Block& child) {
                      return in_sequence(child, instead);
                    }).node();
    if (auto* loop = std::get_if<loop::For>(&node.is)) loop->how = How::sequential;
    if (auto* load = std::get_if<loop::Load>(&node.is)) {
      const auto found = instead.find(load->from.buffer);
      if (found != instead.end()) load->from.buffer = found->second;
    }
    result.push_back(node);
  }
  return result;
}

}  // namespace

size_t common_statements(const loop::Program& p, const Block& tile,
                         const std::function<bool(const Stmt&)>& reaches_edge) {
  const auto first = std::find_if(tile.begin(), tile.end(), reaches_edge);
  auto end = first;
  for (auto at = end; at != tile.begin();) {
    --at;
    const auto* alloc = at->as<loop::Alloc>();
    if (!alloc || !in_registers(p, alloc->buffer)) continue;
    const Block before(at, end), rest(end, tile.end());
    const bool written_up = computes_all(p, before, alloc->buffer) && is_write_up(p, rest);
    if (uses_buffer(rest, alloc->buffer) && !written_up) end = at;
  }
  return static_cast<size_t>(end - tile.begin());
}

Block from_memory(loop::Program& p, const Block& before, const Block& rest, Names& names) {
  Block result;
  std::map<Symbol, Symbol> instead;
  for (const Symbol& buffer : registers_begun_in(p, before)) {
    if (!reads_buffer(rest, buffer)) continue;
    loop::Buffer memory = find_buffer(p, buffer);
    memory.symbol = names.fresh(buffer.name + "_edge");
    memory.holds = 0;
    result.push_back(StmtNode{loop::Alloc{memory.symbol}});
    append(result, Copier(buffer, memory.symbol, names).copies(rest));
    instead.insert_or_assign(buffer, memory.symbol);
    p.buffers.push_back(memory);
  }
  if (instead.empty()) return rest;
  append(result, in_sequence(rest, instead));
  return result;
}

}  // namespace mdh::passes
