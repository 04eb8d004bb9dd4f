#include "mdh/passes/structured/filled_copy.h"

#include <algorithm>

#include "mdh/passes/common/replicated.h"
#include "mdh/passes/common/shapes.h"

namespace mdh::passes {
namespace {

using loop::Expr;

/// min(index, last) with a last element that the buffer has.
bool is_held_back(const Expr& index, int64_t extent) {
  const auto edge = held_back_at(index);
  return edge && edge->extent <= extent;
}

}  // namespace

bool can_be_filled(const loop::Copy& copy, const std::set<Symbol>& axes) {
  if (copy.roll || copy.from.buffer == copy.to.buffer) return false;
  return std::all_of(copy.within.begin(), copy.within.end(), [&](const Expr& condition) {
    return is_free_of(condition, axes) || edge_of(condition);
  });
}

loop::Copy filled(const loop::Program& p, loop::Copy copy, const std::set<Symbol>& axes) {
  std::set<Symbol> cut;  // axes that reach over an edge
  std::erase_if(copy.within, [&](const Expr& condition) {
    if (is_free_of(condition, axes)) return false;
    for (const loop::Counter& axis : copy.axes) {
      if (mentions(condition, axis.var)) cut.insert(axis.var);
    }
    return true;
  });
  const loop::Buffer& from = find_buffer(p, copy.from.buffer);
  if (from.role == loop::Role::temporary) return copy;
  for (size_t n = 0; n < copy.from.index.size(); ++n) {
    Expr& index = copy.from.index[n];
    if (is_free_of(index, cut) || is_held_back(index, from.extents[n])) continue;
    index = held_back(index, from.extents[n]);
  }
  return copy;
}

}  // namespace mdh::passes
