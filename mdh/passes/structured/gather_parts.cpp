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

const loop::Deal* open_share(const Symbol& over, const loop::Stmt& made_by) {
  const auto* made = made_by.as<loop::Deal>();
  if (!made || made->collective || made->team != loop::Team::grid) return nullptr;
  const bool has_last = !made->body.empty() && made->body.back().as<loop::Last>();
  const bool is_open = !has_last && !loop::meets_over(*made);
  return is_open && loop::has_counter(made->shares, over) ? made : nullptr;
}

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
  return joined_into(left, left, right);
}

Block PartGatherer::joined_into(const Elements& to, const Elements& left, const Elements& right) {
  std::vector<Symbol> before, after, sums;
  for (size_t n = 0; n < to.size(); ++n) {
    before.push_back(names_.fresh("left"));
    after.push_back(names_.fresh("right"));
    sums.push_back(names_.fresh("both"));
  }
  Block block = loads(after, right);
  append(block, loads(before, left));
  block.push_back(StmtNode{loop::Combine{sums, before, after}});
  append(block, stores(to, sums));
  return block;
}

Block PartGatherer::handed_over(const Elements& to, const Elements& from, const Digits& members,
                                const Symbol& over, int64_t by,
                                const std::vector<Symbol>& elements) const {
  Block result;
  const std::vector<Counter> tile = counters(digits_of(d_.program(), elements));
  for (int64_t at = 0; at < loop::volume_of(tile); ++at) {
    Elements to_here = to, from_here = from;
    int64_t rest = at;
    for (auto axis = tile.rbegin(); axis != tile.rend(); ++axis) {
      to_here = with_value_of(to_here, axis->var, index_literal(rest % axis->count));
      from_here = with_value_of(from_here, axis->var, index_literal(rest % axis->count));
      rest /= axis->count;
    }
    for (size_t n = 0; n < to.size(); ++n) {
      result.push_back(
          StmtNode{loop::Exchange{counters(members), over, by, to_here[n], from_here[n]}});
    }
  }
  return result;
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
    loop::Buffer buffer{.symbol = names_.fresh(name),
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
  return StmtNode{
      loop::Deal{loop::Team::cores, shares, true, where_points_are(d_.program(), inside, body)}};
}

/// Some of the parts, side by side, become one.
Slots PartGatherer::shared_out(const Gathering& g, int64_t shares, Block& result) {
  const int64_t each = (g.from.parts + shares - 1) / shares;
  const Counter share{names_.fresh("share"), shares};
  const Symbol part = names_.fresh("part");
  const Expr number =
      loop::index_variable(share.var) * index_literal(each) + loop::index_variable(part);
  std::vector<Counter> axes = {share}, cores = counters(g.members);
  axes.insert(axes.end(), cores.begin(), cores.end());
  for (const Counter& axis : counters(digits_of(d_.program(), g.elements))) axes.push_back(axis);
  cores.push_back(share);
  const Elements mine = in_group(g.from.at(number), axes, "some", g.per, result);
  result.push_back(dealt(cores, joined_digits(g.around, g.members),
                         folded(g, number, {part, each}, {mine, {part}}, each * shares)));
  return {shares, scalar::simplify(parts_holding(g.from.filled, each)),
          [mine, share](const Expr& n) { return with_value_of(mine, share.var, n); }};
}

/// One part after the other, with numbers that are there below `all`.
Block PartGatherer::folded(const Gathering& g, const Expr& number, const Counter& part,
                           const loop::Target& target, int64_t all) const {
  Block body = looped(g.elements, {StmtNode{loop::WriteUp{{}, g.from.at(number), target}}});
  if (constant(g.from.filled) != all) body = only_if(less(number, g.from.filled), body);
  return {StmtNode{
      loop::For{part.var, index_literal(part.count), loop::How::sequential, g.level, body}}};
}

/// Slots that meet, until the first one has all.
Block PartGatherer::met(const Gathering& g, const Slots& slots) {
  Block result;
  for (int64_t distance = 1; distance < slots.parts; distance *= 2) {
    Counter pair{names_.fresh("pair"), slots.parts / (2 * distance)};
    Block step = meeting(slots, loop::index_variable(pair.var), distance);
    if (2 * distance == slots.parts) {
      const Block up = {StmtNode{loop::WriteUp{{}, slots.at(index_literal(0)), g.target}}};
      append(step, g.may_be_empty ? only_if(later_round(g.from.filled), up) : up);
    }
    step = looped(g.elements, step);
    if (d_.domain().lockstep % slots.parts == 0) {
      // Those that have nothing to do are in the same warp: it waits for nobody else.
      step = only_if(less(loop::index_variable(pair.var), index_literal(pair.count)), step);
      pair.count = slots.parts;
    }
    std::vector<Counter> cores = counters(g.members);
    cores.push_back(pair);
    result.push_back(dealt(cores, joined_digits(g.around, g.members), step));
  }
  return result;
}

/// More of them are shared out once more before they meet, so that those who meet are in one warp.
constexpr int64_t most_that_meet = 32;

Block PartGatherer::gathered(const Gathering& g, int64_t shares) {
  if (shares == 1) {
    const Counter part{names_.fresh("part"), g.from.parts};
    loop::Target target = g.target;
    target.first.push_back(part.var);
    return {dealt(counters(g.members), joined_digits(g.around, g.members),
                  folded(g, loop::index_variable(part.var), part, target, g.from.parts))};
  }
  Block result;
  Gathering rest = g;
  rest.from = shared_out(g, shares, result);
  if (shares > most_that_meet) rest.from = shared_out(rest, most_that_meet, result);
  append(result, met(rest, rest.from));
  return result;
}

}  // namespace mdh::passes
