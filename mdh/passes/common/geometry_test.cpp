#include "mdh/passes/common/geometry.h"

#include <gtest/gtest.h>

#include <map>

#include "mdh/passes/common/test_programs.h"
#include "mdh/scalar/print.h"

namespace mdh::passes::geometry_test {
namespace {

using loop::Digit;
using loop::Expr;
using scalar::BinaryOp;

using Values = std::map<std::string, int64_t>;

/// The few operations that these expressions are made of.
int64_t value_of(const Expr& e, const Values& values) {
  if (const auto* number = e.as<scalar::Literal>()) return number->value.as_integer();
  if (const auto* v = e.as<scalar::Variable>()) return values.at(v->symbol.name);
  const auto* b = e.as<scalar::Binary>();
  const int64_t l = value_of(b->left, values), r = value_of(b->right, values);
  switch (b->op) {
    case BinaryOp::add:
      return l + r;
    case BinaryOp::subtract:
      return l - r;
    case BinaryOp::multiply:
      return l * r;
    case BinaryOp::divide:
      return l / r;
    case BinaryOp::minimum:
      return std::min(l, r);
    case BinaryOp::less:
      return l < r ? 1 : 0;
    case BinaryOp::logical_and:
      return l != 0 && r != 0 ? 1 : 0;
    default:
      ADD_FAILURE() << "unexpected operation in " << scalar::print(e);
      return 0;
  }
}

struct Case {
  loop::Program program;
  std::vector<Digit> digits;
};

/// Two dimensions and up to four digits of any worth.
Case random_case(Random& random) {
  Case c;
  c.program.dimensions = {{loop::named("i"), random.between(1, 30), loop::Kind::kept},
                          {loop::named("k"), random.between(1, 30), loop::Kind::reduced}};
  for (int64_t n = random.between(1, 4); n > 0; --n) {
    c.digits.push_back({loop::named(fmt::format("d{}", n)), "L1.i",
                        static_cast<int>(random.between(0, 1)), random.between(1, 4),
                        random.between(1, 12)});
  }
  return c;
}

/// All combinations of values of the digits.
std::vector<Values> combinations(const std::vector<Digit>& digits) {
  std::vector<Values> all = {{}};
  for (const Digit& d : digits) {
    std::vector<Values> longer;
    for (const Values& values : all) {
      for (int64_t n = 0; n < d.parts; ++n) {
        longer.push_back(values);
        longer.back()[d.var.name] = n;
      }
    }
    all = longer;
  }
  return all;
}

int64_t lowest_index(const std::vector<Digit>& digits, int dimension, const Values& values) {
  int64_t sum = 0;
  for (const Digit& d : digits) {
    if (d.dimension == dimension) sum += values.at(d.var.name) * d.step;
  }
  return sum;
}

TEST(Geometry, base_is_the_lowest_index_below_the_digits) {
  Random random(1);
  for (int n = 0; n < 200; ++n) {
    const Case c = random_case(random);
    for (const int dimension : {0, 1}) {
      const Expr e = base(c.digits, dimension);
      for (const Values& values : combinations(c.digits)) {
        ASSERT_EQ(value_of(e, values), lowest_index(c.digits, dimension, values));
      }
    }
  }
}

TEST(Geometry, nonempty_tells_the_parts_that_hold_points) {
  Random random(2);
  int always = 0, sometimes = 0;
  for (int n = 0; n < 300; ++n) {
    const Case c = random_case(random);
    const std::optional<Expr> condition = nonempty(c.program, c.digits);
    int64_t empty = 0;
    for (const Values& values : combinations(c.digits)) {
      const bool holds = lowest_index(c.digits, 0, values) < c.program.dimensions[0].size &&
                         lowest_index(c.digits, 1, values) < c.program.dimensions[1].size;
      ASSERT_EQ(condition ? value_of(*condition, values) : 1, holds ? 1 : 0);
      empty += holds ? 0 : 1;
    }
    ASSERT_EQ(condition.has_value(), empty > 0) << "a condition that always holds is not needed";
    ++(condition ? sometimes : always);
  }
  EXPECT_GT(always, 20);
  EXPECT_GT(sometimes, 20);
}

TEST(Geometry, trip_counts_the_parts_that_hold_points) {
  Random random(3);
  int constants = 0, partial = 0, none = 0;
  for (int n = 0; n < 300; ++n) {
    Case c = random_case(random);
    const Digit inner = c.digits.back();
    c.digits.pop_back();
    const Expr e = trip(c.program, c.digits, inner);
    int64_t cut = 0;
    for (const Values& values : combinations(c.digits)) {
      const int64_t low = lowest_index(c.digits, inner.dimension, values);
      int64_t expected = 0;
      for (int64_t p = 0; p < inner.parts; ++p) {
        expected += low + p * inner.step < c.program.dimensions[inner.dimension].size ? 1 : 0;
      }
      ASSERT_EQ(std::max<int64_t>(value_of(e, values), 0), expected);
      cut += expected < inner.parts ? 1 : 0;
      none += expected == 0 ? 1 : 0;
    }
    ASSERT_TRUE(cut > 0 || scalar::constant(e) == inner.parts);
    ++(cut == 0 ? constants : partial);
  }
  EXPECT_GT(constants, 20);
  EXPECT_GT(partial, 20);
  EXPECT_GT(none, 20);
}

TEST(Geometry, sums_are_written_most_significant_first) {
  const std::vector<Digit> digits = {{loop::named("a"), "L1.i", 0, 3, 1},
                                     {loop::named("b"), "L1.k", 1, 3, 5},
                                     {loop::named("c"), "L2.i", 0, 2, 3}};
  EXPECT_EQ(scalar::print(base(digits, 0)), "c * 3 + a");
  EXPECT_EQ(scalar::print(base(digits, 1)), "b * 5");
  EXPECT_EQ(scalar::print(base({}, 0)), "0");
}

}  // namespace
}  // namespace mdh::passes::geometry_test
