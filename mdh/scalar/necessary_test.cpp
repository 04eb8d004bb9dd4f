#include "mdh/scalar/necessary.h"

#include <gtest/gtest.h>

#include "mdh/scalar/elaborate.h"
#include "mdh/scalar/parse.h"
#include "mdh/scalar/print.h"
#include "mdh/scalar/resolve.h"
#include "mdh/scalar/tape/tape.h"
#include "mdh/support/random.h"

namespace mdh::scalar::necessary_test {
namespace {

/// Two of each: of a name, a town (i32), a year (i16), a day (i8), a weight (f64) and a mark (bool).
const std::vector<Parameter>& parameters() {
  static const std::vector<Parameter> all = [] {
    std::vector<Parameter> both;
    const std::vector<std::pair<const char*, Type>> kinds = {
        {"name", Scalar::i32}, {"town", Scalar::i32},   {"year", Scalar::i16},
        {"day", Scalar::i8},   {"weight", Scalar::f64}, {"mark", Scalar::boolean}};
    int number = 0;
    for (const auto& [name, type] : kinds) {
      for (const char* side : {"a", "b"}) {
        both.push_back({{std::string(name) + "_" + side, number++}, type});
      }
    }
    return both;
  }();
  return all;
}

Scope scope_of(const std::vector<Function>& known = {}) {
  Scope scope;
  for (const Parameter& p : parameters()) scope.declare(p.symbol.name, p.type, "access", {});
  for (const Function& f : known) scope.declare_function(f, {});
  return scope;
}

Expr condition(const std::string& text, const std::vector<Function>& known = {}) {
  const Scope scope = scope_of(known);
  return elaborate(resolve(parse_expression(text, "t"), scope), Scalar::boolean);
}

std::string needs_of(const std::string& text, const std::vector<Function>& known = {}) {
  const auto needs = necessary(condition(text, known));
  return needs ? print(*needs) : "nothing";
}

bool value_of(const Expr& e, const std::vector<Value>& arguments) {
  Value result;
  Tape({"e", parameters(), {{{"r", 100}, e, {}}}}).run(arguments, {&result, 1});
  return result.as_integer() != 0;
}

const char* const name = "name_a == name_b";
const char* const town = "town_a == town_b";
const char* const year = "year_a == year_b";
const char* const day = "day_a == day_b";

std::string any_of(const std::vector<std::vector<std::string>>& stages) {
  std::string text;
  for (const auto& stage : stages) {
    std::string all;
    for (const std::string& c : stage) all += (all.empty() ? "" : " && ") + c;
    text += (text.empty() ? "" : " || ") + all;
  }
  return text;
}

/// Each of the stages needs one of two things.
TEST(Necessary, rare_comparisons_that_all_alternatives_share) {
  const std::string one = any_of(
      {{name, year, day}, {"name_a < town_b", year, day}, {year, "mark_a", "weight_a < weight_b"}});
  EXPECT_EQ(needs_of(one), "year_a == year_b");
  const std::string two = any_of({{name, year, "mark_a"},
                                  {name, town, "mark_b"},
                                  {day, town, "mark_a"},
                                  {town, "weight_a < weight_b"}});
  EXPECT_EQ(needs_of(two), "name_a == name_b || town_a == town_b");
}

/// Stages as record linkage has them: what is rarest, and what is rarest of other things.
TEST(Necessary, two_needs_about_different_things) {
  const std::string all = any_of({{name, town, year},
                                  {name, town, day},
                                  {name, year, day, "mark_a"},
                                  {town, name, "mark_b"},
                                  {name, town, "weight_a < weight_b"}});
  EXPECT_EQ(needs_of(all), "name_a == name_b && (town_a == town_b || year_a == year_b)");
}

TEST(Necessary, negations_are_turned_around) {
  const std::string none =
      "!(!(name_a == name_b) || !(town_a == town_b) || year_a == year_b || "
      "day_a == day_b || mark_a || mark_b || weight_a < weight_b)";
  EXPECT_EQ(needs_of(none), "name_a == name_b && town_a == town_b");
}

TEST(Necessary, nothing_where_it_is_short_or_says_little) {
  EXPECT_EQ(needs_of(any_of({{name, town}, {name, year}})), "nothing");
  EXPECT_EQ(needs_of(any_of({{name},
                             {town},
                             {year},
                             {day},
                             {"mark_a"},
                             {"mark_b"},
                             {"weight_a < weight_b"},
                             {"name_a < town_b"},
                             {"day_a < day_b"}})),
            "nothing");
}

/// Divisions and mathematics are not computed in vain, nor are arrays read outside of their ends.
TEST(Necessary, what_takes_long_or_may_be_wrong_is_not_asked_first) {
  const std::string all = any_of({{"name_a / name_b == 3", "town_a % town_b == 1", year},
                                  {"name_a / name_b == 4", "sqrt(weight_a) < 1.0", year}});
  EXPECT_EQ(needs_of(all), "year_a == year_b");
  EXPECT_TRUE(is_cheap(condition(name)));
  EXPECT_FALSE(is_cheap(condition("name_a / name_b == 3")));
  EXPECT_FALSE(is_cheap(condition("sqrt(weight_a) < 1.0")));
  EXPECT_FALSE(is_cheap(condition("if mark_a then mark_b else false")));
}

Expr random_condition(Random& random, int depth) {
  static const std::vector<Expr> atoms = [] {
    std::vector<Expr> all;
    for (const char* text :
         {name, town, year, day, "mark_a", "weight_a < weight_b", "name_a != town_b",
          "year_a <= year_b", "mark_b", "town_a == name_b", "if mark_a then mark_b else false"}) {
      all.push_back(condition(text));
    }
    return all;
  }();
  if (depth == 0) return random.pick(atoms);
  const Expr left = random_condition(random, depth - 1);
  if (random.chance(15)) return unary(UnaryOp::logical_not, left);
  const BinaryOp op = random.chance(50) ? BinaryOp::logical_and : BinaryOp::logical_or;
  return binary(op, left, random_condition(random, depth - 1));
}

TEST(Necessary, holds_wherever_the_condition_does) {
  Random random(7);
  int64_t known = 0, held = 0, spared = 0;
  for (int n = 0; n < 400; ++n) {
    const Expr e = random_condition(random, static_cast<int>(random.between(3, 6)));
    const auto needs = necessary(e);
    if (!needs) continue;
    ++known;
    EXPECT_TRUE(is_cheap(*needs));
    for (int m = 0; m < 60; ++m) {
      std::vector<Value> values;
      for (const Parameter& p : parameters()) {
        const bool is_float = p.type == Type(Scalar::f64);
        const int64_t most = p.type == Type(Scalar::boolean) ? 1 : 2;
        const int64_t value = random.between(0, most);
        values.push_back(is_float ? Value(static_cast<double>(value)) : Value(value));
      }
      const bool holds = value_of(e, values), may_hold = value_of(*needs, values);
      EXPECT_TRUE(!holds || may_hold) << print(e) << " needs " << print(*needs);
      held += holds;
      spared += !may_hold;
    }
  }
  EXPECT_GT(known, 50);
  EXPECT_GT(held, 100);
  EXPECT_GT(spared, 1000);
}

Function deciding(const std::string& name, const std::string& text,
                  const std::vector<Function>& known) {
  return {name, parameters(), {{local("r"), condition(text, known), {}}}, {}};
}

std::string call_of(const std::string& function) {
  std::string arguments;
  for (const Parameter& p : parameters()) {
    arguments += (arguments.empty() ? "" : ", ") + p.symbol.name;
  }
  return function + "(" + arguments + ")";
}

/// Functions that call the one before them twice take no exponential time.
TEST(Necessary, functions_are_looked_into_but_not_without_end) {
  const Function same =
      deciding("same", any_of({{name, year, "mark_a"}, {name, town, "mark_b"}}), {});
  EXPECT_EQ(needs_of(call_of("same") + " && mark_a && weight_a < weight_b", {same}),
            "name_a == name_b && (year_a == year_b || town_a == town_b)");
  std::vector<Function> chain = {same};
  for (int n = 0; n < 60; ++n) {
    const std::string callee = call_of(chain.back().name);
    chain.push_back(deciding("next" + std::to_string(n), callee + " && !" + callee, chain));
  }
  necessary(condition(call_of(chain.back().name), chain));
}

}  // namespace
}  // namespace mdh::scalar::necessary_test
