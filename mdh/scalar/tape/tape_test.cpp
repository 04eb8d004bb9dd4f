#include "mdh/scalar/tape/tape.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mdh/scalar/elaborate.h"
#include "mdh/scalar/parse.h"
#include "mdh/scalar/resolve.h"
#include "mdh/support/random.h"
#include "mdh/support/testing.h"

namespace mdh::scalar::tape_test {
namespace {

/// A function of the parameters a, b, ... of the given types.
Function function(const std::vector<std::string>& results, const std::vector<Type>& types) {
  Scope scope;
  Function f{"f", {}, {}};
  for (size_t n = 0; n < types.size(); ++n) {
    const std::string name(1, static_cast<char>('a' + n));
    f.parameters.push_back({scope.declare(name, types[n], "access", {}), types[n]});
  }
  for (const std::string& text : results) {
    f.results.push_back({{"r", 99}, elaborate(resolve(parse_expression(text), scope), Type()), {}});
  }
  return f;
}

Value run(const std::string& text, const std::vector<Type>& types, std::vector<Value> arguments,
          Precision precision = Precision::declared) {
  Value result;
  Tape(function({text}, types), precision).run(arguments, {&result, 1});
  return result;
}

int64_t on_integers(const std::string& text, std::vector<int64_t> arguments) {
  std::vector<Value> values;
  for (const int64_t i : arguments) values.push_back(Value::integer(i));
  return run(text, std::vector<Type>(values.size(), Scalar::i64), values).as_integer();
}

TEST(Tape, computes_what_is_written) {
  EXPECT_EQ(on_integers("a + b * 3", {4, 5}), 19);
  EXPECT_EQ(on_integers("-(a - b) % 4", {1, 8}), 3);
  EXPECT_EQ(on_integers("max(min(a, b), -2)", {-7, 3}), -2);
  EXPECT_EQ(on_integers("a", {42}), 42);
  EXPECT_EQ(on_integers("7", {}), 7);
}

TEST(Tape, has_several_results) {
  const Tape tape(function({"a + b", "a - b", "a"}, {Scalar::i64, Scalar::i64}));
  const std::vector<Value> arguments = {Value::integer(7), Value::integer(5)};
  std::vector<Value> results(3);
  tape.run(arguments, results);
  EXPECT_EQ(results[0].as_integer(), 12);
  EXPECT_EQ(results[1].as_integer(), 2);
  EXPECT_EQ(results[2].as_integer(), 7);
}

TEST(Tape, results_may_overwrite_the_arguments) {
  const Tape tape(function({"b", "a"}, {Scalar::i64, Scalar::i64}));
  std::vector<Value> both = {Value::integer(1), Value::integer(2)};
  tape.run(both, both);
  EXPECT_EQ(both[0].as_integer(), 2);
  EXPECT_EQ(both[1].as_integer(), 1);
}

TEST(Tape, functions_of_any_length_have_room) {
  std::string sum = "a";
  for (int n = 1; n <= 300; ++n) sum += " + a * " + std::to_string(n);
  EXPECT_EQ(on_integers(sum, {2}), 2 + 2 * (300 * 301 / 2));
}

TEST(Tape, select_takes_the_branch_of_its_condition) {
  const std::string text = "if a < b then a * 10 else b * 100";
  EXPECT_EQ(on_integers(text, {1, 2}), 10);
  EXPECT_EQ(on_integers(text, {2, 1}), 100);
  EXPECT_EQ(on_integers("if a == 0 then 1 else if a == 1 then 2 else 3", {0}), 1);
  EXPECT_EQ(on_integers("if a == 0 then 1 else if a == 1 then 2 else 3", {1}), 2);
  EXPECT_EQ(on_integers("if a == 0 then 1 else if a == 1 then 2 else 3", {2}), 3);
}

TEST(Tape, branch_not_taken_is_not_computed) {
  const std::string text = "if b == 0 then -1 else a / b";
  EXPECT_EQ(on_integers(text, {7, 0}), -1);
  EXPECT_EQ(on_integers(text, {7, 2}), 3);
  EXPECT_EQ(on_integers("(if b != 0 then a % b else 5) + (if b == 0 then 1 else 2)", {7, 0}), 6);
}

TEST(Tape, second_operand_of_logic_is_computed_only_where_it_decides) {
  EXPECT_EQ(on_integers("if b != 0 && a / b > 2 then 1 else 0", {7, 0}), 0);
  EXPECT_EQ(on_integers("if b != 0 && a / b > 2 then 1 else 0", {7, 2}), 1);
  EXPECT_EQ(on_integers("if b != 0 && a / b > 2 then 1 else 0", {7, 3}), 0);
  EXPECT_EQ(on_integers("if b == 0 || a / b > 2 then 1 else 0", {7, 0}), 1);
  EXPECT_EQ(on_integers("if b == 0 || a / b > 2 then 1 else 0", {7, 3}), 0);
}

TEST(Tape, division_by_zero_gives_zero) {
  EXPECT_EQ(on_integers("a / b + 3", {7, 0}), 3);
  EXPECT_EQ(on_integers("if a > 0 then a % b else 1", {7, 0}), 0);
}

TEST(Tape, division_by_zero_is_a_user_error_where_it_is_asked_for) {
  const auto checked = [](const std::string& text, int64_t a, int64_t b) {
    const Tape tape(function({text}, {Scalar::i64, Scalar::i64}), Precision::declared,
                    ByZero::is_error);
    Value result;
    const std::vector<Value> arguments = {Value::integer(a), Value::integer(b)};
    tape.run(arguments, {&result, 1});
    return result.as_integer();
  };
  EXPECT_EQ(diagnostic_of([&] { checked("a / b", 7, 0); }).code, "E130");
  EXPECT_EQ(diagnostic_of([&] { checked("if a > 0 then a % b else 1", 7, 0); }).code, "E130");
  EXPECT_EQ(checked("if b == 0 then 5 else a / b", 7, 0), 5) << "what is not taken";
  EXPECT_EQ(checked("a / b", 7, 2), 3);
}

TEST(Tape, negation_wraps_around_and_flips_the_sign_of_zero) {
  EXPECT_EQ(run("-a", {Scalar::i8}, {Value::integer(-128)}).as_integer(), -128);
  EXPECT_EQ(run("-a", {Scalar::u8}, {Value::integer(1)}).as_integer(), 255);
  EXPECT_TRUE(std::signbit(run("-a", {Scalar::f32}, {Value::floating(0)}).as_floating()));
}

TEST(Tape, not_is_logical) {
  EXPECT_EQ(run("!a", {Scalar::boolean}, {Value::integer(0)}).bits, 1u);
  EXPECT_EQ(run("!a", {Scalar::boolean}, {Value::integer(1)}).bits, 0u);
}

template <class From, class To>
void expect_cast(Scalar from, Scalar to) {
  Random random(9);
  std::vector<From> samples = {std::numeric_limits<From>::min(), std::numeric_limits<From>::max()};
  for (int n = 0; n < 20; ++n) samples.push_back(static_cast<From>(random.next()));
  for (int i = -3; i <= 3; ++i) samples.push_back(static_cast<From>(i));
  for (const From a : samples) {
    const Value argument{static_cast<uint64_t>(a)};
    const Value result = run(to_string(to) + "(a)", {from}, {argument});
    const Value expected = is_floating(to)
                               ? Value::floating(static_cast<double>(static_cast<To>(a)))
                               : Value{static_cast<uint64_t>(static_cast<To>(a))};
    EXPECT_EQ(result, expected) << to_string(from) << " " << +a << " to " << to_string(to);
  }
}

template <class From>
void expect_casts_from(Scalar from) {
  expect_cast<From, bool>(from, Scalar::boolean);
  expect_cast<From, int8_t>(from, Scalar::i8);
  expect_cast<From, int16_t>(from, Scalar::i16);
  expect_cast<From, int32_t>(from, Scalar::i32);
  expect_cast<From, int64_t>(from, Scalar::i64);
  expect_cast<From, uint8_t>(from, Scalar::u8);
  expect_cast<From, uint16_t>(from, Scalar::u16);
  expect_cast<From, uint32_t>(from, Scalar::u32);
  expect_cast<From, uint64_t>(from, Scalar::u64);
  expect_cast<From, float>(from, Scalar::f32);
  expect_cast<From, double>(from, Scalar::f64);
}

TEST(Tape, casts_from_integers_are_those_of_c) {
  expect_casts_from<bool>(Scalar::boolean);
  expect_casts_from<int8_t>(Scalar::i8);
  expect_casts_from<int16_t>(Scalar::i16);
  expect_casts_from<int32_t>(Scalar::i32);
  expect_casts_from<int64_t>(Scalar::i64);
  expect_casts_from<uint8_t>(Scalar::u8);
  expect_casts_from<uint16_t>(Scalar::u16);
  expect_casts_from<uint32_t>(Scalar::u32);
  expect_casts_from<uint64_t>(Scalar::u64);
}

TEST(Tape, large_integers_are_rounded_to_f32_once) {
  // Just above the middle of two f32 neighbours, which a double cannot tell from the middle.
  const uint64_t bits = (uint64_t{1} << 63) + (uint64_t{1} << 39) + 1;
  EXPECT_EQ(run("f32(a)", {Scalar::u64}, {{bits}}).as_floating(), 0x1p63 + 0x1p40);
  EXPECT_EQ(run("f32(a)", {Scalar::i64}, {{bits >> 1 | 1}}).as_floating(), 0x1p62 + 0x1p39);
}

TEST(Tape, casts_from_floats_truncate_and_round) {
  const auto from = [](const char* text, double d) {
    return run(text, {Scalar::f64}, {Value::floating(d)});
  };
  EXPECT_EQ(from("i32(a)", -2.9).as_integer(), -2);
  EXPECT_EQ(from("u8(a)", 200.5).as_integer(), 200);
  EXPECT_EQ(from("bool(a)", 0.5).bits, 1u);
  EXPECT_EQ(from("f32(a)", 0.1).as_floating(), 0x1.99999ap-4);
  EXPECT_EQ(from("f64(f32(a))", 0.1).as_floating(), 0x1.99999ap-4);
}

TEST(Tape, wide_precision_does_not_round_to_f32) {
  const std::vector<Type> types = {Scalar::f32, Scalar::f32};
  const std::vector<Value> third = {Value::floating(1), Value::floating(3)};
  EXPECT_EQ(run("a / b", types, third).as_floating(), static_cast<double>(1.0f / 3.0f));
  EXPECT_EQ(run("a / b", types, third, Precision::wide).as_floating(), 1.0 / 3.0);
  EXPECT_EQ(run("f32(f64(a) / f64(b))", types, third, Precision::wide).as_floating(), 1.0 / 3.0);
}

TEST(Tape, wide_precision_leaves_integers_alone) {
  EXPECT_EQ(run("a + b", {Scalar::i8, Scalar::i8}, {Value::integer(100), Value::integer(100)},
                Precision::wide)
                .as_integer(),
            -56);
}

TEST(Tape, loop_that_does_not_end_is_an_error) {
  const Tape tape(function({"loop (k = a) while (k >= 0) { k = k } yield k"}, {Scalar::i64}));
  const std::vector<Value> endless = {Value::integer(0)}, short_one = {Value::integer(-1)};
  Value result;
  const Diagnostic d = diagnostic_of([&] { tape.run(endless, {&result, 1}, 1000); });
  EXPECT_EQ(d.code + " " + d.message, "E132 a loop has not ended after 1000 steps");
  EXPECT_LT(tape.run(short_one, {&result, 1}, 1000), 10);
  EXPECT_EQ(result.as_integer(), -1);
}

TEST(Tape, calls_that_expand_to_too_much_are_refused) {
  Scope scope;
  Function f = function({"a + a"}, {Scalar::i64});
  for (int n = 0; n < 40; ++n) {  // each calls the one before twice
    f.name = "g" + std::to_string(n);
    scope.declare_function(f, {});
    Scope inside = scope;
    inside.declare_local("a", Scalar::i64, "parameter", {});
    const std::string twice = fmt::format("{0}(a) + {0}(a)", f.name);
    f.parameters = {{local("a"), Scalar::i64}};
    f.results[0].value = elaborate(resolve(parse_expression(twice), inside), Type());
  }
  EXPECT_EQ(diagnostic_of([&] { Tape{f}; }).code, "E133");
}

TEST(Tape, variable_that_is_no_parameter_is_a_bug) {
  const Function f{"f", {}, {{{"r", 0}, variable({"x", 1}, Scalar::i64), {}}}};
  EXPECT_EQ(diagnostic_of([&] { Tape{f}; }).kind, DiagnosticKind::internal);
}

}  // namespace
}  // namespace mdh::scalar::tape_test
