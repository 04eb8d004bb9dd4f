#include "mdh/scalar/type.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <limits>

#include "mdh/support/testing.h"

namespace mdh::scalar::type_test {
namespace {

struct Expected {
  const char* name;
  size_t bytes;
  bool integer, is_signed, floating;
};

const std::vector<Expected>& expected() {
  static const std::vector<Expected> rows = {
      {"bool", sizeof(bool), false, false, false},
      {"i8", sizeof(int8_t), true, true, false},
      {"i16", sizeof(int16_t), true, true, false},
      {"i32", sizeof(int32_t), true, true, false},
      {"i64", sizeof(int64_t), true, true, false},
      {"u8", sizeof(uint8_t), true, false, false},
      {"u16", sizeof(uint16_t), true, false, false},
      {"u32", sizeof(uint32_t), true, false, false},
      {"u64", sizeof(uint64_t), true, false, false},
      {"f16", 2, false, false, true},
      {"bf16", 2, false, false, true},
      {"f32", sizeof(float), false, false, true},
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
  for (const char* name : {"", "int", "f8", "i128", "F32"}) {
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

// Fields in an order that needs padding in the middle and at the end.
struct Sample {
  int8_t flag;
  double weight;
  int16_t born[3];
  int32_t id;
  bool known;
};

Record sample_record() {
  return {"sample",
          {{"flag", Scalar::i8, 0},
           {"weight", Scalar::f64, 0},
           {"born", Scalar::i16, 3},
           {"id", Scalar::i32, 0},
           {"known", Scalar::boolean, 0}}};
}

TEST(RecordType, lies_in_memory_like_the_c_struct) {
  const Type type(sample_record());
  EXPECT_EQ(bytes_of(type), static_cast<int>(sizeof(Sample)));
  const std::vector<size_t> offsets = {offsetof(Sample, flag),     offsetof(Sample, weight),
                                       offsetof(Sample, born),     offsetof(Sample, born) + 2,
                                       offsetof(Sample, born) + 4, offsetof(Sample, id),
                                       offsetof(Sample, known)};
  const std::vector<Scalar> types = {Scalar::i8,  Scalar::f64, Scalar::i16,    Scalar::i16,
                                     Scalar::i16, Scalar::i32, Scalar::boolean};
  const std::vector<Leaf> leaves = leaves_of(type);
  ASSERT_EQ(leaves.size(), offsets.size());
  EXPECT_EQ(width_of(type), 7);
  for (size_t n = 0; n < leaves.size(); ++n) {
    EXPECT_EQ(leaves[n].offset, static_cast<int>(offsets[n])) << n;
    EXPECT_EQ(leaves[n].type, types[n]) << n;
  }
}

struct Small {
  int16_t a;
  int8_t b;
};

TEST(RecordType, is_aligned_like_its_largest_field_only) {
  EXPECT_EQ(bytes_of(Type(Record{"small", {{"a", Scalar::i16, 0}, {"b", Scalar::i8, 0}}})),
            static_cast<int>(sizeof(Small)));
  EXPECT_EQ(bytes_of(Type(Record{"bytes", {{"a", Scalar::u8, 3}}})), 3);
}

TEST(RecordType, leaves_before_a_field_are_counted_with_array_elements) {
  const Record record = sample_record();
  EXPECT_EQ(leaf_offset(record, "flag"), 0);
  EXPECT_EQ(leaf_offset(record, "born"), 2);
  EXPECT_EQ(leaf_offset(record, "id"), 5);
  EXPECT_EQ(leaf_offset(record, "known"), 6);
}

TEST(RecordType, is_compared_by_content) {
  Record other = sample_record();
  EXPECT_TRUE(Type(sample_record()) == Type(other));
  other.fields[2].count = 4;
  EXPECT_FALSE(Type(sample_record()) == Type(other));
  EXPECT_EQ(to_string(Type(other)), "sample");
  EXPECT_EQ(sample_record().find("id")->type, Scalar::i32);
  EXPECT_EQ(sample_record().find("ids"), nullptr);
  EXPECT_TRUE(type_of(other.fields[2]) == Type(ArrayType{Scalar::i16, 4}));
}

TEST(Type, scalar_of_an_undecided_type_is_a_bug) {
  EXPECT_EQ(scalar_of(Type(Scalar::u8)), Scalar::u8);
  EXPECT_EQ(diagnostic_of([] { scalar_of(Type(Undecided::integer)); }).kind,
            DiagnosticKind::internal);
}

}  // namespace
}  // namespace mdh::scalar::type_test
