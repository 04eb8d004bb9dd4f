#include "mdh/passes/structured/gather_parts.h"

#include "mdh/passes/common/blocks.h"
#include "mdh/passes/common/geometry.h"
#include "mdh/passes/common/shapes.h"
#include "mdh/scalar/simplify.h"

namespace mdh::passes {

using loop::Block;
using loop::Counter;
using loop::Element;
using loop::Expr;
using loop::StmtNode;
using scalar::index_literal;

Block looped(const std::vector<Symbol>& digits, Block body) {
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
    body = {StmtNode{loop::Loop{*digit, body}}};
  }
  return body;
}

Block only_if(const Expr& condition, const Block& body) {
  return {StmtNode{loop::If{condition, body, {}}}};
}

Expr less(const Expr& a, const Expr& b) { return scalar::binary(scalar::BinaryOp::less, a, b); }

Elements with_value_of(const Elements& elements, const Symbol& name, const Expr& value) {
  return replaced(elements, [&](const Symbol& other) -> std::optional<Expr> {
    return other == name ? std::optional(value) : std::nullopt;
  });
}

Block PartGatherer::meeting(const Slots& slots, const Expr& pair, int64_t distance) {
  const Expr left = pair * index_literal(2 * distance);
  const Expr right = left + index_literal(distance);
  const Block body = combined_slots(slots.at(left), slots.at(right));
  return constant(slots.filled) == slots.parts ? body : only_if(less(right, slots.filled), body);
}

Block PartGatherer::combined_slots(const Elements& left, const Elements& right) {
  std::vector<Symbol> values, before, sums;
  for (size_t n = 0; n < left.size(); ++n) {
    before.push_back(names_.fresh("left"));
    values.push_back(names_.fresh("right"));
    sums.push_back(names_.fresh("both"));
  }
  Block block = loads(values, right);
  append(block, combined(left, values, before, sums));
  return block;
}

Block PartGatherer::combined_before(const Elements& right, const Elements& left) {
  std::vector<Symbol> before, values, sums;
  for (size_t n = 0; n < left.size(); ++n) {
    before.push_back(names_.fresh("left"));
    values.push_back(names_.fresh("right"));
    sums.push_back(names_.fresh("both"));
  }
  Block block = loads(before, left);
  append(block, loads(values, right));
  block.push_back(StmtNode{loop::Combine{sums, before, values}});
  append(block, stores(right, sums));
  return block;
}

const scalar::Type& PartGatherer::type_of(const Symbol& buffer) const {
  for (const loop::Buffer& b : buffers_) {
    if (b.symbol == buffer) return b.type;
  }
  return find_buffer(d_.program(), buffer).type;
}

Elements PartGatherer::in_group(const Elements& like, const std::vector<Counter>& axes,
                                const std::string& name, const std::vector<Symbol>& per,
                                Block& allocs) {
  Elements result;
  for (const Element& e : like) {
    loop::Buffer buffer{
        .symbol = names_.fresh(name),
        .type = type_of(e.buffer),
        .role = loop::Role::temporary,
        .region = "shared",
        .scope = d_.domain().is_one_team() ? loop::Scope::all : loop::Scope::group,
        .per = per};
    Element element{buffer.symbol, {}};
    for (const Counter& axis : axes) {
      buffer.extents.push_back(axis.count);
      std::erase(buffer.per, axis.var);
      element.index.push_back(loop::index_variable(axis.var));
    }
    buffers_.push_back(buffer);
    allocs.push_back(StmtNode{loop::Alloc{buffer.symbol}});
    result.push_back(element);
  }
  return result;
}

loop::Stmt PartGatherer::dealt(const std::vector<Counter>& shares, const Digits& inside,
                               const Block& body) const {
  return StmtNode{loop::Deal{loop::Team::cores, shares, true,
                             where_points_are(d_.program(), inside, body)}};
}

Block PartGatherer::gathered(const Gathering& g, int64_t shares) {
  const Digits inside = joined_digits(g.around, g.members);
  const int64_t each = (g.from.parts + shares - 1) / shares;
  const Counter share{names_.fresh("share"), shares};
  const Symbol part = names_.fresh("part");
  const Expr begin = loop::index_variable(share.var) * index_literal(each);
  std::vector<Counter> dealt_to = counters(g.members), axes = {share};
  axes.insert(axes.end(), dealt_to.begin(), dealt_to.end());
  for (const Counter& axis : counters(digits_of(d_.program(), g.elements))) axes.push_back(axis);
  if (shares > 1) dealt_to.push_back(share);
  Block result;
  loop::Target mine = g.target;
  if (shares > 1) {
    mine = {in_group(g.from.at(begin), axes, "some", g.per, result), {}};
  }
  mine.first.push_back(part);
  const Expr number = shares > 1 ? begin + loop::index_variable(part) : loop::index_variable(part);
  Block body = looped(g.elements, {StmtNode{loop::WriteUp{{}, g.from.at(number), mine}}});
  const bool all_there = constant(g.from.filled) == each * shares;
  if (!all_there) body = only_if(less(number, g.from.filled), body);
  result.push_back(dealt(dealt_to, inside,
                         {StmtNode{loop::For{part, index_literal(each), loop::How::sequential,
                                             g.level, body}}}));
  const Slots some{shares, scalar::simplify(parts_holding(g.from.filled, each)),
                   [&](const Expr& n) { return with_value_of(mine.elements, share.var, n); }};
  for (int64_t distance = 1; distance < shares; distance *= 2) {
    Counter pair{names_.fresh("pair"), shares / (2 * distance)};
    Block step = meeting(some, loop::index_variable(pair.var), distance);
    if (2 * distance == shares) {
      const Block up = {StmtNode{loop::WriteUp{{}, some.at(index_literal(0)), g.target}}};
      append(step, g.may_be_empty ? only_if(later_round(g.from.filled), up) : up);
    }
    step = looped(g.elements, step);
    if (d_.domain().lockstep % shares == 0) {
      // Those that have nothing to do are in the same warp: it waits for nobody else.
      step = only_if(less(loop::index_variable(pair.var), index_literal(pair.count)), step);
      pair.count = shares;
    }
    dealt_to.back() = pair;
    result.push_back(dealt(dealt_to, inside, step));
  }
  return result;
}

}  // namespace mdh::passes
