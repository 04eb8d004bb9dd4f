// Every operation on every type, printed and compiled, on edge values.
#include <gtest/gtest.h>

#include <cmath>

#include "mdh/scalar/elaborate.h"
#include "mdh/scalar/half.h"
#include "mdh/scalar/mathematics.h"
#include "mdh/scalar/parse.h"
#include "mdh/scalar/resolve.h"
#include "tests/property/printed_function.h"

namespace mdh::test::printed_operations_test {
namespace {

using scalar::Function;
using scalar::Scalar;
using scalar::Type;
using scalar::Value;

std::vector<Scalar> all_types() {
  std::vector<Scalar> types;
  for (const std::string& name : scalar::scalar_names())
    types.push_back(*scalar::find_scalar(name));
  return types;
}

/// A function of a and b.
Function function_of(const std::string& text, Scalar type, const Type& result) {
  scalar::Scope scope;
  Function f{"f", {}, {}, {}};
  for (const char* name : {"a", "b"}) {
    f.parameters.push_back({scope.declare(name, type, "value", {}), type});
  }
  const scalar::Expr value = elaborate(resolve(scalar::parse_expression(text), scope), result);
  f.results.push_back({scalar::local("r"), value, {}});
  return f;
}

/// All pairs of edge values, and some others.
Cases pairs_of(Scalar type) {
  Cases cases;
  for (const Value a : edge_values(type)) {
    for (const Value b : edge_values(type)) cases.push_back({a, b});
  }
  Choices choices(1);
  for (int n = 0; n < 300; ++n)
    cases.push_back({any_value(choices, type), any_value(choices, type)});
  return cases;
}

std::vector<std::string> arithmetic_of(Scalar type) {
  if (type == Scalar::boolean) return {};
  std::vector<std::string> texts = {
      "a + b",     "a - b",     "a * b",  "a / b",         "-a",
      "min(a, b)", "max(a, b)", "abs(a)", "a * b + a - b", "if a < b then a + b else a * b"};
  if (is_integer(type)) {
    for (const char* text : {"a % b", "a << b", "a >> b", "~a", "a & b", "a | b", "a ^ b",
                             "-a >> ~b", "~(a * b) / 2 << 1"}) {
      texts.emplace_back(text);
    }
  }
  return texts;
}

void expect_interpreters_results(const std::vector<Trial>& trials) {
  for (const Translation& t : translations()) {
    const std::string found = difference(trials, t);
    EXPECT_TRUE(found.empty()) << found;
  }
}

TEST(PrintedOperations, arithmetic_is_that_of_the_interpreter) {
  std::vector<Trial> trials;
  for (const Scalar type : all_types()) {
    for (const std::string& text : arithmetic_of(type)) {
      trials.push_back({function_of(text, type, type), pairs_of(type)});
    }
  }
  expect_interpreters_results(trials);
}

TEST(PrintedOperations, truth_is_that_of_the_interpreter) {
  std::vector<Trial> trials;
  for (const Scalar type : all_types()) {
    std::vector<std::string> texts = {
        "a < b", "a <= b", "a > b", "a >= b", "a == b", "a != b", "!(a < b) || a == b && b != a"};
    if (type == Scalar::boolean) {
      for (const char* text : {"a & b", "a | b", "a ^ b", "!a", "if a then b else !b"}) {
        texts.emplace_back(text);
      }
    }
    for (const std::string& text : texts) {
      trials.push_back({function_of(text, type, Scalar::boolean), pairs_of(type)});
    }
  }
  expect_interpreters_results(trials);
}

TEST(PrintedOperations, casts_are_those_of_the_interpreter) {
  std::vector<Trial> trials;
  for (const Scalar from : all_types()) {
    for (const Scalar to : all_types()) {
      trials.push_back({function_of(to_string(to) + "(a)", from, to), pairs_of(from)});
    }
  }
  expect_interpreters_results(trials);
}

TEST(PrintedOperations, mathematics_is_that_of_the_interpreter) {
  std::vector<Trial> trials;
  for (const Scalar type : all_types()) {
    if (!is_floating(type)) continue;
    for (const std::string& name : scalar::math_names()) {
      const bool two = scalar::find_math(name)->arguments == 2;
      trials.push_back({function_of(name + (two ? "(a, b)" : "(a)"), type, type), pairs_of(type)});
    }
  }
  expect_interpreters_results(trials);
}

TEST(PrintedOperations, literals_are_those_of_the_interpreter) {
  std::vector<Trial> trials;
  for (const Scalar type : all_types()) {
    Function f = function_of("a", type, type);
    for (const Value value : edge_values(type)) {
      f.results.push_back({scalar::local("r"), scalar::literal(type, value), {}});
    }
    trials.push_back({f, {{{0}, {0}}}});
  }
  expect_interpreters_results(trials);
}

/// Every value of the formats goes through memory, and every one is rounded to.
TEST(PrintedOperations, sixteen_bit_floats_are_exact_in_all_their_values) {
  std::vector<Trial> trials;
  for (const Scalar type : {Scalar::f16, Scalar::bf16}) {
    const auto decode = type == Scalar::f16 ? scalar::from_f16 : scalar::from_bf16;
    Cases values, floats;
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
      const float value = decode(static_cast<uint16_t>(bits));
      const float next = decode(static_cast<uint16_t>(bits ^ 1));
      values.push_back({Value::floating(value), Value::floating(next)});
      const auto middle = static_cast<float>((static_cast<double>(value) + next) / 2);
      for (const float f : {middle, std::nextafter(middle, 0.0F), std::nextafter(middle, 1e38F)}) {
        floats.push_back({Value::floating(f), Value::floating(f)});
      }
    }
    trials.push_back({function_of("a", type, type), values});
    trials.push_back({function_of("a + b", type, type), values});
    trials.push_back({function_of(to_string(type) + "(a)", Scalar::f32, type), floats});
  }
  expect_interpreters_results(trials);
}

}  // namespace
}  // namespace mdh::test::printed_operations_test
