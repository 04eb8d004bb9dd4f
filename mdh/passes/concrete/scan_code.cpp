#include "mdh/passes/concrete/scan_code.h"

#include <map>

#include "mdh/passes/common/blocks.h"
#include "mdh/passes/common/geometry.h"
#include "mdh/passes/common/shapes.h"
#include "mdh/scalar/simplify.h"

namespace mdh::passes {

using loop::Block;
using loop::Digit;
using loop::Element;
using loop::Expr;
using loop::StmtNode;
using scalar::BinaryOp;
using scalar::index_literal;

namespace {

int64_t volume(const std::vector<Digit>& digits) {
  int64_t product = 1;
  for (const Digit& d : digits) product *= d.parts;
  return product;
}

}  // namespace

/// The digits of one scan, and those of its dimension that are fixed; the fine ones among them are
/// held by the core that runs the code.
struct ScanCode::Shape {
  Digit digit;
  std::vector<Digit> coarse, fine, fixed, held;
  int64_t size;

  int64_t rows() const { return volume(coarse); }
  int64_t last() const { return volume(fine) - 1; }
};

/// A row of coarse parts, a part, and a number within it.
struct ScanCode::Position {
  Expr row, part, fine;

  using Values = std::map<Symbol, Expr>;

  static void cut(const std::vector<Digit>& digits, const Expr& number, Values& values) {
    int64_t stride = volume(digits);
    for (const Digit& d : digits) {
      stride /= d.parts;
      const Expr quotient =
          stride == 1 ? number : scalar::binary(BinaryOp::divide, number, index_literal(stride));
      const Expr digit = scalar::binary(BinaryOp::remainder, quotient, index_literal(d.parts));
      values.emplace(d.var, &d == &digits.front() ? quotient : digit);
    }
  }

  Values values(const Shape& shape) const {
    Values values;
    cut(shape.coarse, row, values);
    cut(shape.fine, fine, values);
    values.emplace(shape.digit.var, part);
    return values;
  }

  std::vector<Element> in(const Shape& shape, std::vector<Element> elements) const {
    const Values digits = values(shape);
    return replaced(std::move(elements), [&](const Symbol& symbol) -> std::optional<Expr> {
      const auto found = digits.find(symbol);
      return found == digits.end() ? std::nullopt : std::optional(found->second);
    });
  }

