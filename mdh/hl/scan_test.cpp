// Prefix sums: any interleaving of parts, next to the other combine operators.
#include <gtest/gtest.h>

#include "mdh/hl/evaluate.h"
#include "mdh/hl/parse.h"
#include "mdh/hl/print.h"
#include "mdh/hl/testing.h"

namespace mdh::hl::scan_test {
namespace {

using Numbers = std::vector<int64_t>;

Array array_of(const Extents& extents, const Numbers& data) {
  return scalar::copy_from_memory(scalar::Scalar::i64, extents, data.data());
}

Numbers numbers_of(const Array& array) {
  Numbers all;
  for (const Value v : array.cells) all.push_back(v.as_integer());
  return all;
}

Program scan_program(const std::string& op, int64_t size) {
  return parse(fmt::format(
      "mdh 1 program p = out_view( y: i64 = [i] ) * md_hom( i: {} by ps({}) ) {{ y = x; }} "
      "* inp_view( x: i64 = [i] )",
      size, op));
}

int64_t applied(const std::string& op, int64_t a, int64_t b) {
  if (op == "add") return a + b;
  if (op == "mul") return a * b;
  return op == "max" ? std::max(a, b) : std::min(a, b);
}

const std::vector<std::string> operators = {"add", "max", "min", "mul"};

TEST(Scan, is_the_running_combination) {
  Random random(1);
  for (const std::string& op : operators) {
    Numbers data, expected;
    for (int n = 0; n < 13; ++n) {
      data.push_back(random.between(-3, 3));
      expected.push_back(n == 0 ? data[0] : applied(op, expected.back(), data.back()));
    }
    EXPECT_EQ(numbers_of(evaluate(scan_program(op, 13), {array_of({13}, data)})[0]), expected)
        << op;
  }
}

// A-12: the scan of a whole is the combination of the scans of any two parts of it.
TEST(Scan, of_interleaved_parts_is_the_scan_of_the_whole) {
  Random random(2);
  for (int n = 0; n < 200; ++n) {
    const std::string op = random.pick(operators);
    const int64_t size = random.between(2, 9);
    const Program p = scan_program(op, size);
    scalar::ScalarAlgebra algebra = algebra_of(p);
    Numbers data, running, P, Q;
    for (int64_t i = 0; i < size; ++i) {
      data.push_back(random.between(-3, 3));
      running.push_back(i == 0 ? data[0] : applied(op, running.back(), data.back()));
      (random.chance(50) ? P : Q).push_back(i);
    }
    if (P.empty() || Q.empty()) continue;
    const Mda whole = inp_view(p, {array_of({size}, data)});
    const auto [a, b] = split(whole, 0, P, Q);
    const Mda parts = scanned(md_hom(p, algebra, a), md_hom(p, algebra, b), 0, algebra);
    const Mda swapped = scanned(md_hom(p, algebra, b), md_hom(p, algebra, a), 0, algebra);
    Numbers found, found_swapped;
    for (const Value v : parts.cells) found.push_back(v.as_integer());
    for (const Value v : swapped.cells) found_swapped.push_back(v.as_integer());
    ASSERT_EQ(found, running) << op;
    ASSERT_EQ(found_swapped, running) << op;
  }
}

TEST(Scan, looks_for_the_greatest_index_that_is_not_above) {
  EXPECT_EQ(predecessor({1, 4, 6}, 5), std::optional<int64_t>(4));
  EXPECT_EQ(predecessor({1, 4, 6}, 4), std::optional<int64_t>(4));
  EXPECT_EQ(predecessor({1, 4, 6}, 0), std::nullopt);
  EXPECT_EQ(predecessor({1, 4, 6}, 9), std::optional<int64_t>(6));
}

/// MBBS: sums along one dimension, prefix sums along the other; here with a cc dimension in front.
const char* const mbbs = R"(mdh 1
program mbbs = out_view( y: i64 = [a, i] )
* md_hom( a: 2 by cc, i: 4 by ps(add), j: 3 by pw(add) ) { y = x; } * inp_view( x: i64 = [a, i, j] )
)";

const char* const summed_area = R"(mdh 1
program area = out_view( y: i64 = [i, j] )
* md_hom( i: 4 by ps(add), j: 5 by ps(add) ) { y = x; } * inp_view( x: i64 = [i, j] )
)";

