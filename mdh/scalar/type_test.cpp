#include "mdh/scalar/type.h"

#include <gtest/gtest.h>

#include <limits>

#include "mdh/support/testing.h"

namespace mdh::scalar {
namespace {

struct Expected {
  const char* name;
  size_t bytes;
  bool integer, is_signed, floating;
};

const std::vector<Expected>& expected() {
  static const std::vector<Expected> rows = {
      {"bool", sizeof(bool), false, false, false},   {"i8", sizeof(int8_t), true, true, false},
      {"i16", sizeof(int16_t), true, true, false},   {"i32", sizeof(int32_t), true, true, false},
      {"i64", sizeof(int64_t), true, true, false},   {"u8", sizeof(uint8_t), true, false, false},
      {"u16", sizeof(uint16_t), true, false, false}, {"u32", sizeof(uint32_t), true, false, false},
      {"u64", sizeof(uint64_t), true, false, false}, {"f32", sizeof(float), false, false, true},
      {"f64", sizeof(double), false, false, true},
  };
  return rows;
}

TEST(Type, every_scalar_has_the_properties_of_its_c_counterpart) {
  for (const Expected& row : expected()) {
    const auto scalar = find_scalar(row.name);
    ASSERT_TRUE(scalar.has_value()) << row.name;
    EXPECT_EQ(to_string(*scalar), row.name);
    EXPECT_EQ(bytes_of(*scalar), static_cast<int>(row.bytes)) << row.name;
    EXPECT_EQ(is_integer(*scalar), row.integer) << row.name;
    EXPECT_EQ(is_signed(*scalar), row.is_signed) << row.name;
    EXPECT_EQ(is_floating(*scalar), row.floating) << row.name;
  }
}

TEST(Type, names_are_complete_and_others_are_unknown) {
  std::vector<std::string> names;
  for (const Expected& row : expected()) names.emplace_back(row.name);
  EXPECT_EQ(scalar_names(), names);
  for (const char* name : {"", "int", "f16", "i128", "F32"}) {
    EXPECT_FALSE(find_scalar(name).has_value()) << name;
  }
}

TEST(Type, epsilon_is_that_of_the_c_type) {
  EXPECT_EQ(epsilon_of(Scalar::f32), std::numeric_limits<float>::epsilon());
  EXPECT_EQ(epsilon_of(Scalar::f64), std::numeric_limits<double>::epsilon());
  EXPECT_EQ(diagnostic_of([] { epsilon_of(Scalar::i32); }).kind, DiagnosticKind::internal);
}

TEST(Type, is_a_scalar_a_parameter_or_undecided) {
  const Type scalar = Scalar::i32, parameter(Symbol{"T", 0}), literal = Undecided::decimal;
  EXPECT_TRUE(scalar.is_scalar() && !scalar.is_parameter() && !scalar.is_undecided());
  EXPECT_TRUE(parameter.is_parameter() && !parameter.is_scalar() && !parameter.is_undecided());
  EXPECT_TRUE(literal.is_undecided() && !literal.is_scalar() && !literal.is_parameter());
  EXPECT_TRUE(Type().is_undecided());
  EXPECT_EQ(to_string(parameter), "T");
  EXPECT_EQ(to_string(scalar), "i32");
}

TEST(Type, equality_distinguishes_kinds_and_parameters) {
  EXPECT_TRUE(Type(Scalar::i32) == Type(Scalar::i32));
  EXPECT_FALSE(Type(Scalar::i32) == Type(Scalar::u32));
  EXPECT_TRUE(Type(Symbol{"T", 0}) == Type(Symbol{"T", 0}));
  EXPECT_FALSE(Type(Symbol{"T", 0}) == Type(Symbol{"T", 1}));
  EXPECT_FALSE(Type(Undecided::integer) == Type(Undecided::decimal));
}

TEST(Type, scalar_of_an_undecided_type_is_a_bug) {
  EXPECT_EQ(scalar_of(Type(Scalar::u8)), Scalar::u8);
  EXPECT_EQ(diagnostic_of([] { scalar_of(Type(Undecided::integer)); }).kind,
            DiagnosticKind::internal);
}

}  // namespace
}  // namespace mdh::scalar
