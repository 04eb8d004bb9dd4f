#include "mdh/driver/verify/definition.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "mdh/driver/memory.h"
#include "mdh/driver/verify/data_sets.h"
#include "mdh/driver/verify/measured.h"
#include "mdh/driver/verify/plain_loops.h"
#include "mdh/driver/verify/yardstick.h"
#include "mdh/hl/analysis.h"
#include "mdh/hl/parse.h"
#include "mdh/ll/shared_test_programs.h"
#include "mdh/runtime/host/runtime.h"

namespace mdh::driver::definition_test {
namespace {

using scalar::Scalar;

const std::vector<std::string> bodies = {
    "out_view( w: T = [i] ) * md_hom( i: 5 by cc, k: 7 by pw(add) ) { w = M * v; } "
    "* inp_view( M: T = [i, k]; v: T = [k] )",
    "out_view( y: T = [i] ) * md_hom( i: 13 by ps(add) ) { y = x; } * inp_view( x: T = [i] )",
    "out_view( y: T = [i, j] ) * md_hom( i: 3 by ps(add), j: 4 by ps(add), k: 2 by pw(add) ) "
    "{ y = x; } * inp_view( x: T = [i, j + k] )",
    "out_view( y: T = [2 * i] ) * md_hom( i: 1 by cc, j: 11 by pw(min) ) { y = a + b; } "
    "* inp_view( a: T = [i, j]; b: T = [j / 2] )",
    "out_view( s: T = []; p: T = [] ) * md_hom( k: 9 by pw(add, max) ) { s = x; p = x * x; } "
    "* inp_view( x: T = [k] )",
};

/// Interpreted and compiled, at all points and at some.
void expect_agreement(const std::string& body, const std::string& type) {
  std::string text = "mdh 1\nprogram p = " + body;
  for (size_t at = text.find(": T"); at != std::string::npos; at = text.find(": T", at)) {
    text.replace(at, 3, ": " + type);
  }
  const hl::Program p = hl::parse(text);
  Memory memory(p);
  const auto inputs = memory.pointers().subspan(p.outputs.size());
  fill(p, inputs, Numbers::tenths, 5);
  const Meaning meaning = measured(meaning_of(p), rules_of(meaning_of(p), {})).meaning;
  ASSERT_TRUE(has_plain_loops(p, meaning)) << text;
  Definition interpreted(p, meaning), compiled(p, meaning);
  const std::vector<kernel::Module> modules = {plain_loops(p, meaning, "plain")};
  compiled.compute_by(runtime::host::runtime().open("")->load(modules).front(), inputs, 2);
  const Points all = all_points(p);
  EXPECT_EQ(compiled.at(all, inputs).values, interpreted.at(all, inputs).values) << text;
  Points last{.count = 1};
  for (const int64_t size : hl::result_sizes(p)) last.coordinates.push_back(size - 1);
  EXPECT_EQ(compiled.at(last, inputs).values, interpreted.at(last, inputs).values) << text;
}

TEST(Definition, compiled_loops_and_the_interpreter_agree) {
  for (const std::string& body : bodies) {
    for (const char* type : {"f32", "f64", "f16", "bf16", "i32", "u8"}) {
      expect_agreement(body, type);
    }
  }
}

/// Large enough for several blocks, at sizes that do not fit into them.
TEST(Definition, blocks_of_rows_are_those_of_all_points) {
  const std::vector<std::string> large = {
      "out_view( y: f32 = [i] ) * md_hom( i: 300007 by ps(add) ) { y = x; } "
      "* inp_view( x: f32 = [i] )",
      "out_view( y: i32 = [i, j] ) * md_hom( i: 701 by cc, j: 1009 by ps(max) ) { y = x; } "
      "* inp_view( x: i32 = [i, j] )",
      "out_view( y: i32 = [i, j] ) * md_hom( i: 701 by ps(add), j: 1009 by cc ) { y = x; } "
      "* inp_view( x: i32 = [i, j] )",
      "out_view( y: f64 = [i, j] ) * md_hom( i: 701 by cc, j: 1009 by cc ) { y = x * 0.5; } "
      "* inp_view( x: f64 = [i, j] )"};
  for (const std::string& body : large) {
    const hl::Program p = hl::parse("mdh 1\nprogram p = " + body);
    Memory memory(p);
    const auto inputs = memory.pointers().subspan(p.outputs.size());
    fill(p, inputs, Numbers::tenths, 5);
    const Meaning meaning = meaning_of(p);
    Definition interpreted(p, meaning), compiled(p, meaning);
    const std::vector<kernel::Module> modules = {plain_loops(p, meaning, "plain")};
    compiled.compute_by(runtime::host::runtime().open("")->load(modules).front(), inputs, 2);
    EXPECT_TRUE(interpreted.at(all_points(p), inputs).values ==
                compiled.at(all_points(p), inputs).values)
        << body;
  }
}

TEST(Definition, compiler_that_computes_something_else_is_found) {
  const hl::Program p = matvec(Scalar::f32, 5, 7);
  Memory memory(p);
  const auto inputs = memory.pointers().subspan(1);
  fill(p, inputs, Numbers::tenths, 5);
  kernel::Module module = plain_loops(p, meaning_of(p), "plain");
  const std::string end = "< window[3]";
  const size_t at = module.source.find(end);
  ASSERT_NE(at, std::string::npos) << module.source;
  module.source.replace(at, end.size(), "< window[3] - 1");
  Definition definition(p, meaning_of(p));
  const std::vector<kernel::Module> modules = {module};
  const auto kernel = runtime::host::runtime().open("")->load(modules).front();
  try {
    definition.compute_by(kernel, inputs, 1);
    FAIL() << "believed";
  } catch (const Error& e) {
    EXPECT_EQ(e.diagnostic().code, "E621");
  }
  EXPECT_FALSE(definition.is_compiled());
}

// ---- data

TEST(Gates, factors_of_sums_close_them) {
  const hl::Program p = matvec(Scalar::f32, 5, 7);
  const std::vector<Gate> gates = find_gates(p, meaning_of(p));
  ASSERT_EQ(gates.size(), 2u);
  EXPECT_EQ(gates[0].buffers, std::vector<size_t>{0});
  EXPECT_EQ(gates[0].value, 0);
}

std::vector<Gate> gates_of(const std::string& f) {
  const hl::Program p = hl::parse(
      "mdh 1\nprogram p = out_view( y: f32 = [] ) * md_hom( k: 9 by pw(add) ) { y = " + f +
      "; } * inp_view( a: f32 = [k]; b: f32 = [k] )");
  return find_gates(p, meaning_of(p));
}

TEST(Gates, are_found_by_trying_values) {
  EXPECT_EQ(gates_of("(a - b) * (a - b)").at(0).buffers, (std::vector<size_t>{0, 1}));
  EXPECT_EQ(gates_of("log(a) * b").at(0).buffers, std::vector<size_t>{0});
  EXPECT_EQ(gates_of("log(a) * b").at(0).value, 1);
  EXPECT_LT(gates_of("exp(a) + exp(b)").at(0).value, -1000);
  EXPECT_TRUE(gates_of("cos(a) + b * 0.0").empty());
}

TEST(Thinning, leaves_about_as_many_as_asked_and_all_that_must_stay) {
  const hl::Program p = matvec(Scalar::f32, 10, 1000);
  const Thinning thinning{{{0}, 0}, 0.05, {{0, 0}, {9, 999}}};
  for (const bool at_once : {false, true}) {
    Memory memory(p);
    const auto inputs = memory.pointers().subspan(1);
    fill(p, inputs, Numbers::whole, 1, at_once ? std::optional(thinning) : std::nullopt);
    if (!at_once) thin(p, inputs, thinning, 1);
    const auto* M = static_cast<const float*>(inputs[0]);
    const auto* v = static_cast<const float*>(inputs[1]);
    EXPECT_NEAR(static_cast<double>(std::count(M, M + 10000, 0.0f)), 9500, 150);
    EXPECT_NE(M[0], 0);
    EXPECT_NE(M[9999], 0);
    EXPECT_EQ(std::count(v, v + 1000, 0.0f), 0);
  }
}

// ---- rules

std::vector<Rule> rules(const std::string& op, const std::string& f, bool contracts) {
  const hl::Program p =
      hl::parse("mdh 1\nprogram p = out_view( y: f32 = [] ) * md_hom( k: 9 by pw(" + op +
                ") ) { y = " + f + "; } * inp_view( a: f32 = [k]; b: f32 = [k] )");
  return rules_of(meaning_of(p), {.contracts = contracts});
}

TEST(Rules, follow_from_f_and_the_operator) {
  EXPECT_EQ(rules("add", "a * b", false).at(0), Rule::bounded);
  EXPECT_EQ(rules("min", "a + b", true).at(0), Rule::exact);
  EXPECT_EQ(rules("min", "a * b + a", true).at(0), Rule::bounded);
  EXPECT_EQ(rules("max", "if a > b then a else b", false).at(0), Rule::exact);
  EXPECT_EQ(rules("add", "exp(a) + b", false).at(0), Rule::enclosed);
  EXPECT_EQ(rules("add", "a / (a - b)", false).at(0), Rule::enclosed);
}

}  // namespace
}  // namespace mdh::driver::definition_test
