#include "mdh/hl/ranges/interval.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "mdh/hl/ranges/interval_operations.h"
#include "mdh/scalar/apply.h"

namespace mdh::hl {
namespace {

using scalar::BinaryOp;
using scalar::Scalar;

/// Integers whose values all fit 64 signed bits.
bool is_handled(const Type& type) {
  return type.is_scalar() && !is_floating(scalar_of(type)) && scalar_of(type) != Scalar::u64;
}

}  // namespace

std::optional<IntervalFunction> IntervalFunction::of(const Program& p, const Expr& index) {
  IntervalFunction f;
  f.mentioned_.assign(p.dimensions.size(), false);
  const std::optional<int> root = f.add(p, index);
  if (!root) return std::nullopt;
  f.root_ = *root;
  return f;
}

std::optional<int> IntervalFunction::add(const Program& p, const Expr& e) {
  if (!is_handled(e.type())) return std::nullopt;
  Node node;
  node.type = scalar_of(e.type());
  if (const auto* literal = e.as<scalar::Literal>()) {
    node.number = literal->value.as_integer();
  } else if (const auto* v = e.as<scalar::Variable>()) {
    const auto found = std::find_if(p.dimensions.begin(), p.dimensions.end(),
                                    [&](const Dimension& d) { return d.symbol == v->symbol; });
    if (found == p.dimensions.end()) return std::nullopt;
    node.kind = Kind::dimension;
    node.number = found - p.dimensions.begin();
    mentioned_[static_cast<size_t>(node.number)] = true;
  } else {
    return add_operands(p, e, node);
  }
  nodes_.push_back(node);
  return static_cast<int>(nodes_.size()) - 1;
}

std::optional<int> IntervalFunction::add_operands(const Program& p, const Expr& e, Node node) {
  std::vector<Expr> operands;
  if (const auto* u = e.as<scalar::Unary>()) {
    node.kind = Kind::unary;
    node.unary = u->op;
    operands = {u->operand};
  } else if (const auto* b = e.as<scalar::Binary>()) {
    node.kind = Kind::binary;
    node.binary = b->op;
    operands = {b->left, b->right};
  } else if (const auto* s = e.as<scalar::Select>()) {
    node.kind = Kind::select;
    operands = {s->condition, s->then, s->otherwise};
  } else if (const auto* c = e.as<scalar::Cast>()) {
    node.kind = Kind::cast;
    operands = {c->operand};
  } else {
    return std::nullopt;
  }
  int places[3] = {0, 0, 0};
  for (size_t n = 0; n < operands.size(); ++n) {
    const std::optional<int> place = add(p, operands[n]);
    if (!place) return std::nullopt;
    places[n] = *place;
  }
  node.from = scalar_of(operands.front().type());
  node.a = places[0], node.b = places[1], node.c = places[2];
  nodes_.push_back(node);
  return static_cast<int>(nodes_.size()) - 1;
}

Interval IntervalFunction::value(int n, std::span<const Range> box) const {
  const Node& node = nodes_[static_cast<size_t>(n)];
  switch (node.kind) {
    case Kind::literal:
      return {node.number, node.number};
    case Kind::dimension: {
      const Range& range = box[static_cast<size_t>(node.number)];
      return {range.least, range.greatest};
    }
    case Kind::unary:
      return interval_of(node.unary, node.type, value(node.a, box));
    case Kind::binary:
      if (is_logical(node.binary)) return logical(node, box);
      return interval_of(node.binary, node.from, value(node.a, box), value(node.b, box));
    case Kind::select:
      return chosen(node, box);
    case Kind::cast:
      return converted_interval(node.from, node.type, value(node.a, box));
  }
  return {};
}

Interval IntervalFunction::chosen(const Node& node, std::span<const Range> box) const {
  const Interval condition = value(node.a, box);
  if (condition.trouble != Trouble::none) return whole(node.type, condition.trouble);
  if (condition.least == condition.greatest) {
    return value(condition.least != 0 ? node.b : node.c, box);
  }
  const Interval then = value(node.b, box), otherwise = value(node.c, box);
  return {std::min(then.least, otherwise.least), std::max(then.greatest, otherwise.greatest),
          first_trouble(then, otherwise)};
}

/// As in C the left operand may decide alone.
Interval IntervalFunction::logical(const Node& node, std::span<const Range> box) const {
  const Interval left = value(node.a, box);
  const int64_t decides = node.binary == BinaryOp::logical_or ? 1 : 0;
  const bool is_known = left.least == left.greatest;
  if (left.trouble != Trouble::none || (is_known && left.least == decides)) return left;
  const Interval right = value(node.b, box);
  if (is_known) return right;
  const bool agree = right.least == decides && right.greatest == decides;
  return {agree ? decides : 0, agree ? decides : 1, right.trouble};
}

}  // namespace mdh::hl
