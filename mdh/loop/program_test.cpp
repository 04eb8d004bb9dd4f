#include "mdh/loop/program.h"

#include <gtest/gtest.h>

#include "mdh/loop/keywords.h"
#include "mdh/loop/print.h"
#include "mdh/loop/test_programs.h"
#include "mdh/scalar/print.h"
#include "mdh/scalar/simplify.h"

namespace mdh::loop {
namespace {

using scalar::index_literal;

const Expr p = index_variable(named("p"));
const Expr q = index_variable(named("q"));

/// A statement of every kind, with the expressions p and blocks that are empty.
std::vector<Stmt> one_of_each_kind() {
  const Digit d{named("d"), "L1.i", 0, 2, 1};
  const Element e{named("y"), {p}};
  const Target t{{e}, {named("d")}};
  return {StmtNode{Digits{d, How::lanes, {}}},
          StmtNode{Accumulate{{e}, t}},
          StmtNode{WriteUp{{e}, t}},
          StmtNode{TeamCombine{d, {d}, {e}, t}},
          StmtNode{For{named("v"), p, How::sequential, "L1.i", {}}},
          StmtNode{Deal{{d}, {}}},
          StmtNode{Barrier{}},
          StmtNode{If{scalar::binary(scalar::BinaryOp::less, p, p), {}, {}}},
          StmtNode{Let{named("v"), p}},
          StmtNode{Load{named("a"), e}},
          StmtNode{Apply{{named("r")}, {named("a")}, {p}}},
          StmtNode{Combine{{named("r")}, {named("a")}, {named("b")}}},
          StmtNode{Store{e, named("a")}}};
}

TEST(LoopStmt, equal_statements_need_not_be_the_same_node) {
  const std::vector<Stmt> all = one_of_each_kind(), again = one_of_each_kind();
  for (size_t a = 0; a < all.size(); ++a) {
    EXPECT_NE(&all[a].node(), &again[a].node());
    for (size_t b = 0; b < all.size(); ++b) EXPECT_EQ(all[a] == again[b], a == b) << a << " " << b;
  }
}

TEST(LoopStmt, as_gives_the_kind_or_nothing) {
  const Stmt s = StmtNode{Let{named("v"), p}};
  ASSERT_NE(s.as<Let>(), nullptr);
  EXPECT_EQ(s.as<Let>()->var.name, "v");
  EXPECT_EQ(s.as<For>(), nullptr);
}

TEST(LoopStmt, every_expression_is_mapped) {
  const auto to_q = [](const Expr& e) {
    return substitute(e, [](const auto&, const Expr&) { return std::optional(q); });
  };
  std::vector<size_t> kinds_without_expressions;
  for (const Stmt& s : one_of_each_kind()) {
    const Stmt changed = map_expressions(s, to_q);
    if (changed == s) kinds_without_expressions.push_back(s.node().is.index());
    bool mentions_p = false;
    map_expressions(changed, [&](const Expr& e) {
      mentions_p = mentions_p || scalar::mentions(e, named("p"));
      return e;
    });
    EXPECT_FALSE(mentions_p) << s.node().is.index();
  }
  // Digits, Deal, Barrier and Combine.
  EXPECT_EQ(kinds_without_expressions, (std::vector<size_t>{0, 5, 6, 11}));
}

TEST(LoopStmt, nothing_changed_is_the_same_node) {
  for (const Stmt& s : one_of_each_kind()) {
    EXPECT_EQ(&map_expressions(s, [](const Expr& e) { return e; }).node(), &s.node());
    EXPECT_EQ(&map_children(s, [](const Block& b) { return b; }).node(), &s.node());
  }
}

TEST(LoopStmt, children_are_the_blocks_inside) {
  const Stmt barrier = StmtNode{Barrier{}};
  const Digit d{named("d"), "L1.i", 0, 2, 1};
  const std::vector<std::pair<Stmt, int>> cases = {
      {StmtNode{Digits{d, How::sequential, {barrier}}}, 1},
      {StmtNode{For{named("v"), p, How::sequential, "L1.i", {barrier}}}, 1},
      {StmtNode{Deal{{d}, {barrier}}}, 1},
      {StmtNode{If{p, {barrier}, {barrier, barrier}}}, 2},
      {barrier, 0}};
  for (const auto& [s, blocks] : cases) {
    int visited = 0;
    for_each_child(s, [&](const Block&) { ++visited; });
    EXPECT_EQ(visited, blocks);
    const Stmt emptied = map_children(s, [](const Block&) { return Block{}; });
    for_each_child(emptied, [](const Block& b) { EXPECT_TRUE(b.empty()); });
  }
}

TEST(LoopExpr, negation_becomes_a_difference) {
  const auto minus = [](const Expr& e) { return unary(scalar::UnaryOp::negate, e); };
  EXPECT_EQ(scalar::print(without_negation(minus(p) * index_literal(2))), "(0 - p) * 2");
  EXPECT_EQ(scalar::print(without_negation(minus(minus(p)))), "0 - (0 - p)");
  EXPECT_TRUE(without_negation(p).same_as(p));
}

TEST(LoopProgram, dialects_are_told_apart_at_every_depth) {
  const Program structured = rows_with(R"(
    cores COR.k c < 4 of k step 1 {
      sequential L1.i p < 3 of i step 1 { accumulate (t[c, p]) first () from (x[i, k]); }
    }
    team_combine COR.k c < 4 of k step 1 elements (L1.i p < 3 of i step 1)
      (y[i]) first () from (t[c, p]);)");
  EXPECT_TRUE(is_structured(structured));
  EXPECT_FALSE(is_concrete(structured));
  const Program concrete = rows_with(R"(
    deal (COR.i p < 3 of i step 1) {
      for L1.k q < 4 sequential {
        if q == 0 { load a = x[p, q]; apply r = f(a; p, q); store y[p] = r; }
        else { load b = x[p, q]; load o = y[p]; combine n = (o; b); store y[p] = n; }
      }
    }
    barrier;)");
  EXPECT_TRUE(is_concrete(concrete));
  EXPECT_FALSE(is_structured(concrete));
  const Program mixed = rows_with(R"(
    deal (COR.i p < 3 of i step 1) {
      sequential L1.k q < 4 of k step 1 { accumulate (y[i]) first (q) from (x[i, k]); }
    })");
  EXPECT_FALSE(is_concrete(mixed));
  EXPECT_FALSE(is_structured(mixed));
}

TEST(LoopProgram, buffers_are_found_by_name) {
  const Program program = rows_with("");
  EXPECT_EQ(find_buffer(program, named("t")).extents, (scalar::Extents{4, 3}));
  EXPECT_EQ(internal_error_of([&] { find_buffer(program, named("z")); }), "there is no buffer 'z'");
}

TEST(LoopProgram, workspace_is_aligned_buffer_by_buffer) {
  Program program = rows_with("");
  EXPECT_EQ(workspace_bytes(program), 128);  // 12 elements of 8 bytes, rounded up to 64s
  program.buffers.push_back({named("u"), scalar::Scalar::i8, {65}, Role::workspace});
  EXPECT_EQ(workspace_bytes(program), 128 + 128);
  program.buffers.push_back({named("v"), scalar::Scalar::f32, {16}, Role::workspace});
  EXPECT_EQ(workspace_bytes(program), 128 + 128 + 64);
  program.buffers = {program.buffers[0], program.buffers[1]};
  EXPECT_EQ(workspace_bytes(program), 0);
}

TEST(LoopKeywords, every_enumerator_has_a_word_that_means_it) {
  const std::vector<std::pair<How, std::string>> hows = {{How::sequential, "sequential"},
                                                         {How::cores, "cores"},
                                                         {How::unrolled, "unrolled"},
                                                         {How::lanes, "lanes"}};
  for (const auto& [how, text] : hows) {
    EXPECT_EQ(word(how), text);
    EXPECT_EQ(find_how(text), how);
  }
  const std::vector<std::pair<Role, std::string>> roles = {
      {Role::output, "output"}, {Role::input, "input"}, {Role::workspace, "workspace"}};
  for (const auto& [role, text] : roles) {
    EXPECT_EQ(word(role), text);
    EXPECT_EQ(find_role(text), role);
  }
  EXPECT_EQ(find_how("output"), std::nullopt);
  EXPECT_EQ(find_role("cores"), std::nullopt);
}

}  // namespace
}  // namespace mdh::loop