  Expr index(const Shape& shape) const {
    Expr sum = index_literal(0);
    for (const Digit& d : shape.fixed) {
      sum = sum + loop::index_variable(d.var) * index_literal(d.step);
    }
    const Values digits = values(shape);
    for (const auto* group : {&shape.coarse, &shape.fine}) {
      for (const Digit& d : *group) sum = sum + digits.at(d.var) * index_literal(d.step);
    }
    return simplify(sum + part * index_literal(shape.digit.step));
  }
};

ScanCode::ScanCode(const loop::Program& p, Names& names)
    : program_(p),
      names_(names),
      row_(names.fresh("row")),
      fine_(names.fresh("fine")),
      other_(names.fresh("other")) {}

/// New names, because pieces of a scan may end up in one block.
std::vector<Symbol> ScanCode::values(const char* name) const {
  std::vector<Symbol> values;
  for (const auto& result : program_.f.results) {
    values.push_back(names_.fresh(result.target.name + "_" + name));
  }
  return values;
}

namespace {

template <class Shape>
Shape shape_of(const loop::Program& p, const loop::ScanShape& s, const std::vector<Digit>& around) {
  Shape shape{find_digit(p, s.digit), digits_of(p, s.coarse), digits_of(p, s.fine), {}, {}, 0};
  for (const Digit& d : around) {
    if (d.dimension != shape.digit.dimension || d.var == s.digit) continue;
    shape.fixed.push_back(d);
    if (std::erase(shape.fine, d) > 0) shape.held.push_back(d);
  }
  shape.size = p.dimensions[shape.digit.dimension].size;
  return shape;
}

}  // namespace

/// Loops over the digits that have no value yet.
Block ScanCode::lines(const std::vector<Symbol>& digits, std::vector<Digit> around,
                      const Block& body) const {
  std::vector<loop::For> loops;
  for (const Symbol& symbol : digits) {
    const Digit& d = find_digit(program_, symbol);
    const bool fixed = std::any_of(around.begin(), around.end(),
                                   [&](const Digit& other) { return other.var == symbol; });
    if (fixed) continue;
    loops.push_back({d.var, trip(program_, around, d), loop::How::sequential, d.level, {}});
    around.push_back(d);
  }
  Block block = body;
  for (auto l = loops.rbegin(); l != loops.rend(); ++l) {
    l->body = block;
    block = {StmtNode{*l}};
  }
  return block;
}

Block ScanCode::rows(const Shape& shape, bool descending,
                     const std::function<Block(const Expr&)>& body) const {
  const int64_t count = shape.rows();
  if (count == 1) return body(index_literal(0));
  const Expr counter = loop::index_variable(row_);
  const Expr row = descending ? index_literal(count - 1) - counter : counter;
  return {element_loop(row_, index_literal(count), loop::How::sequential, body(simplify(row)))};
}

/// Nothing if it always does.
std::optional<Expr> ScanCode::exists(const Shape& shape, const Position& at) const {
  int64_t greatest = 0;
  for (const auto* group : {&shape.fixed, &shape.coarse, &shape.fine}) {
    for (const Digit& d : *group) greatest += (d.parts - 1) * d.step;
  }
  greatest += (shape.digit.parts - 1) * shape.digit.step;
  if (greatest < shape.size) return std::nullopt;
  return below(at.index(shape), shape.size);
}

/// The body where the position exists.
Block ScanCode::within(const Shape& shape, const Position& at, const Block& body) const {
  const auto exists = this->exists(shape, at);
  return exists ? Block{StmtNode{loop::If{*exists, body, {}}}} : body;
}

/// before ⊕ every element of a part.
Block ScanCode::prepended(const Shape& shape, const Position& part,
                          const std::vector<Element>& elements,
                          const std::vector<Element>& before) const {
  const int64_t count = shape.last() + 1;
  const Expr number = count == 1 ? index_literal(0) : loop::index_variable(fine_);
  const Position at{part.row, part.part, number};
  const std::vector<Element> mine = at.in(shape, elements);
  const auto left = values("before"), right = values("after"), sum = values("joined");
  Block body = loads(left, before);
  append(body, loads(right, mine));
  body.push_back(StmtNode{loop::Combine{sum, left, right}});
  append(body, stores(mine, sum));
  const Block guarded = within(shape, at, body);
  if (count == 1) return guarded;
  return {element_loop(fine_, index_literal(count), loop::How::sequential, guarded)};
}

Block ScanCode::step(const loop::ScanStep& s, const std::vector<Digit>& around) const {
  const auto shape = shape_of<Shape>(program_, s.shape, around);
  const Expr part = loop::index_variable(s.shape.digit);
  const Expr last = index_literal(shape.last()), zero = index_literal(0);
  const Block joined = rows(shape, true, [&](const Expr& row) {
    const Position before{row, part - index_literal(1), last};
    Block block = prepended(shape, {row, part, zero}, s.elements, before.in(shape, s.elements));
    if (shape.rows() == 1) return block;
    const Position above{row - index_literal(1), part, last};
    const Block others = prepended(shape, {row, loop::index_variable(other_), zero}, s.elements,
                                   above.in(shape, s.elements));
    const Block loop = {element_loop(other_, part, loop::How::sequential, others)};
    block.push_back(StmtNode{loop::If{later_round(row), loop, {}}});
    return block;
  });
  return {StmtNode{loop::If{later_round(part), lines(s.shape.lines, around, joined), {}}}};
}

Block ScanCode::totals(const loop::ScanFix& s, const std::vector<Digit>& around) const {
  const auto shape = shape_of<Shape>(program_, s.shape, around);
  const Expr part = loop::index_variable(s.shape.digit);
  Block result =
      lines(s.shape.lines, around, rows(shape, false, [&](const Expr& row) {
              const Position at{row, part, index_literal(shape.last())};
              const auto total = values("total");
              Block block = loads(total, at.in(shape, s.elements));
              append(block, stores(at.in(shape, s.totals), total));
              return Block{StmtNode{loop::If{below(at.index(shape), shape.size), block, {}}}};
            }));
  for (const Digit& d : shape.held) {
    const Expr is_last =
        scalar::binary(BinaryOp::equal, loop::index_variable(d.var), index_literal(d.parts - 1));
    result = {StmtNode{loop::If{is_last, result, {}}}};
  }
  return result;
}

std::optional<Expr> ScanCode::is_whole(const loop::ScanFix& s,
                                       const std::vector<Digit>& around) const {
  const auto shape = shape_of<Shape>(program_, s.shape, around);
  const Expr part = loop::index_variable(s.shape.digit);
  return exists(shape, {index_literal(0), part, index_literal(shape.last())});
}

Block ScanCode::where_whole(const loop::ScanFix& s, const std::vector<Digit>& around,
                            const Block& body) const {
  const auto condition = is_whole(s, around);
  return condition ? Block{StmtNode{loop::If{*condition, body, {}}}} : body;
}

/// One more total into the offset.
Block ScanCode::gathered(const loop::ScanFix& s, const Shape& shape, const Position& from,
                         const Position& to, const Expr& is_first) const {
  const auto total = values("total"), old = values("old"), sum = values("joined");
  const std::vector<Element> offset = to.in(shape, s.offset);
  Block block = loads(total, from.in(shape, s.totals));
  block.push_back(
      StmtNode{loop::If{is_first, overwritten(offset, total), combined(offset, total, old, sum)}});
  return block;
}

/// Something comes before a part.
Expr ScanCode::has_others(const Shape& shape, const Expr& row) const {
  const Expr part = loop::index_variable(shape.digit.var);
  if (shape.rows() == 1) return later_round(part);
  return scalar::binary(
      BinaryOp::logical_or, later_round(part),
      scalar::binary(BinaryOp::logical_and, later_round(row), below(part, shape.digit.parts - 1)));
}

Block ScanCode::offsets(const loop::ScanFix& s, const std::vector<Digit>& around, Then then) const {
  const auto shape = shape_of<Shape>(program_, s.shape, around);
  const Expr part = loop::index_variable(s.shape.digit), other = loop::index_variable(other_);
  const Expr zero = index_literal(0), one = index_literal(1);
  return lines(s.shape.lines, around, rows(shape, false, [&](const Expr& row) {
                 const Position to{row, part, zero};
                 Block block = {
                     element_loop(other_, part, loop::How::sequential,
                                  gathered(s, shape, {row, other, zero}, to, first_round(other)))};
                 if (shape.rows() > 1) {
                   const Expr is_first =
                       scalar::binary(BinaryOp::logical_and, first_round(part), first_round(other));
                   const Position above{row - one, part + one + other, zero};
                   const Expr count = index_literal(shape.digit.parts - 1) - part;
                   const Block loop = {element_loop(other_, count, loop::How::sequential,
                                                    gathered(s, shape, above, to, is_first))};
                   block.push_back(StmtNode{loop::If{later_round(row), loop, {}}});
                 }
                 if (then == Then::prepend) append(block, joined_with_others(s, shape, row));
                 return within(shape, to, block);
               }));
}

Block ScanCode::joined_with_others(const loop::ScanFix& s, const Shape& shape,
                                   const Expr& row) const {
  const Position here{row, loop::index_variable(s.shape.digit), index_literal(0)};
  const Block joined = prepended(shape, here, s.elements, here.in(shape, s.offset));
  return {StmtNode{loop::If{has_others(shape, row), joined, {}}}};
}

Block ScanCode::prepends(const loop::ScanFix& s, const std::vector<Digit>& around) const {
  const auto shape = shape_of<Shape>(program_, s.shape, around);
  return lines(s.shape.lines, around, rows(shape, false, [&](const Expr& row) {
                 return joined_with_others(s, shape, row);
               }));
}

}  // namespace mdh::passes
