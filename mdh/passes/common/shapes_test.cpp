#include "mdh/passes/common/shapes.h"

#include <gtest/gtest.h>

#include "mdh/passes/common/facts.h"
#include "mdh/passes/common/geometry.h"
#include "mdh/passes/common/test_programs.h"
#include "mdh/passes/concrete/simplify.h"
#include "mdh/scalar/simplify.h"

namespace mdh::passes::shapes_test {
namespace {

using loop::Block;
using loop::Expr;
using loop::How;
using loop::named;
using loop::StmtNode;
using scalar::BinaryOp;

Expr number(int64_t n) { return scalar::index_literal(n); }
Expr var(const char* name) { return loop::index_variable(named(name)); }
Expr operation(BinaryOp op, const Expr& a, const Expr& b) { return scalar::binary(op, a, b); }

/// A shape is recognised as it is made, and after simplification.
template <class Recognises>
void expect_shape(const Expr& made, Recognises recognises) {
  EXPECT_TRUE(recognises(made)) << loop::print(loop::Element{named("made"), {made}});
  EXPECT_TRUE(recognises(simplify(made))) << loop::print(loop::Element{named("made"), {made}});
}

loop::For running(const Expr& trip) { return {named("k"), trip, How::sequential, "", {}}; }

// ---- bounds

TEST(Shapes, a_bound_is_a_number_of_parts_and_the_room_for_them) {
  const Expr room = number(7) - var("o");
  expect_shape(bounded(number(4), room), [&](const Expr& trip) {
    const auto bound = bound_of(running(trip));
    return bound && bound->parts == 4 && bound->room == room;
  });
}

TEST(Shapes, other_minima_are_no_bounds) {
  EXPECT_FALSE(bound_of(running(operation(BinaryOp::minimum, var("o"), number(4)))));
  EXPECT_FALSE(bound_of(running(operation(BinaryOp::maximum, number(4), var("o")))));
  EXPECT_FALSE(bound_of(running(bounded(bounded(number(4), var("o")), var("p")))));
  EXPECT_FALSE(bound_of(running(bounded(number(4), number(3))))) << "a number of rounds";
  EXPECT_FALSE(bound_of(running(var("o"))));
}

TEST(Shapes, the_trip_count_of_a_level_at_a_border_is_a_bound) {
  const loop::Program p = matvec_with("");
  const Symbol o = named("o"), n = named("n");
  const loop::Digit &outer = find_digit(p, o), &inner = find_digit(p, n);
  const auto bound = bound_of(running(trip(p, {outer}, inner)));
  ASSERT_TRUE(bound);
  EXPECT_EQ(bound->parts, inner.parts);
  EXPECT_EQ(points_in(bound->room, inner.step), number(7) - var("o") * number(2));
}

TEST(Shapes, facts_understand_bounds) {
  Facts facts;
  facts.set_range(named("o"), 4);
  facts.assume_below(named("k"), bounded(number(4), parts_holding(number(9) - var("o"), 2)));
  EXPECT_TRUE(facts.imply(below(var("k"), 4)));
  EXPECT_TRUE(facts.imply(below(var("k") * number(2) + var("o"), 9)));
  EXPECT_FALSE(facts.imply(below(var("k") * number(2) + var("o"), 8)));
}

// ---- parts

TEST(Shapes, parts_that_hold_points_tell_the_points) {
  const Expr points = number(7) - var("o") * number(4);
  for (const int64_t step : {1, 2, 5}) {
    expect_shape(parts_holding(points, step),
                 [&](const Expr& parts) { return points_in(parts, step) == points; });
  }
}

TEST(Shapes, other_quotients_are_parts_of_another_size) {
  const Expr parts = parts_holding(var("o"), 4);
  EXPECT_FALSE(points_in(parts, 2));
  EXPECT_FALSE(points_in(var("o"), 4));
  EXPECT_FALSE(points_in(operation(BinaryOp::remainder, var("o"), number(4)), 4));
  EXPECT_FALSE(points_in(operation(BinaryOp::divide, number(4), var("o")), 4));
}

// ---- shifts

TEST(Shapes, a_shift_tells_what_is_missing) {
  const Expr missing = number(8) - (number(10) - var("q"));
  expect_shape(shift_by(missing), [&](const Expr& shift) { return missing_of(shift) == missing; });
}

TEST(Shapes, other_maxima_are_no_shifts) {
  EXPECT_FALSE(missing_of(operation(BinaryOp::maximum, number(1), var("q"))));
  EXPECT_FALSE(missing_of(operation(BinaryOp::maximum, var("q"), number(0))));
  EXPECT_FALSE(missing_of(operation(BinaryOp::minimum, number(0), var("q"))));
  EXPECT_FALSE(missing_of(number(0)));
}

TEST(Shapes, facts_understand_shifts) {
  Facts facts;
  facts.set_range(named("q"), 9);
  facts.define(named("shift"), shift_by(var("q") - number(6)));
  EXPECT_TRUE(facts.imply(below(var("shift"), 4)));
  EXPECT_FALSE(facts.imply(below(var("shift"), 3)));
}

// ---- rounds

TEST(Shapes, first_and_later_rounds_are_told_apart) {
  const Symbol k = named("k");
  expect_shape(first_round(var("k")),
               [&](const Expr& e) { return is_first_round(e, k) && !is_later_round(e, k); });
  expect_shape(later_round(var("k")),
               [&](const Expr& e) { return is_later_round(e, k) && !is_first_round(e, k); });
}

TEST(Shapes, other_conditions_do_not_tell_rounds) {
  const Symbol k = named("k");
  for (const Expr& e :
       {first_round(var("l")), later_round(var("l")), first_round(var("k") + number(1)),
        operation(BinaryOp::equal, var("k"), number(1)),
        operation(BinaryOp::equal, number(0), var("k")),
        operation(BinaryOp::greater_equal, var("k"), number(0)),
        operation(BinaryOp::greater, var("k"), number(1))}) {
    EXPECT_FALSE(is_first_round(e, k));
    EXPECT_FALSE(is_later_round(e, k));
  }
}

// ---- edges

TEST(Shapes, an_element_below_an_edge) {
  const Expr index = var("o") * number(2) + var("n");
  expect_shape(below(index, 7), [&](const Expr& e) {
    const auto edge = edge_of(e);
    return edge && edge->index == index && edge->extent == 7;
  });
  EXPECT_FALSE(edge_of(operation(BinaryOp::less_equal, index, number(7))));
  EXPECT_FALSE(edge_of(operation(BinaryOp::less, index, var("p"))));
  EXPECT_FALSE(edge_of(operation(BinaryOp::greater, number(7), index)));
}

TEST(Shapes, parts_with_points_are_below_an_edge) {
  const loop::Program p = matvec_with("");
  const auto holds = nonempty(p, {find_digit(p, named("o")), find_digit(p, named("n"))});
  ASSERT_TRUE(holds);
  EXPECT_EQ(edge_of(*holds)->extent, 7);
}

TEST(Shapes, an_index_that_is_held_back) {
  const Expr index = var("o") * number(2) + var("n");
  expect_shape(held_back(index, 7), [&](const Expr& e) {
    const auto edge = held_back_at(e);
    return edge && edge->index == index && edge->extent == 7;
  });
  EXPECT_FALSE(held_back_at(operation(BinaryOp::minimum, number(6), index)));
  EXPECT_FALSE(held_back_at(operation(BinaryOp::maximum, index, number(6))));
  EXPECT_FALSE(held_back_at(operation(BinaryOp::minimum, index, var("p"))));
  EXPECT_FALSE(held_back_at(bounded(number(6), index)));
}

// ---- copies

TEST(Shapes, loops_over_elements_belong_to_no_level) {
  const loop::Stmt made = element_loop(named("a"), number(4), How::sequential, {});
  EXPECT_TRUE(is_element_loop(*made.as<loop::For>()));
  EXPECT_FALSE(is_element_loop({named("a"), number(4), How::sequential, "L1.k", {}}));
}

TEST(Shapes, loops_over_elements_are_read_back_as_such) {
  const loop::Program p = matvec_with("deal cores () { for - a < 4 sequential { let z = a; } }");
  const loop::Program read = loop::parse(loop::print(simplify(p)));
  EXPECT_TRUE(is_element_loop(*read.body.back().as<loop::Deal>()->body.front().as<loop::For>()));
}

const loop::Element to{named("t"), {var("a")}}, from{named("x"), {var("a")}};

TEST(Shapes, one_element_of_a_copy) {
  EXPECT_TRUE(is_element_copy(element_copy(to, from, named("v"))));
  EXPECT_TRUE(is_element_copy(element_flight(to, from)));
}

TEST(Shapes, what_does_more_or_less_is_no_element_of_a_copy) {
  const Block copy = element_copy(to, from, named("v"));
  EXPECT_FALSE(is_element_copy({}));
  EXPECT_FALSE(is_element_copy({copy.front()}));
  EXPECT_FALSE(is_element_copy({copy.back(), copy.front()}));
  EXPECT_FALSE(is_element_copy({copy.front(), copy.back(), copy.back()}));
  EXPECT_FALSE(is_element_copy({copy.front(), StmtNode{loop::Store{to, named("w")}}}))
      << "another value";
}

TEST(Shapes, places_of_a_tile_are_axes) {
  loop::Copy copy;
  copy.axes = {{named("a"), 4}, {named("b"), 2}};
  EXPECT_EQ(axis_along(copy, along(copy.axes[0])), &copy.axes[0]);
  EXPECT_EQ(axis_along(copy, simplify(along(copy.axes[1]))), &copy.axes[1]);
  EXPECT_EQ(axis_along(copy, along(copy.axes[0]) + number(1)), nullptr);
  EXPECT_EQ(axis_along(copy, along({named("c"), 4})), nullptr);
  EXPECT_EQ(axis_along(copy, number(0)), nullptr);
}

// ---- accumulations

const std::vector<loop::Element> elements = {{named("y"), {var("i")}}, {named("z"), {var("i")}}};
const std::vector<Symbol> values = {named("f1"), named("f2")}, before = {named("o1"), named("o2")},
                          sums = {named("s1"), named("s2")};

TEST(Shapes, updates_overwrite_or_combine) {
  const auto first = update_of(overwritten(elements, values), 0, values);
  ASSERT_TRUE(first);
  EXPECT_TRUE(first->overwrites);
  EXPECT_EQ(first->elements, elements);
  const auto later = update_of(combined(elements, values, before, sums), 0, values);
  ASSERT_TRUE(later);
  EXPECT_FALSE(later->overwrites);
  EXPECT_EQ(later->elements, elements);
}

TEST(Shapes, what_is_before_an_update_does_not_matter) {
  Block block = {StmtNode{loop::Let{named("i"), number(0)}}};
  for (const loop::Stmt& s : combined(elements, values, before, sums)) block.push_back(s);
  EXPECT_TRUE(update_of(block, 1, values));
  EXPECT_FALSE(update_of(block, 0, values));
}

TEST(Shapes, what_stores_something_else_is_no_update) {
  EXPECT_FALSE(update_of(overwritten(elements, sums), 0, values));
  EXPECT_FALSE(update_of(combined(elements, before, values, sums), 0, values)) << "other values";
  Block elsewhere = combined(elements, values, before, sums);
  elsewhere.back() = StmtNode{loop::Store{elements.front(), sums.back()}};
  EXPECT_FALSE(update_of(elsewhere, 0, values)) << "not where it was read";
  Block short_one = overwritten(elements, values), long_one = short_one;
  short_one.pop_back();
  long_one.push_back(long_one.back());
  EXPECT_FALSE(update_of(short_one, 0, values));
  EXPECT_FALSE(update_of(long_one, 0, values));
}

// ---- guards

TEST(Shapes, guards_of_parts_come_off) {
  const loop::Program p = matvec_with("");
  const std::vector<loop::Digit> inner = {find_digit(p, named("o")), find_digit(p, named("n"))};
  const std::vector<loop::Digit> all_full = {find_digit(p, named("p"))};
  const Block body = {StmtNode{loop::Let{named("z"), number(0)}}};
  const Block guarded = where_points_are(p, inner, body);
  EXPECT_NE(guarded, body);
  EXPECT_EQ(without_guard(p, inner, guarded), body);
  EXPECT_EQ(without_guard(p, {inner[1], inner[0]}, guarded), body) << "the order does not matter";
  EXPECT_EQ(where_points_are(p, all_full, body), body) << "all parts hold points";
  EXPECT_EQ(without_guard(p, all_full, body), body);
}

TEST(Shapes, other_choices_are_no_guards) {
  const loop::Program p = matvec_with("");
  const std::vector<loop::Digit> digits = {find_digit(p, named("o")), find_digit(p, named("n"))};
  const Block body = {StmtNode{loop::Let{named("z"), number(0)}}};
  const Expr holds = *nonempty(p, digits);
  const Block with_otherwise = {StmtNode{loop::If{holds, body, body}}};
  const Block of_others = {StmtNode{loop::If{first_round(var("o")), body, {}}}};
  const Block two = {StmtNode{loop::If{holds, body, {}}}, StmtNode{loop::If{holds, body, {}}}};
  for (const Block& block : {with_otherwise, of_others, two}) {
    EXPECT_EQ(without_guard(p, digits, block), block);
  }
}

}  // namespace
}  // namespace mdh::passes::shapes_test
