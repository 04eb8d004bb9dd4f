#include "mdh/passes/structured/copy_shape.h"

#include <algorithm>

#include "mdh/passes/common/alignment.h"
#include "mdh/passes/common/shapes.h"
#include "mdh/scalar/linear.h"
#include "mdh/scalar/simplify.h"

namespace mdh::passes {
namespace {

using loop::Copy;
using loop::Counter;
using loop::Element;
using loop::Expr;

/// The element without edges: as if those beyond them were there.
Element without_edges(Element e) {
  for (Expr& index : e.index) {
    if (const auto edge = held_back_at(index)) index = edge->index;
  }
  return e;
}

/// How far elements are apart along each axis, edges apart; nothing if one of them is no term of a
/// sum.
std::optional<std::vector<int64_t>> strides_of(const loop::Program& p, const Element& e,
                                               const std::vector<Counter>& axes) {
  std::vector<int64_t> strides;
  const Expr address = address_of(p, e);
  for (const Counter& axis : axes) {
    const auto stride = scalar::coefficient(address, axis.var);
    if (!stride) return std::nullopt;
    strides.push_back(std::abs(*stride));
  }
  return strides;
}

std::vector<Counter> in_order_of(const std::vector<Counter>& axes,
                                 const std::vector<int64_t>& strides) {
  std::vector<size_t> order(axes.size());
  for (size_t n = 0; n < order.size(); ++n) order[n] = n;
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return strides[a] > strides[b]; });
  // What the source does not depend on is read again and again: outermost.
  std::stable_partition(order.begin(), order.end(), [&](size_t n) { return strides[n] == 0; });
  std::vector<Counter> sorted;
  for (const size_t n : order) sorted.push_back(axes[n]);
  return sorted;
}

/// With so many elements along the last axis for each core.
Copy with_last_split(Copy copy, int64_t width, Names& names) {
  Counter& last = copy.axes.back();
  if (last.count == width) return copy;
  const Counter outer{names.fresh(last.var.name), last.count / width};
  const Expr both = loop::index_variable(outer.var) * scalar::index_literal(width) +
                    loop::index_variable(last.var);
  for (Element* side : {&copy.to, &copy.from}) {
    for (Expr& index : side->index) index = with_value(index, last.var, both);
  }
  for (Expr& condition : copy.within) condition = with_value(condition, last.var, both);
  last.count = width;
  copy.axes.insert(copy.axes.end() - 1, outer);
  return copy;
}

/// Elements along the last axis lie side by side and begin at a multiple of their number.
bool is_wide(const loop::Program& p, const Element& e, const Symbol& axis, int64_t width) {
  if (scalar::coefficient(e.index.back(), axis) != 1) return false;
  Element first = e;
  for (Expr& index : first.index) index = with_value(index, axis, 0);
  return alignment_of(p, first) % width == 0;
}

}  // namespace

CopyShape shape_of(const loop::Program& p, const Copy& copy, int64_t access_bytes, Names& names) {
  const bool has_shape = copy.roll || copy.ahead || !copy.blocks.empty();
  if (has_shape || copy.axes.empty() || copy.to.buffer == copy.from.buffer) return {copy};
  const auto strides = strides_of(p, without_edges(copy.from), copy.axes);
  if (!strides) return {copy};
  CopyShape shape{copy};
  shape.copy.axes = in_order_of(copy.axes, *strides);
  const bool flies = copy.transport == loop::Transport::async;
  const int64_t asked = find_buffer(p, copy.to.buffer).width;
  if (asked > 0) access_bytes = std::min(access_bytes, asked);
  int64_t width = widest_access(p, copy.from.buffer, access_bytes);
  if (flies) width = std::min(width, widest_access(p, copy.to.buffer, access_bytes));
  for (; width > 1; width /= 2) {
    if (shape.copy.axes.back().count % width != 0) continue;
    const Copy split = with_last_split(shape.copy, width, names);
    const Symbol axis = split.axes.back().var;
    if (!is_wide(p, split.from, axis, width)) continue;
    if (flies && !is_wide(p, split.to, axis, width)) continue;
    return {split, 1};
  }
  return shape;
}

}  // namespace mdh::passes
