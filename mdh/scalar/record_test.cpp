// Records, loops, functions and shifts from text to value: parsed, printed, typed, evaluated.
#include <gtest/gtest.h>

#include "mdh/scalar/elaborate.h"
#include "mdh/scalar/parse.h"
#include "mdh/scalar/print.h"
#include "mdh/scalar/resolve.h"
#include "mdh/scalar/tape/tape.h"
#include "mdh/support/random.h"
#include "mdh/support/testing.h"

namespace mdh::scalar::record_test {
namespace {

const Type person(Record{
    "person", {{"id", Scalar::i32, 0}, {"born", Scalar::i16, 3}, {"w", Scalar::f64, 0}}});

/// twice(n: i32) = n + n; spread(p: person) = let d = p.born[2] - p.born[0]; d * d
Scope example_scope() {
  Scope scope;
  scope.declare_record(*person.record(), {});
  scope.declare("a", person, "access", {});
  scope.declare("b", person, "access", {});
  scope.declare("n", Scalar::i32, "access", {});
  scope.declare("i", Scalar::i64, "dimension", {});
  const Expr n = variable(local("n"), Scalar::i32);
  scope.declare_function({"twice",
                          {{local("n"), Scalar::i32}},
                          {{local("return"), binary(BinaryOp::add, n, n), {}}},
                          {}},
                         {});
  const Expr born = field_of(variable(local("p"), person), "born");
  const Expr d = binary(BinaryOp::subtract, element_of(born, index_literal(2)),
                        element_of(born, index_literal(0)));
  const Expr named = variable(local("d"), Scalar::i16);
  scope.declare_function({"spread",
                          {{local("p"), person}},
                          {{local("return"), binary(BinaryOp::multiply, named, named), {}}},
                          {{local("d"), d, {}}}},
                         {});
  return scope;
}

Expr typed(const std::string& text, const Type& expected = Type()) {
  return elaborate(resolve(parse_expression(text, "t"), example_scope()), expected);
}

/// a = {10, {1, 2, 3}, 0.5}, b = {20, {7, 8, 12}, 2.5}, n = -5, i = 2, leaf by leaf.
std::vector<Value> run(const std::string& text, const Type& expected = Type()) {
  const Scope scope = example_scope();
  Function f{"f", {}, {{{"r", 99}, typed(text, expected), {}}}, {}};
  for (const char* name : {"a", "b", "n", "i"}) {
    f.parameters.push_back({scope.find(name)->symbol, scope.find(name)->type});
  }
  std::vector<Value> arguments;
  for (const int64_t leaf : {10, 1, 2, 3}) arguments.push_back(Value::integer(leaf));
  arguments.push_back(Value::floating(0.5));
  for (const int64_t leaf : {20, 7, 8, 12}) arguments.push_back(Value::integer(leaf));
  arguments.push_back(Value::floating(2.5));
  arguments.push_back(Value::integer(-5));
  arguments.push_back(Value::integer(2));
  std::vector<Value> results(static_cast<size_t>(width_of(f.results[0].value.type())));
  Tape(f).run(arguments, results);
  return results;
}

int64_t number(const std::string& text) { return run(text).at(0).as_integer(); }
double real(const std::string& text) { return run(text).at(0).as_floating(); }

TEST(RecordValue, fields_and_elements_are_read) {
  EXPECT_EQ(number("a.id"), 10);
  EXPECT_EQ(number("b.id - a.id"), 10);
  EXPECT_EQ(real("a.w * b.w"), 1.25);
  EXPECT_EQ(number("b.born[0]"), 7);
  EXPECT_EQ(number("b.born[i]"), 12) << "the index is computed";
  EXPECT_EQ(number("b.born[i64(a.born[0])]"), 8);
}

TEST(RecordValue, is_chosen_as_a_whole) {
  const auto ids = [](const std::string& text) {
    const std::vector<Value> leaves = run(text);
    EXPECT_EQ(leaves.size(), 5u);
    return std::vector<int64_t>{leaves[0].as_integer(), leaves[1].as_integer(),
                                leaves[3].as_integer()};
  };
  EXPECT_EQ(ids("if a.w > b.w then a else b"), (std::vector<int64_t>{20, 7, 12}));
  EXPECT_EQ(ids("if a.w < b.w then a else b"), (std::vector<int64_t>{10, 1, 3}));
  EXPECT_EQ(number("(if n < 0 then b else a).born[1]"), 8);
}

TEST(RecordValue, is_made_of_fields_in_any_order) {
  const std::vector<Value> made = run("person{ w = 0.25, born = b.born, id = n }");
  ASSERT_EQ(made.size(), 5u);
  EXPECT_EQ(made[0].as_integer(), -5);
  EXPECT_EQ(made[1].as_integer(), 7);
  EXPECT_EQ(made[3].as_integer(), 12);
  EXPECT_EQ(made[4].as_floating(), 0.25);
}

TEST(RecordValue, index_outside_of_an_array_is_a_user_error) {
  for (const char* text : {"a.born[3]", "a.born[i + 1]", "a.born[-1]"}) {
    const Diagnostic d = diagnostic_of([&] { run(text); });
    EXPECT_EQ(d.code, "E131") << text;
    EXPECT_EQ(d.kind, DiagnosticKind::user);
  }
  EXPECT_EQ(diagnostic_of([] { run("a.born[i + 1]"); }).message,
            "index 3 is outside of an array field of 3");
  EXPECT_EQ(number("if i < 2 then a.born[i + 1] else 0"), 0) << "not where it is not computed";
}

TEST(LoopValue, carries_its_state_until_the_condition_fails) {
  EXPECT_EQ(number("loop (k = 0, s = 100) while (k < 5) { s = s + k, k = k + 1 } yield s"), 110);
  EXPECT_EQ(number("loop (k = 0) while (k < 0) { k = k + 1 } yield k"), 0) << "no iteration";
  EXPECT_EQ(number("loop (k = 0, s = i64(0)) while (k < 3) "
                   "{ s = s + i64(b.born[k]), k = k + 1 } yield s"),
            27);
}

TEST(LoopValue, updates_are_simultaneous) {
  // Fibonacci: with updates one after the other this would be 2^n.
  EXPECT_EQ(number("loop (k = 0, x = 0, y = 1) while (k < 10) "
                   "{ x = y, y = x + y, k = k + 1 } yield x"),
            55);
}

TEST(LoopValue, what_is_not_updated_stays) {
  EXPECT_EQ(number("loop (k = 0, c = i + 5) while (k < c) { k = k + 2 } yield k * 10 + c"), 87);
}

TEST(LoopValue, loops_and_records_nest) {
  EXPECT_EQ(number("loop (k = 0, s = 0) while (k < 3) { s = s + (loop (j = 0, t = 0) while (j < k) "
                   "{ t = t + 10, j = j + 1 } yield t), k = k + 1 } yield s"),
            30);
  EXPECT_EQ(number("(loop (k = 0, best = a) while (k < 2) "
                   "{ best = if b.w > best.w then b else best, k = k + 1 } yield best).id"),
            20);
}

TEST(CallValue, functions_of_the_user_are_called) {
  EXPECT_EQ(number("twice(n) + 1"), -9);
  EXPECT_EQ(number("twice(twice(n))"), -20);
  EXPECT_EQ(number("spread(b) - spread(a)"), 25 - 4);
  EXPECT_EQ(number("spread(if n < 0 then b else a)"), 25);
  EXPECT_EQ(number("loop (k = 0, s = n) while (k < 3) { s = twice(s), k = k + 1 } yield s"), -40);
}

TEST(CallValue, mathematics_is_called) {
  EXPECT_EQ(real("sqrt(b.w * b.w)"), 2.5);
  EXPECT_EQ(real("pow(a.w, 2.0)"), 0.25);
  EXPECT_EQ(number("abs(n)"), 5);
}

TEST(BitOperators, have_the_strengths_of_c) {
  EXPECT_EQ(number("1 << 3 + 1"), 16);
  EXPECT_EQ(number("i64(n) >> 1"), -3);
  EXPECT_EQ(number("~n"), 4);
  EXPECT_EQ(number("1 << 2 & 12 | 3 ^ 1"), (1 << 2 & 12) | (3 ^ 1));
}

TEST(NewSyntax, is_read_back_equal) {
  for (const char* text :
       {"a.b",
        "a.b.c",
        "a.b[2]",
        "a.b[i + 1] * 2",
        "f(x).b",
        "(a + b).c",
        "(-a).c",
        "-a.c",
        "p{ x = 1, y = a.b[0] }",
        "p{ x = 1 }.x",
        "(if c then a else b).x",
        "sqrt(x + 1)",
        "f(a, b, c)",
        "f()",
        "~x",
        "~(x + 1)",
        "-~x",
        "a << b >> c",
        "a << (b >> c)",
        "a << b + c",
        "(a << b) + c",
        "a & b << c",
        "x.1",
        "x.1.f",
        "loop (k = 0) while (k < 3) { k = k + 1 } yield k",
        "1 + (loop (k = 0, s = x.1) while (k < 3) { s = s * x, k = k + 1 } yield s)",
        "loop (k = 0) while (k < 3) { k = k + 1 } yield k + 1",
        "(loop (k = 0) while (k < 3) { k = k + 1 } yield k) + 1",
        "if (loop (k = 0) while (k < 3) { k = k + 1 } yield k) < 2 then a else b"}) {
    const Expr e = parse_expression(text);
    EXPECT_TRUE(parse_expression(print(e)) == e) << text << "\n" << print(e);
  }
}

/// Any nesting of the new forms with the old ones.
std::string random_text(Random& random, int depth) {
  if (depth == 0) return random.pick<std::string>({"a", "b", "x.1", "7", "0.5", "true"});
  const auto part = [&] { return "(" + random_text(random, depth - 1) + ")"; };
  switch (random.between(0, 8)) {
    case 0:
      return part() + ".field";
    case 1:
      return part() + "[" + random_text(random, depth - 1) + "]";
    case 2:
      return "p{ x = " + random_text(random, depth - 1) + ", y = " + part() + " }";
    case 3:
      return "loop (k = " + part() + ") while (" + random_text(random, depth - 1) +
             ") { k = " + random_text(random, depth - 1) + " } yield " +
             random_text(random, depth - 1);
    case 4:
      return "call(" + random_text(random, depth - 1) + ", " + part() + ")";
    case 5:
      return "~" + part();
    case 6:
      return part() + random.pick<std::string>({" << ", " >> ", " + ", " & ", " < "}) + part();
    case 7:
      return "if " + random_text(random, depth - 1) + " then " + part() + " else " + part();
    default:
      return "-" + part();
  }
}

TEST(NewSyntax, random_nestings_are_read_back_equal) {
  Random random(5);
  for (int n = 0; n < 2000; ++n) {
    const std::string text = random_text(random, 4);
    const Expr e = parse_expression(text);
    ASSERT_TRUE(parse_expression(print(e)) == e) << text << "\n" << print(e);
  }
}

TEST(ElaborateRecords, mistakes_are_named) {
  const auto message = [](const char* text) { return diagnostic_of([&] { typed(text); }).message; };
  EXPECT_EQ(message("a.age"), "'a' of type person has no field 'age'");
  EXPECT_EQ(message("n.id"), "'n' of type i32 has no field 'id'");
  EXPECT_EQ(message("n[0]"), "'n' of type i32 cannot be indexed");
  EXPECT_EQ(message("a.id[0]"), "'a.id' of type i32 cannot be indexed");
  EXPECT_EQ(message("person{ id = 1 }"), "1 of 3 fields of record person are given");
  EXPECT_EQ(message("person{ id = 0.5, born = a.born, w = 1 }"),
            "the literal 0.5 has no exact value of type i32");
  EXPECT_EQ(message("planet{ id = 1 }"), "unknown record 'planet'");
  EXPECT_EQ(message("twice(n, n)"), "'twice' takes 1 argument, got 2");
  EXPECT_EQ(message("twice(a.w)"), "'a.w' has type f64, but i32 is needed here");
  EXPECT_EQ(message("loop (k = 0) while (k < 3) { j = 1 } yield k"),
            "'j' is updated, but has no initial value");
  EXPECT_EQ(message("loop (k = 0) while (k) { k = k + 1 } yield k"),
            "'k' has type i64, but bool is needed here");
  EXPECT_EQ(message("if a.w < 1 then a else n"), "'n' has type i32, but person is needed here");
  for (const char* text :
       {"a + b", "-a", "a == b", "min(a, b)", "i64(a)", "sqrt(n)", "~a.w", "a.w << 1"}) {
    EXPECT_EQ(diagnostic_of([&] { typed(text); }).code, "E122") << text;
  }
}

}  // namespace
}  // namespace mdh::scalar::record_test
