#include "mdh/passes/common/shapes.h"

#include <algorithm>

#include "mdh/passes/common/blocks.h"
#include "mdh/passes/common/geometry.h"
#include "mdh/scalar/simplify.h"

namespace mdh::passes {

using loop::Block;
using loop::Element;
using loop::Expr;
using loop::StmtNode;
using scalar::BinaryOp;
using scalar::index_literal;

namespace {

const scalar::Binary* as_operation(const Expr& e, BinaryOp op) {
  const auto* b = e.as<scalar::Binary>();
  return b && b->op == op ? b : nullptr;
}

/// `counter op 0`.
bool compares_with_zero(const Expr& e, BinaryOp op, const Symbol& counter) {
  const auto* b = as_operation(e, op);
  const auto* v = b ? b->left.as<scalar::Variable>() : nullptr;
  return v && v->symbol == counter && constant(b->right) == 0;
}

}  // namespace

Expr bounded(const Expr& trip, const Expr& room) { return least(trip, room); }

std::optional<Bound> bound_of(const loop::For& loop) {
  const auto* both = as_operation(loop.trip, BinaryOp::minimum);
  const auto parts = both ? constant(both->left) : std::nullopt;
  return parts ? std::optional(Bound{*parts, both->right}) : std::nullopt;
}

Expr parts_holding(const Expr& points, int64_t step) { return ceiling_quotient(points, step); }

std::optional<Expr> points_in(const Expr& parts, int64_t step) {
  if (step == 1) return parts;
  const auto* ratio = as_operation(parts, BinaryOp::divide);
  if (!ratio || constant(ratio->right) != step) return std::nullopt;
  return ratio->left - index_literal(step - 1);
}

Expr shift_by(const Expr& missing) {
  return scalar::binary(BinaryOp::maximum, index_literal(0), missing);
}

std::optional<Expr> missing_of(const Expr& shift) {
  const auto* both = as_operation(shift, BinaryOp::maximum);
  return both && constant(both->left) == 0 ? std::optional(both->right) : std::nullopt;
}

Expr first_round(const Expr& counter) {
  return scalar::binary(BinaryOp::equal, counter, index_literal(0));
}

Expr later_round(const Expr& counter) {
  return scalar::binary(BinaryOp::greater, counter, index_literal(0));
}

bool is_first_round(const Expr& condition, const Symbol& counter) {
  return compares_with_zero(condition, BinaryOp::equal, counter);
}

bool is_later_round(const Expr& condition, const Symbol& counter) {
  return compares_with_zero(condition, BinaryOp::greater, counter);
}

Expr below(const Expr& index, int64_t extent) {
  return scalar::binary(BinaryOp::less, index, index_literal(extent));
}

std::optional<Edge> edge_of(const Expr& condition) {
  const auto* less = as_operation(condition, BinaryOp::less);
  const auto extent = less ? constant(less->right) : std::nullopt;
  return extent ? std::optional(Edge{less->left, *extent}) : std::nullopt;
}

Expr held_back(const Expr& index, int64_t extent) {
  return least(index, index_literal(extent - 1));
}

std::optional<Edge> held_back_at(const Expr& index) {
  const auto* both = as_operation(index, BinaryOp::minimum);
  const auto last = both ? constant(both->right) : std::nullopt;
  return last ? std::optional(Edge{both->left, *last + 1}) : std::nullopt;
}

loop::Stmt element_loop(const Symbol& counter, const Expr& trip, loop::How how, const Block& body) {
  return StmtNode{loop::For{counter, trip, how, "", body}};
}

bool is_element_loop(const loop::For& loop) { return loop.level.empty(); }

Block element_copy(const Element& to, const Element& from, const Symbol& value) {
  return {StmtNode{loop::Load{value, from}}, StmtNode{loop::Store{to, value}}};
}

Block element_flight(const Element& to, const Element& from) {
  return {StmtNode{loop::AsyncCopy{to, from}}};
}

bool is_element_copy(const Block& block) {
  if (block.size() == 1) return block.front().as<loop::AsyncCopy>() != nullptr;
  if (block.size() != 2) return false;
  const auto* load = block.front().as<loop::Load>();
  const auto* store = block.back().as<loop::Store>();
  return load && store && store->value == load->result;
}

Expr along(const loop::Counter& axis) { return loop::index_variable(axis.var); }

const loop::Counter* axis_along(const loop::Copy& copy, const Expr& index) {
  const auto* v = index.as<scalar::Variable>();
  const auto found = std::find_if(copy.axes.begin(), copy.axes.end(),
                                  [&](const auto& axis) { return v && axis.var == v->symbol; });
  return found == copy.axes.end() ? nullptr : &*found;
}

Block overwritten(const std::vector<Element>& elements, const std::vector<Symbol>& values) {
  return stores(elements, values);
}

Block combined(const std::vector<Element>& elements, const std::vector<Symbol>& values,
               const std::vector<Symbol>& before, const std::vector<Symbol>& sums) {
  Block block = loads(before, elements);
  block.push_back(StmtNode{loop::Combine{sums, before, values}});
  append(block, stores(elements, sums));
  return block;
}

std::optional<Update> update_of(const Block& block, size_t at, const std::vector<Symbol>& values) {
  std::vector<Element> read;
  std::vector<Symbol> before, stored = values;
  for (; at < block.size() && block[at].as<loop::Load>(); ++at) {
    read.push_back(block[at].as<loop::Load>()->from);
    before.push_back(block[at].as<loop::Load>()->result);
  }
  if (!read.empty()) {
    const auto* sum = at < block.size() ? block[at++].as<loop::Combine>() : nullptr;
    if (!sum || sum->left != before || sum->right != values) return std::nullopt;
    stored = sum->results;
  }
  Update update{{}, read.empty()};
  for (const Symbol& value : stored) {
    const auto* store = at < block.size() ? block[at++].as<loop::Store>() : nullptr;
    if (!store || store->value != value) return std::nullopt;
    update.elements.push_back(store->to);
  }
  const bool same = update.overwrites || read == update.elements;
  return at == block.size() && same ? std::optional(update) : std::nullopt;
}

Block where_points_are(const loop::Program& p, const std::vector<loop::Digit>& digits,
                       const Block& body) {
  const auto condition = nonempty(p, digits);
  return condition ? Block{StmtNode{loop::If{*condition, body, {}}}} : body;
}

const Block& without_guard(const loop::Program& p, const std::vector<loop::Digit>& digits,
                           const Block& block) {
  const auto* choice = block.size() == 1 ? block.front().as<loop::If>() : nullptr;
  const bool is_guard =
      choice && choice->otherwise.empty() && nonempty(p, digits) == choice->condition;
  return is_guard ? choice->then : block;
}

}  // namespace mdh::passes
