#include "mdh/loop/program.h"

#include <gtest/gtest.h>

#include <set>

#include "mdh/loop/keywords.h"
#include "mdh/loop/print.h"
#include "mdh/loop/test_programs.h"
#include "mdh/scalar/print.h"
#include "mdh/scalar/simplify.h"

namespace mdh::loop::program_test {
namespace {

using scalar::index_literal;

const Expr p = index_variable(named("p"));
const Expr q = index_variable(named("q"));

/// A statement of every kind, with the expressions p and blocks that are empty.
std::vector<Stmt> one_of_each_kind() {
  const Symbol d = named("d");
  const Element e{named("y"), {p}};
  const Target t{{e}, {d}};
  const ScanShape shape{d, {d}, {d}, {d}};
  return {StmtNode{Alloc{named("t")}},
          StmtNode{Commit{}},
          StmtNode{Wait{1}},
          StmtNode{Loop{d, {}}},
          StmtNode{Copy{{{named("c"), 2}}, e, e, {p}, {d}}},
          StmtNode{Accumulate{{e}, t}},
          StmtNode{WriteUp{{d}, {e}, t}},
          StmtNode{TeamCombine{d, {d}, {e}, t}},
          StmtNode{ScanStep{shape, {e}}},
          StmtNode{ScanFix{shape, {e}, {e}, {e}}},
          StmtNode{For{named("v"), p, How::sequential, "L1.i", {}}},
          StmtNode{Deal{Team::grid, {{d, 2}}, true, {}}},
          StmtNode{Exchange{{{d, 2}}, d, 1, e, e}},
          StmtNode{Last{d, {}}},
          StmtNode{Follow{d, p, 2}},
          StmtNode{Meet{d}},
          StmtNode{Barrier{Team::all}},
          StmtNode{If{scalar::binary(scalar::BinaryOp::less, p, p), {}, {}}},
          StmtNode{Lanes{named("v"), 4, "SIMD.i", {}}},
          StmtNode{Let{named("v"), p}},
          StmtNode{Load{named("a"), e}},
          StmtNode{Apply{{named("r")}, {named("a")}, {p}}},
          StmtNode{Combine{{named("r")}, {named("a")}, {named("b")}}},
          StmtNode{Store{e, named("a")}},
          StmtNode{WideLoad{{named("a"), named("b")}, e}},
          StmtNode{WideStore{e, {named("a"), named("b")}}},
          StmtNode{AsyncCopy{e, e}},
          StmtNode{Prefetch{e}},
          StmtNode{Opaque{named("t")}},
          StmtNode{Transpose{{named("a"), 4}, {named("b"), 4}, e, e}},
          StmtNode{AtomicCombine{{e}, {named("a")}}},
          StmtNode{AtomicTake{{named("a")}, {e}}}};
}

TEST(LoopStmt, there_is_a_test_of_every_kind) {
  const std::vector<Stmt> all = one_of_each_kind();
  ASSERT_EQ(all.size(), std::variant_size_v<decltype(StmtNode::is)>);
  for (size_t n = 0; n < all.size(); ++n) EXPECT_EQ(all[n].node().is.index(), n);
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
  // Alloc, Commit, Wait, Loop, Deal, Last, Meet, Barrier, Lanes, Combine and Opaque.
  EXPECT_EQ(kinds_without_expressions,
            (std::vector<size_t>{0, 1, 2, 3, 11, 13, 15, 16, 18, 22, 28}));
}

/// All elements that are used are mapped as well.
TEST(LoopStmt, every_element_is_mapped) {
  const auto to_z = [](Element e) {
    e.buffer = named("z");
    return e;
  };
  const auto buffers_of = [](const Stmt& s) {
    const UsedElements used = elements_used_by(s);
    std::set<std::string> names;
    for (const Element& e : used.reads) names.insert(e.buffer.name);
    for (const Element& e : used.writes) names.insert(e.buffer.name);
    return names;
  };
  int with_elements = 0;
  for (const Stmt& s : one_of_each_kind()) {
    if (buffers_of(s).empty()) continue;
    ++with_elements;
    EXPECT_EQ(buffers_of(s), (std::set<std::string>{"y"})) << s.node().is.index();
    EXPECT_EQ(buffers_of(map_elements(s, to_z)), (std::set<std::string>{"z"}))
        << s.node().is.index();
  }
  // Copies, sums, scans, loads, stores, exchanges and atomics.
  EXPECT_EQ(with_elements, 15);
}

TEST(LoopStmt, every_place_of_an_expression_is_mapped) {
  const std::vector<int> expected = {0, 0, 0, 0, 3, 2, 2, 2, 1, 3, 1, 0, 2, 0, 1, 0,
                                     0, 1, 0, 1, 1, 1, 0, 1, 1, 1, 2, 1, 0, 2, 1, 1};
  const std::vector<Stmt> all = one_of_each_kind();
  for (size_t n = 0; n < all.size(); ++n) {
    int visited = 0;
    map_expressions(all[n], [&](const Expr& e) {
      ++visited;
      return e;
    });
    EXPECT_EQ(visited, expected[n]) << n;
  }
}

TEST(LoopStmt, names_that_a_statement_defines) {
  std::vector<size_t> counts;
  for (const Stmt& s : one_of_each_kind()) counts.push_back(defined_by(s).size());
  // Copy, For, Deal, Exchange, Lanes, Let, Load, Apply, Combine, WideLoad, Transpose
  // and AtomicTake.
  EXPECT_EQ(counts, (std::vector<size_t>{0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0,
                                         0, 0, 1, 1, 1, 1, 1, 0, 2, 0, 0, 0, 0, 2, 0, 1}));
}

TEST(LoopStmt, nothing_changed_is_the_same_node) {
  for (const Stmt& s : one_of_each_kind()) {
    EXPECT_EQ(&map_expressions(s, [](const Expr& e) { return e; }).node(), &s.node());
    EXPECT_EQ(&map_children(s, [](const Block& b) { return b; }).node(), &s.node());
  }
}

TEST(LoopStmt, children_are_the_blocks_inside) {
  const Stmt barrier = StmtNode{Barrier{}};
  const std::vector<std::pair<Stmt, int>> cases = {
      {StmtNode{Loop{named("d"), {barrier}}}, 1},
      {StmtNode{For{named("v"), p, How::sequential, "L1.i", {barrier}}}, 1},
      {StmtNode{Deal{Team::cores, {}, false, {barrier}}}, 1},
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

/// "reads | writes", as names.
std::string uses(const Stmt& s) {
  const auto names = [](const std::vector<Symbol>& symbols) {
    std::string text;
    for (const Symbol& symbol : symbols) text += symbol.name;
    return text;
  };
  const Uses u = uses_of(s);
  return names(u.reads) + " | " + names(u.writes);
}

TEST(LoopStmt, what_a_statement_reads_and_writes) {
  const auto at = [](const char* name) { return Element{named(name), {p}}; };
  const Target once{{at("a"), at("b")}, {}}, often{{at("a"), at("b")}, {named("d")}};
  EXPECT_EQ(uses(StmtNode{Alloc{named("a")}}), " | a");
  EXPECT_EQ(uses(StmtNode{Copy{{}, at("a"), at("b"), {}, {}}}), "b | a");
  EXPECT_EQ(uses(StmtNode{Load{named("v"), at("a")}}), "a | ");
  EXPECT_EQ(uses(StmtNode{Store{at("a"), named("v")}}), " | a");
  EXPECT_EQ(uses(StmtNode{WideLoad{{}, at("a")}}), "a | ");
  EXPECT_EQ(uses(StmtNode{WideStore{at("a"), {}}}), " | a");
  EXPECT_EQ(uses(StmtNode{AsyncCopy{at("a"), at("b")}}), "b | a");
  EXPECT_EQ(uses(StmtNode{Prefetch{at("a")}}), uses(StmtNode{Commit{}})) << "a hint";
  EXPECT_EQ(uses(StmtNode{Opaque{named("a")}}), "a | ");
  EXPECT_EQ(uses(StmtNode{Transpose{{}, {}, at("a"), at("b")}}), "b | a");
  // Only what may be combined is read.
  EXPECT_EQ(uses(StmtNode{Accumulate{{at("x")}, once}}), "x | ab");
  EXPECT_EQ(uses(StmtNode{Accumulate{{at("x")}, often}}), "xab | ab");
  EXPECT_EQ(uses(StmtNode{WriteUp{{}, {at("x"), at("y")}, once}}), "xy | ab");
  EXPECT_EQ(uses(StmtNode{WriteUp{{}, {at("x"), at("y")}, often}}), "xyab | ab");
  EXPECT_EQ(uses(StmtNode{TeamCombine{named("d"), {}, {at("x"), at("y")}, often}}), "xyab | ab");
  EXPECT_EQ(uses(StmtNode{ScanStep{{}, {at("a")}}}), "a | a");
  EXPECT_EQ(uses(StmtNode{ScanFix{{}, {at("a")}, {at("b")}, {at("c")}}}), "abc | abc");
}

TEST(LoopStmt, blocks_inside_are_not_counted_among_uses) {
  const Block body = {StmtNode{Load{named("v"), {named("a"), {p}}}}};
  EXPECT_EQ(uses(StmtNode{Loop{named("d"), body}}), " | ");
  EXPECT_EQ(uses(StmtNode{For{named("v"), p, How::sequential, "L1.i", body}}), " | ");
  EXPECT_EQ(uses(StmtNode{Deal{Team::cores, {}, false, body}}), " | ");
  EXPECT_EQ(uses(StmtNode{If{p, body, body}}), " | ");
}

TEST(LoopExpr, negation_becomes_a_difference) {
  const auto minus = [](const Expr& e) { return unary(scalar::UnaryOp::negate, e); };
  EXPECT_EQ(scalar::print(without_negation(minus(p) * index_literal(2))), "(0 - p) * 2");
  EXPECT_EQ(scalar::print(without_negation(minus(minus(p)))), "0 - (0 - p)");
  EXPECT_TRUE(without_negation(p).same_as(p));
}

TEST(LoopProgram, dialects_are_told_apart_at_every_depth) {
  const More more{"digit c: COR.k < 4 of k step 1 cores\n", {}};
  const Program structured = rows_with(R"(
    alloc t;
    loop c { loop p { accumulate (t[c, p]) first () from (x[i, k]); } }
    team_combine c elements (p) (y[i]) first () from (t[c, p]);)",
                                       more);
  EXPECT_TRUE(is_structured(structured));
  EXPECT_FALSE(is_concrete(structured));
  const Program concrete = rows_with(R"(
    alloc t;
    deal cores (p < 3) {
      for L1.k q < 4 sequential {
        if q == 0 { load a = x[p, q]; apply r = f(a; p, q); store y[p] = r; }
        else { load b = x[p, q]; load o = y[p]; combine n = (o; b); store y[p] = n; }
      }
    }
    barrier cores;)");
  EXPECT_TRUE(is_concrete(concrete));
  EXPECT_FALSE(is_structured(concrete));
  const Program mixed =
      rows_with("deal cores (p < 3) { loop q { accumulate (y[i]) first (q) from (x[i, k]); } }");
  EXPECT_FALSE(is_concrete(mixed));
  EXPECT_FALSE(is_structured(mixed));
}

TEST(LoopProgram, every_kind_belongs_to_one_dialect_and_some_to_both) {
  const std::vector<Stmt> all = one_of_each_kind();
  for (size_t n = 0; n < all.size(); ++n) {
    Program program;
    program.body = {all[n]};
    EXPECT_EQ(is_structured(program), n <= 9) << n;
    EXPECT_EQ(is_concrete(program), n <= 2 || n > 9) << n;
  }
}

TEST(LoopProgram, buffers_are_found_by_name) {
  const Program program = rows_with("");
  EXPECT_EQ(find_buffer(program, named("t")).extents, (scalar::Extents{4, 3}));
  EXPECT_EQ(internal_error_of([&] { find_buffer(program, named("z")); }), "there is no buffer 'z'");
}

TEST(LoopProgram, digits_are_found_by_name) {
  const Program program = rows_with("");
  EXPECT_EQ(find_digit(program, named("q")).parts, 4);
  EXPECT_TRUE(is_digit(program, named("q")));
  EXPECT_FALSE(is_digit(program, named("k")));
  EXPECT_EQ(digits_of(program, {named("q"), named("p")}),
            (std::vector<Digit>{program.digits[1], program.digits[0]}));
  EXPECT_EQ(internal_error_of([&] { find_digit(program, named("k")); }), "there is no digit 'k'");
}

TEST(LoopProgram, the_volume_of_counters_is_how_many_combinations_there_are) {
  EXPECT_EQ(volume_of({}), 1);
  EXPECT_EQ(volume_of({{named("a"), 3}, {named("b"), 5}}), 15);
}

TEST(LoopProgram, a_buffer_has_the_elements_it_holds_as_often_as_it_is_deep) {
  Buffer b{.symbol = named("b"), .type = scalar::Scalar::i16, .extents = {3, 4}};
  EXPECT_EQ(elements_of(b), 12);
  EXPECT_EQ(bytes_of(b), 12 * 2);
  b.holds = 5;
  EXPECT_EQ(elements_of(b), 5);
  b.depth = 3;
  EXPECT_EQ(elements_of(b), 5);
  EXPECT_EQ(bytes_of(b), 5 * 3 * 2);
}

TEST(LoopProgram, a_temporary_has_an_instance_for_every_combination_of_the_digits_it_is_per) {
  const Program program =
      rows_with("", {{}, "buffer temporary u: i64[7] in L1 of core per (p, q)\n"});
  EXPECT_EQ(instances_of(program, find_buffer(program, named("u"))), 3 * 4);
  EXPECT_EQ(instances_of(program, find_buffer(program, named("t"))), 1);
}

template <class Enum>
void expect_words(const std::vector<std::pair<Enum, std::string>>& words,
                  std::optional<Enum> (*find)(std::string_view)) {
  for (const auto& [value, text] : words) {
    EXPECT_EQ(word(value), text);
    EXPECT_EQ(find(text), value);
  }
  EXPECT_EQ(find("something"), std::nullopt);
  EXPECT_EQ(find(""), std::nullopt);
}

TEST(LoopKeywords, every_enumerator_has_a_word_that_means_it) {
  expect_words<How>({{How::sequential, "sequential"},
                     {How::grid, "grid"},
                     {How::cores, "cores"},
                     {How::unrolled, "unrolled"},
                     {How::lanes, "lanes"}},
                    find_how);
  expect_words<Role>(
      {{Role::output, "output"}, {Role::input, "input"}, {Role::temporary, "temporary"}},
      find_role);
  expect_words<Kind>({{Kind::kept, "kept"}, {Kind::reduced, "reduced"}, {Kind::scanned, "scanned"}},
                     find_kind);
  expect_words<Scope>({{Scope::all, "all"}, {Scope::group, "group"}, {Scope::core, "core"}},
                      find_scope);
  expect_words<Team>(
      {{Team::grid, "grid"}, {Team::cores, "cores"}, {Team::all, "all"}, {Team::warp, "warp"}},
      find_team);
}

}  // namespace
}  // namespace mdh::loop::program_test
