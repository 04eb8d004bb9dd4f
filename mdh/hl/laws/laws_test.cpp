// Operators of the user: which are refused, with what counterexample.
#include "mdh/hl/laws/laws.h"

#include <gtest/gtest.h>

#include "mdh/hl/evaluate.h"
#include "mdh/hl/instantiate.h"
#include "mdh/hl/parse.h"
#include "mdh/hl/testing.h"
#include "mdh/support/testing.h"

namespace mdh::hl::laws_test {
namespace {

Program reduced_by(const std::string& definitions, const std::string& by,
                   const std::string& output = "[]") {
  return instantiate(
      parse("mdh 1\n" + definitions + "\nprogram p = out_view( y: i64 = " + output +
            " )\n* md_hom( i: 6 by " + by + " ) { y = x; } * inp_view( x: i64 = [i] )"),
      {});
}

Diagnostic refusal(const std::string& definitions, const std::string& by,
                   const std::string& output = "[]") {
  return diagnostic_of([&] { reduced_by(definitions, by, output); });
}

std::vector<int64_t> result(const Program& p, const std::vector<int64_t>& data) {
  const Array x = scalar::copy_from_memory(scalar::Scalar::i64, {6}, data.data());
  std::vector<int64_t> all;
  const std::vector<Array> outputs = evaluate(p, {x});
  for (const Value v : outputs[0].cells) all.push_back(v.as_integer());
  return all;
}

constexpr const char* none = "(no error was raised)";

/// Maximum of the weight with the place where it is, ties decided by `tie`.
std::string best(const std::string& tie) {
  return "mdh 1\nrecord best { weight: i32; id: i32; }\n"
         "op better(l, r) = if l.weight > r.weight || l.weight == r.weight" +
         tie +
         " then l else r;\n"
         "program p = out_view( y: best = [] ) * md_hom( i: 8 by pw(better) )\n"
         "{ y = best{ weight = x, id = i32(i) }; } * inp_view( x: i32 = [i] )";
}

TEST(Laws, subtraction_is_refused_with_a_counterexample) {
  const Diagnostic d = refusal("op sub(l, r) = l - r;", "pw(sub)");
  EXPECT_EQ(d.code, "E229");
  EXPECT_EQ(d.kind, DiagnosticKind::user);
  const std::string begin = "the operator of dimension 'i' of 'p' is not associative: with x = ";
  EXPECT_EQ(d.message.substr(0, begin.size()), begin);
  int x = 0, y = 0, z = 0, left = 0, right = 0;
  ASSERT_EQ(std::sscanf(d.message.c_str() + begin.size(),
                        "%d, y = %d, z = %d the value of (x, y), z is %d, of x, (y, z) %d", &x, &y,
                        &z, &left, &right),
            5)
      << d.message;
  EXPECT_EQ(left, (x - y) - z);
  EXPECT_EQ(right, x - (y - z));
  EXPECT_NE(left, right);
}

TEST(Laws, the_left_one_of_equals_is_refused_and_broken_ties_are_accepted) {
  const Diagnostic d = diagnostic_of([] { instantiate(parse(best("")), {}); });
  EXPECT_EQ(d.code, "E229");
  EXPECT_NE(d.message.find("is not commutative: with x = {"), std::string::npos) << d.message;
  EXPECT_EQ(diagnostic_of([] { instantiate(parse(best(" && l.id <= r.id")), {}); }).message, none);
}

TEST(Laws, prefix_sums_need_them_too) {
  EXPECT_EQ(refusal("op sub(l, r) = l - r;", "ps(sub)", "[i]").code, "E229");
  EXPECT_EQ(refusal("op plus(l, r) = l + r;", "ps(plus)", "[i]").message, none);
}

TEST(Laws, hold_for_operators_that_are_defined_again) {
  const Program p = reduced_by("op larger(l, r) = if l > r then l else r;", "pw(larger)");
  EXPECT_EQ(result(p, {3, -7, 12, 5, 12, 0}), (std::vector<int64_t>{12}));
  EXPECT_FALSE(broken_law(p, 7)) << "the falsifier agrees";
}

TEST(Laws, long_loops_are_tested_less_often) {
  const std::string loop = "loop (k = 0, s = l) while (k < {}) {{ k = k + 1 }} yield s";
  const auto definition = [&](int64_t iterations) {
    return "op larger(l, r) = if l > r then " + fmt::format(fmt::runtime(loop), iterations) +
           " else r;";
  };
  EXPECT_EQ(refusal(definition(100000), "pw(larger)").message, none);
  EXPECT_EQ(refusal(definition(int64_t{1} << 62), "pw(larger)").message, none)
      << "evaluation will say that it does not end";
}

TEST(Laws, combine_operators_are_tested_in_any_number_of_dimensions) {
  std::string dimensions, index;
  for (int d = 0; d < 25; ++d) {
    dimensions += fmt::format("{}d{}: 4 by {}", d == 0 ? "" : ", ", d, d == 20 ? "c" : "cc");
    index += fmt::format("{}d{}", d == 0 ? "" : ", ", d);
  }
  const auto refused_as = [&](const std::string& otherwise) {
    return diagnostic_of([&] {
             parse("mdh 1 combine c(x): same = if in_lhs(x) then lhs[x] else " + otherwise +
                   "; program p = out_view( y: i32 = [" + index + "] ) * md_hom( " + dimensions +
                   " ) { y = x; } * inp_view( x: i32 = [" + index + "] )");
           })
        .code;
  };
  EXPECT_EQ(refused_as("rhs[x]"), "");
  EXPECT_EQ(refused_as("rhs[x] + 1"), "E229");
}

constexpr const char* two_dimensions = R"(mdh 1
op plus(l, r) = l + r;
op sum(a, b) = a + b;
program p = out_view( y: i64 = [] )
* md_hom( i: 3 by pw({}), j: 4 by pw({}) ) {{ y = x; }} * inp_view( x: i64 = [i, j] ))";

TEST(Laws, one_operator_for_all_reductions) {
  const auto refused = [](const char* a, const char* b) {
    return diagnostic_of([&] { instantiate(parse(fmt::format(two_dimensions, a, b)), {}); });
  };
  EXPECT_EQ(refused("add", "mul").code, "E226");
  EXPECT_EQ(refused("add", "mul").message.substr(0, 42),
            "dimensions 'i' by pw(add) and 'j' by pw(mu");
  EXPECT_EQ(refused("plus", "sum").message, none) << "equal but for the names of the operands";
  EXPECT_EQ(refused("plus", "mul").code, "E226");
}

TEST(Laws, counterexample_is_one_for_the_operators_of_the_program) {
  const auto hint = [](const char* a, const char* b) {
    const auto make = [&] { instantiate(parse(fmt::format(two_dimensions, a, b)), {}); };
    return diagnostic_of(make).hint;
  };
  const std::string rule =
      "all reductions of a program use one and the same operator: with others the result would "
      "depend on the order, as for ";
  EXPECT_EQ(hint("add", "mul"),
            rule + "[[1, 2], [3, 4]]: rows by mul first gives 14, columns by add first 24");
  // By hand: max(1, 2) + max(3, 4) and max(1 + 3, 2 + 4) are the same, so another one is searched.
  EXPECT_EQ(hint("plus", "max").substr(0, rule.size()), rule);
  EXPECT_EQ(hint("plus", "max").find("[[1, 2], [3, 4]]"), std::string::npos);
}

TEST(Laws, operators_know_every_access_of_an_output) {
  const Program p = parse(R"(mdh 1
op both(l, r) { y.1 = l.y.1 + r.y.1; y.2 = max(l.y.2, r.y.2); }
program p = out_view( y: i64 = [0], [1] ) * md_hom( i: 6 by pw(both) ) { y.1 = x; y.2 = x; }
* inp_view( x: i64 = [i] ))");
  EXPECT_EQ(result(p, {4, 1, 5, -9, 2, 6}), (std::vector<int64_t>{9, 6}));
}

TEST(Laws, operators_on_several_outputs_are_tested_together) {
  const auto refused = [](const std::string& body) {
    return diagnostic_of([&] {
      instantiate(parse("mdh 1\nop both(l, r) { " + body +
                        " }\nprogram p = out_view( s: i64 = []; m: i64 = [] )\n"
                        "* md_hom( i: 6 by pw(both) ) { s = x; m = x; } "
                        "* inp_view( x: i64 = [i] )"),
                  {});
    });
  };
  EXPECT_EQ(refused("s = l.s + r.s; m = max(l.m, r.m);").message, none);
  EXPECT_EQ(refused("s = l.s + r.s; m = l.m - r.s;").code, "E229");
  EXPECT_EQ(refused("s = l.s + r.s;").message, "operator 'both' gives no value to 'm'");
  EXPECT_EQ(refused("s = l.t + r.s; m = l.m;").message, "there is no output 't'");
}

// ---- operators on whole MDAs

constexpr const char* side_by_side =
    "combine side(x): same = if in_lhs(x) then lhs[x] else rhs[x];";

TEST(CustomCombine, concatenation_can_be_defined_again) {
  const Program p = reduced_by(side_by_side, "side", "[i]");
  EXPECT_EQ(result(p, {4, 1, 5, -9, 2, 6}), (std::vector<int64_t>{4, 1, 5, -9, 2, 6}));
}

TEST(CustomCombine, to_zero_folds) {
  const Program p = reduced_by("combine least(x): zero = min(lhs[0], rhs[0]);", "least");
  EXPECT_EQ(result(p, {4, 1, 5, -9, 2, 6}), (std::vector<int64_t>{-9}));
}

TEST(CustomCombine, prefix_sums_can_be_defined_again) {
  const Program p = reduced_by(R"(combine running(x): same {
    l = last_lhs(x);
    r = last_rhs(x);
    return if l < 0 then rhs[r] else if r < 0 then lhs[l] else lhs[l] + rhs[r];
  })",
                               "running", "[i]");
  EXPECT_EQ(result(p, {4, 1, 5, -9, 2, 6}), (std::vector<int64_t>{4, 5, 10, 1, 3, 9}));
}

TEST(CustomCombine, that_depends_on_the_order_is_refused) {
  const Diagnostic d = refusal("combine less(x): zero = lhs[0] - rhs[0];", "less");
  EXPECT_EQ(d.code, "E229");
  EXPECT_NE(d.message.find("is not a homomorphism: combining the results of the parts {"),
            std::string::npos)
      << d.message;
}

TEST(CustomCombine, that_reads_what_is_not_there_is_refused) {
  const Diagnostic d = refusal("combine left(x): same = lhs[x];", "left", "[i]");
  EXPECT_EQ(d.code, "E259");
  EXPECT_EQ(d.message.substr(0, 71),
            "combine operator 'left' uses an element that lhs or rhs does not have, ");
}

}  // namespace
}  // namespace mdh::hl::laws_test
