#include "mdh/scalar/enclosure/enclosing_function.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mdh/scalar/elaborate.h"
#include "mdh/scalar/parse.h"
#include "mdh/scalar/resolve.h"
#include "mdh/support/random.h"
#include "mdh/support/testing.h"

namespace mdh::scalar::enclosing_function_test {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

/// A function of the parameters a, b, ... of the given types.
Function function(const std::string& text, const std::vector<Type>& types) {
  Scope scope;
  Function f{"f", {}, {}};
  for (size_t n = 0; n < types.size(); ++n) {
    const std::string name(1, static_cast<char>('a' + n));
    f.parameters.push_back({scope.declare(name, types[n], "access", {}), types[n]});
  }
  f.results.push_back({{"r", 99}, elaborate(resolve(parse_expression(text), scope), Type()), {}});
  return f;
}

Enclosure floats(double least, double greatest, bool no_number = false) {
  return {Value::floating(least), Value::floating(greatest), no_number};
}
Enclosure number(double v) { return floats(v, v); }
Enclosure integers(int64_t least, int64_t greatest) {
  return {Value::integer(least), Value::integer(greatest)};
}
Enclosure whole(int64_t v) { return integers(v, v); }

Enclosure enclosed(const std::string& text, const std::vector<Type>& types,
                   const std::vector<Enclosure>& arguments, const Deviations& deviations = {}) {
  Enclosure result;
  EnclosingFunction(function(text, types), deviations)(arguments, {&result, 1});
  return result;
}

Enclosure on_f64(const std::string& text, const std::vector<Enclosure>& arguments,
                 const Deviations& deviations = {}) {
  return enclosed(text, std::vector<Type>(arguments.size(), Scalar::f64), arguments, deviations);
}

Enclosure on_i64(const std::string& text, const std::vector<Enclosure>& arguments) {
  return enclosed(text, std::vector<Type>(arguments.size(), Scalar::i64), arguments);
}

// ---- plain functions

TEST(EnclosingFunction, points_in_points_out) {
  const std::string text = "if a < b then (a + b) * c - a / b else max(a, c)";
  for (const Scalar type : {Scalar::f16, Scalar::bf16, Scalar::f32, Scalar::f64}) {
    const Function f = function(text, {type, type, type});
    const Tape tape(f);
    EnclosingFunction enclosing(f);
    Random random(3);
    for (int n = 0; n < 200; ++n) {
      std::vector<Value> values;
      std::vector<Enclosure> points;
      for (int leaf = 0; leaf < 3; ++leaf) {
        const auto eighths = static_cast<double>(random.between(1, 1000));
        values.push_back(from_floating(type, eighths / 7));
        points.push_back(exactly(type, values.back()));
      }
      Value expected;
      Enclosure found;
      tape.run(values, {&expected, 1});
      enclosing(points, {&found, 1});
      EXPECT_EQ(found, exactly(type, expected));
    }
  }
}

TEST(EnclosingFunction, has_several_results_and_may_overwrite_its_arguments) {
  Function f = function("b", {Scalar::i64, Scalar::i64});
  f.results.push_back(function("a", {Scalar::i64, Scalar::i64}).results[0]);
  std::vector<Enclosure> both = {whole(1), integers(2, 3)};
  EnclosingFunction enclosing(f);
  enclosing(both, both);
  EXPECT_EQ(both[0], integers(2, 3));
  EXPECT_EQ(both[1], whole(1));
}

TEST(EnclosingFunction, integers_wrap_around) {
  EXPECT_EQ(enclosed("a + b", {Scalar::i8, Scalar::i8}, {whole(100), whole(100)}), whole(-56));
  EXPECT_EQ(enclosed("a + b", {Scalar::i8, Scalar::i8}, {whole(100), integers(20, 30)}),
            everything(Scalar::i8));
}

TEST(EnclosingFunction, nan_and_infinity_go_through) {
  EXPECT_EQ(on_f64("a - a", {number(inf)}), only_nan());
  EXPECT_EQ(on_f64("max(a - a, 1.0)", {number(inf)}), number(1));
  EXPECT_EQ(on_f64("1.0 / a", {number(-0.0)}), number(-inf));
  EXPECT_EQ(on_f64("if a == a then 1.0 else 2.0", {only_nan()}), number(2));
  EXPECT_EQ(on_f64("if a == a then 1.0 else 2.0", {floats(3, 3, true)}), floats(1, 2));
}

// ---- deviations

TEST(EnclosingFunction, contraction_has_both_results) {
  const double x = 1 + 0x1p-30, y = 1 + 0x1p-30;
  const Enclosure product = number(x * y), z = number(-1);
  EXPECT_EQ(on_f64("a * b + c", {number(x), number(y), z}), number(x * y - 1));
  const Deviations contracts = {.contracts = true};
  const std::vector<Enclosure> points = {number(x), number(y), z};
  const double once = std::fma(x, y, -1.0), twice = x * y - 1;
  ASSERT_LT(twice, once);
  EXPECT_EQ(on_f64("a * b + c", points, contracts), floats(twice, once));
  EXPECT_EQ(on_f64("c + a * b", points, contracts), floats(twice, once));
  EXPECT_EQ(on_f64("c - (-(a * b))", points, contracts), floats(twice, once));
  EXPECT_EQ(on_f64("-(a * b) - c", points, contracts), floats(-once, -twice));
  EXPECT_EQ(on_f64("-c - a * b", points, contracts), floats(-once, -twice));
  EXPECT_EQ(on_f64("a + c", {product, number(y), z}, contracts), number(twice));
}

TEST(EnclosingFunction, contraction_in_f32_rounds_to_f32) {
  Random random(5);
  const std::vector<Type> types(4, Scalar::f32);
  const Function f = function("a * b - c * d", types);
  EnclosingFunction enclosing(f, {.contracts = true});
  int wider = 0;
  for (int n = 0; n < 1000; ++n) {
    float v[4];
    std::vector<Enclosure> points;
    for (float& x : v) {
      x = 1 + static_cast<float>(random.between(0, 1 << 20)) / (1 << 20);
      points.push_back(number(x));
    }
    Enclosure e;
    enclosing(points, {&e, 1});
    const volatile float ab = v[0] * v[1], cd = v[2] * v[3];
    const float left = std::fma(v[0], v[1], -cd), right = std::fma(-v[2], v[3], ab),
                plain = ab - cd;
    const auto [least, greatest] = std::minmax({left, right, plain});
    EXPECT_EQ(e, floats(least, greatest));
    wider += least < greatest ? 1 : 0;
  }
  EXPECT_GT(wider, 500);
}

TEST(EnclosingFunction, formats_of_16_bits_are_not_contracted) {
  const std::vector<Enclosure> points = {number(1.0009765625), number(1.0009765625), number(-1)};
  EXPECT_TRUE(enclosed("a * b + c", std::vector<Type>(3, Scalar::f16), points, {.contracts = true})
                  .is_point());
}

/// Compilers unroll loops and choose by masks: a product may meet its addition elsewhere.
TEST(EnclosingFunction, products_that_were_chosen_may_be_fused) {
  const double x = 1 + 0x1p-30, y = 1 - 0x1p-30, once = std::fma(x, y, -1.0);
  const std::vector<Enclosure> points = {number(x), number(y), number(-1)};
  for (const char* text :
       {"(if a > b then a * b else c) + c",
        "loop (k = 0, s = a) while (k < 1) { s = s * b, k = k + 1 } yield s + c",
        "loop (k = 0, s = a * b) while (k < 1) { s = s + c, k = k + 1 } yield s"}) {
    EXPECT_TRUE(on_f64(text, points).is_point()) << text;
    const Enclosure e = on_f64(text, points, {.contracts = true});
    EXPECT_TRUE(contains(Scalar::f64, e, Value::floating(once))) << text;
    EXPECT_TRUE(contains(Scalar::f64, e, Value::floating(x * y - 1))) << text;
    EXPECT_LE(e.greatest.as_floating() - e.least.as_floating(), 0x1p-51) << text;
  }
}

TEST(EnclosingFunction, contraction_of_intervals) {
  const Enclosure e =
      on_f64("a * b + c", {floats(1, 2), floats(-3, 3), floats(0, 1)}, {.contracts = true});
  EXPECT_EQ(e, floats(-6, 7));
}

TEST(EnclosingFunction, mathematics_is_as_wide_as_the_library_allows) {
  const Deviations opencl = {.mathematics = MathLibrary::opencl};
  const Enclosure host_sine = enclosed("sin(a)", {Scalar::f32}, {number(1)});
  const Enclosure sine = enclosed("sin(a)", {Scalar::f32}, {number(1)}, opencl);
  EXPECT_EQ(host_sine, number(static_cast<float>(std::sin(1.0))));
  EXPECT_EQ(sine.greatest.as_floating() - sine.least.as_floating(), 8 * 0x1p-24);
}

TEST(EnclosingFunction, loose_division_and_flushing) {
  const std::vector<Type> types = {Scalar::f32, Scalar::f32};
  EXPECT_FALSE(
      enclosed("a / b", types, {number(1), number(3)}, {.loose_division = true}).is_point());
  EXPECT_TRUE(on_f64("a / b", {number(1), number(3)}, {.loose_division = true}).is_point());
  const Deviations flushes = {.flushes_subnormals = true};
  EXPECT_EQ(enclosed("a * b", types, {number(0x1p-100), number(0x1p-30)}, flushes),
            floats(-0.0, 0x1p-130));
  EXPECT_EQ(enclosed("a + b", types, {number(0x1p-130), number(0x1p-130)}, flushes),
            floats(-0.0, 0x1p-129));
  EXPECT_EQ(on_f64("a * b", {number(0x1p-100), number(0x1p-30)}, flushes), number(0x1p-130));
}

// ---- conditions

TEST(EnclosingFunction, undecided_condition_gives_both_branches) {
  const std::string text = "if a < 1.0 then a + 10.0 else a - 10.0";
  EXPECT_EQ(on_f64(text, {floats(0, 0.5)}), floats(10, 10.5));
  EXPECT_EQ(on_f64(text, {floats(1, 2)}), floats(-9, -8));
  EXPECT_EQ(on_f64(text, {floats(0.5, 2)}), floats(-9.5, 12));
  EXPECT_EQ(on_f64("if a < 1.0 then 3.0 else 3.0", {floats(0.5, 2)}), number(3));
}

TEST(EnclosingFunction, logic_of_undecided_conditions) {
  const auto of = [](const std::string& text) {
    return on_f64("if " + text + " then 1.0 else 0.0", {floats(0, 2), number(5)});
  };
  EXPECT_EQ(of("a < 1.0 && b < 5.0"), number(0));
  EXPECT_EQ(of("a < 1.0 && b < 6.0"), floats(0, 1));
  EXPECT_EQ(of("a < 1.0 || b < 6.0"), number(1));
  EXPECT_EQ(of("b < 5.0 || a < 1.0"), floats(0, 1));
  EXPECT_EQ(of("!(a < 1.0)"), floats(0, 1));
  EXPECT_EQ(of("!(a < 3.0)"), number(0));
}

TEST(EnclosingFunction, undecided_selects_nest) {
  const std::string text =
      "if a < 1.0 then (if a < 0.5 then 1.0 else 2.0) else if a < 1.5 then 3.0 else 4.0";
  EXPECT_EQ(on_f64(text, {floats(0, 2)}), floats(1, 4));
  EXPECT_EQ(on_f64(text, {floats(0, 0.75)}), floats(1, 2));
  EXPECT_EQ(on_f64(text, {floats(0.75, 1.25)}), floats(2, 3));
  EXPECT_EQ(
      on_f64("(if a < 1.0 then 1.0 else 2.0) + (if a < 1.0 then 10.0 else 20.0)", {floats(0, 2)}),
      floats(11, 22));
}

TEST(EnclosingFunction, error_behind_an_undecided_condition_is_no_error) {
  EXPECT_EQ(on_i64("if b == 0 then -1 else a / b", {whole(7), integers(1, 7)}), integers(1, 7));
  EXPECT_EQ(on_i64("if b == 0 then -1 else a / b", {whole(7), integers(0, 7)}),
            everything(Scalar::i64));
  const std::string index = "if b < 3 then 1 else loop (k = 0) while (k >= 0) { k = 0 } yield k";
  EXPECT_EQ(on_i64(index, {whole(7), integers(0, 2)}), whole(1));
  EXPECT_EQ(on_i64(index, {whole(7), integers(0, 7)}), everything(Scalar::i64));
}

// ---- loops

constexpr const char* mandelbrot =
    "loop (k = 0, x = 0.0, y = 0.0) while (k < 100 && x * x + y * y < 4.0) "
    "{ x = x * x - y * y + a, y = 2.0 * x * y + b, k = k + 1 } yield k";

TEST(EnclosingFunction, loop_of_decided_conditions_stays_a_point) {
  const Function f = function(mandelbrot, {Scalar::f64, Scalar::f64});
  const Tape tape(f);
  EnclosingFunction enclosing(f);
  for (int n = 0; n < 400; ++n) {
    const double a = -2 + 0.15 * (n % 20), b = -1.5 + 0.15 * (n / 20);
    const std::vector<Value> values = {Value::floating(a), Value::floating(b)};
    const std::vector<Enclosure> points = {number(a), number(b)};
    Value expected;
    Enclosure found;
    tape.run(values, {&expected, 1});
    enclosing(points, {&found, 1});
    EXPECT_EQ(found, exactly(Scalar::i64, expected));
  }
}

TEST(EnclosingFunction, loop_is_left_in_every_round_in_which_it_may_be) {
  const std::string text = "loop (k = 0) while (k < a) { k = k + 1 } yield k";
  EXPECT_EQ(on_i64(text, {integers(3, 6)}), integers(3, 6));
  EXPECT_EQ(on_i64(text, {integers(-3, 2)}), integers(0, 2));
  EXPECT_EQ(on_i64("loop (k = 0, s = 100) while (k < a) { k = k + 1, s = s - k } yield s",
                   {integers(2, 4)}),
            integers(94, 99));
  EXPECT_EQ(
      on_i64("loop (k = 0, s = 0) while (k < 3) "
             "{ k = k + 1, s = s + (loop (j = 0) while (j < a) { j = j + 1 } yield j) } yield s",
             {integers(1, 2)}),
      integers(3, 6));
}

TEST(EnclosingFunction, loop_that_may_not_end_gives_everything) {
  const std::string text = "loop (k = 0, s = 5) while (a != 0) { k = k + 1, s = 5 } yield k";
  EXPECT_EQ(on_i64(text, {integers(0, 1)}), everything(Scalar::i64));
  EXPECT_EQ(on_i64(text, {whole(0)}), whole(0));
  // A round that may be the last one, followed by ones that surely are not.
  EXPECT_EQ(on_i64("loop (k = a) while (k != 0) { k = 1 } yield k", {integers(0, 1)}),
            everything(Scalar::i64));
}

TEST(EnclosingFunction, loop_that_surely_does_not_end_is_an_error) {
  EnclosingFunction f(function("loop (k = a) while (k >= 0) { k = k } yield k", {Scalar::i64}));
  const Enclosure start = whole(0);
  Enclosure result;
  const Diagnostic d = diagnostic_of([&] { f({&start, 1}, {&result, 1}, 1000); });
  EXPECT_EQ(d.code + " " + d.message, "E132 a loop has not ended after 1000 steps");
}

// ---- records

const Record person{"person", {{"age", Scalar::i32}, {"born", Scalar::i16, 3}, {"w", Scalar::f64}}};

Enclosure of_person(const std::string& text, const Enclosure& index) {
  const std::vector<Enclosure> leaves = {whole(7),  whole(10),   whole(30),
                                         whole(20), number(0.5), index};
  return enclosed(text, {Type(person), Scalar::i64}, leaves);
}

TEST(EnclosingFunction, fields_are_leaves_in_order) {
  EXPECT_EQ(of_person("a.age", whole(0)), whole(7));
  EXPECT_EQ(of_person("a.w", whole(0)), number(0.5));
  EXPECT_EQ(of_person("a.born[b]", whole(1)), whole(30));
}

TEST(EnclosingFunction, undecided_index_gives_all_elements_it_may_name) {
  EXPECT_EQ(of_person("a.born[b]", integers(0, 1)), integers(10, 30));
  EXPECT_EQ(of_person("a.born[b]", integers(1, 2)), integers(20, 30));
  EXPECT_EQ(of_person("a.born[b]", integers(2, 5)), integers(10, 20));
  EXPECT_EQ(diagnostic_of([] { of_person("a.born[b]", whole(3)); }).code, "E131");
  EXPECT_EQ(diagnostic_of([] { of_person("a.born[b]", integers(3, 9)); }).code, "E131");
}

TEST(EnclosingFunction, records_are_chosen_leaf_by_leaf) {
  const Type type(person);
  std::vector<Enclosure> leaves;
  for (const int64_t first : {1, 100}) {
    for (int64_t n = 0; n < 4; ++n) leaves.push_back(whole(first + n));
    leaves.push_back(number(static_cast<double>(first)));
  }
  leaves.push_back(integers(0, 1));
  std::vector<Enclosure> results(5);
  EnclosingFunction(function("if c > 0 then a else b", {type, type, Scalar::i64}))(leaves, results);
  EXPECT_EQ(results[0], integers(1, 100));
  EXPECT_EQ(results[3], integers(4, 103));
  EXPECT_EQ(results[4], floats(1, 100));
}

}  // namespace
}  // namespace mdh::scalar::enclosing_function_test
