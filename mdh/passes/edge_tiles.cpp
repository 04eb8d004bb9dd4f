#include "mdh/passes/edge_tiles.h"

#include <algorithm>
#include <map>

#include "mdh/passes/blocks.h"
#include "mdh/passes/replicated.h"
#include "mdh/scalar/simplify.h"

namespace mdh::passes {
namespace {

using loop::Block;
using loop::Expr;
using loop::How;
using loop::Stmt;
using loop::StmtNode;

bool is_in(const std::vector<Symbol>& symbols, const Symbol& symbol) {
  return std::find(symbols.begin(), symbols.end(), symbol) != symbols.end();
}

bool is_register(const loop::Program& p, const Symbol& buffer) {
  return find_buffer(p, buffer).scope == loop::Scope::registers;
}

bool reads(const Block& block, const Symbol& buffer) {
  return any_of(block, [&](const Stmt& s) { return is_in(loop::uses_of(s).reads, buffer); });
}

bool writes(const Block& block, const Symbol& buffer) {
  return any_of(block, [&](const Stmt& s) {
    return !s.as<loop::Alloc>() && is_in(loop::uses_of(s).writes, buffer);
  });
}

bool uses(const Block& block, const Symbol& buffer) {
  return reads(block, buffer) || writes(block, buffer);
}

/// Nothing is computed but combinations, and no register is written.
bool is_write_up(const loop::Program& p, const Block& block) {
  return !any_of(block, [&](const Stmt& s) {
    const std::vector<Symbol> written = loop::uses_of(s).writes;
    return s.as<loop::Apply>() || std::any_of(written.begin(), written.end(),
                                              [&](const auto& b) { return is_register(p, b); });
  });
}

/// Registers that begin in the block.
std::vector<Symbol> registers_of(const loop::Program& p, const Block& block) {
  std::vector<Symbol> found;
  for (const Stmt& s : block) {
    const auto* alloc = s.as<loop::Alloc>();
    if (alloc && is_register(p, alloc->buffer)) found.push_back(alloc->buffer);
  }
  return found;
}

/// The most lanes that a loop of the program has.
int64_t lanes_of(const loop::Program& p) {
  int64_t lanes = 1;
  for (const loop::Digit& d : p.digits) {
    if (d.how == How::lanes) lanes = std::max(lanes, d.parts);
  }
  return lanes;
}

/// Loops over all elements of registers, as vectors where their last index has whole ones.
Block copied(const loop::Program& p, const loop::Buffer& from, const Symbol& to, Names& names) {
  loop::Element element{from.symbol, {}};
  std::vector<loop::For> loops;
  const auto counter = [&](int64_t count, How how) {
    const Symbol var = names.fresh(to.name + "_n");
    loops.push_back({var, scalar::index_literal(count), how, "", {}});
    return loop::index_variable(var);
  };
  for (size_t n = 0; n < from.extents.size(); ++n) {
    const int64_t count = from.extents[n], lanes = lanes_of(p);
    if (n + 1 < from.extents.size() || lanes == 1 || count % lanes != 0) {
      element.index.push_back(counter(count, How::unrolled));
      continue;
    }
    const Expr vector = counter(count / lanes, How::unrolled);
    element.index.push_back(vector * scalar::index_literal(lanes) + counter(lanes, How::lanes));
  }
  const Symbol value = names.fresh(to.name + "_x");
  Block body = {StmtNode{loop::Load{value, element}},
                StmtNode{loop::Store{{to, element.index}, value}}};
  for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
    loop->body = body;
    body = {StmtNode{*loop}};
  }
  return body;
}

/// Loops one round after the other, reading from other buffers.
Block sequential(const Block& block, const std::map<Symbol, Symbol>& instead) {
  Block result;
  for (const Stmt& s : block) {
    StmtNode node = loop::map_children(s, [&](const Block& child) {
                      return sequential(child, instead);
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
    if (!alloc || !is_register(p, alloc->buffer)) continue;
    const Block before(at, end), rest(end, tile.end());
    const bool written_up = writes(before, alloc->buffer) && is_write_up(p, rest);
    if (uses(rest, alloc->buffer) && !written_up) end = at;
  }
  return static_cast<size_t>(end - tile.begin());
}

Block from_memory(loop::Program& p, const Block& before, const Block& rest, Names& names) {
  Block result;
  std::map<Symbol, Symbol> instead;
  for (const Symbol& buffer : registers_of(p, before)) {
    if (!reads(rest, buffer)) continue;
    loop::Buffer memory = find_buffer(p, buffer);
    memory.symbol = names.fresh(buffer.name + "_edge");
    memory.holds = 0;
    result.push_back(StmtNode{loop::Alloc{memory.symbol}});
    append(result, copied(p, find_buffer(p, buffer), memory.symbol, names));
    instead.insert_or_assign(buffer, memory.symbol);
    p.buffers.push_back(memory);
  }
  if (instead.empty()) return rest;
  append(result, sequential(rest, instead));
  return result;
}

}  // namespace mdh::passes