TEST(Scan, goes_together_with_sums_and_concatenations) {
  const Program p = parse(mbbs);
  Random random(3);
  const std::vector<Array> inputs = random_inputs(p, random);
  const Numbers x = numbers_of(inputs[0]);
  Numbers expected;
  for (int a = 0; a < 2; ++a) {
    int64_t sum = 0;
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 3; ++j) sum += x[(a * 4 + i) * 3 + j];
      expected.push_back(sum);
    }
  }
  EXPECT_EQ(numbers_of(evaluate(p, inputs)[0]), expected);
}

TEST(Scan, in_two_dimensions_sums_rectangles) {
  const Program p = parse(summed_area);
  Random random(4);
  const std::vector<Array> inputs = random_inputs(p, random);
  const Numbers x = numbers_of(inputs[0]);
  Numbers expected;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 5; ++j) {
      int64_t sum = 0;
      for (int r = 0; r <= i; ++r) {
        for (int c = 0; c <= j; ++c) sum += x[r * 5 + c];
      }
      expected.push_back(sum);
    }
  }
  EXPECT_EQ(numbers_of(evaluate(p, inputs)[0]), expected);
}

std::string random_mix(Random& random) {
  const std::string op = random.pick<std::string>({"add", "min", "max"});
  const std::vector<std::string> shapes = {"cc", "pw(" + op + ")", "ps(" + op + ")"};
  std::string dimensions;
  std::vector<std::string> outputs, inputs;
  for (const char* name : {"i", "j", "k"}) {
    const std::string shape = random.pick(shapes);
    dimensions += fmt::format("{}{}: {} by {}", dimensions.empty() ? "" : ", ", name,
                              random.between(1, 4), shape);
    if (shape[1] != 'w') outputs.emplace_back(name);
    inputs.emplace_back(name);
  }
  return fmt::format(
      "mdh 1 program p = out_view( y: i32 = [{}] ) * md_hom( {} ) {{ y = x + i32(2 * i - k); }} "
      "* inp_view( x: i32 = [{}] )",
      join(outputs, ", "), dimensions, join(inputs, ", "));
}

// Independent: the definition, combined point after point in the order of its dimensions.
TEST(Evaluate, equals_the_definition_on_any_mixture_of_operators) {
  Random random(5);
  for (int n = 0; n < 200; ++n) {
    const Program p = parse(random_mix(random));
    const std::vector<Array> inputs = random_inputs(p, random);
    scalar::ScalarAlgebra algebra = algebra_of(p);
    ASSERT_EQ(evaluate(p, inputs), out_view(p, md_hom(p, algebra, inp_view(p, inputs))))
        << print(p);
  }
}

TEST(Evaluate, single_elements_are_those_of_the_whole_result) {
  Random random(6);
  for (int n = 0; n < 100; ++n) {
    const Program p = parse(random_mix(random));
    const std::vector<Array> inputs = random_inputs(p, random);
    scalar::ScalarAlgebra algebra = algebra_of(p);
    const Mda whole = md_hom(p, algebra, inp_view(p, inputs));
    std::vector<int64_t> point;
    for (const int64_t size : result_sizes(p)) point.push_back(random.between(0, size - 1));
    const std::vector<Value> at = evaluate_at(p, inputs, algebra, point);
    ASSERT_EQ(at.size(), 1u);
    ASSERT_EQ(at[0], cells_at(whole, point)[0]) << print(p);
  }
}

}  // namespace
}  // namespace mdh::hl::scan_test
