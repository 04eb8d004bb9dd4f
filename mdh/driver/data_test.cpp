#include "mdh/driver/data.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "mdh/ll/shared_test_programs.h"

namespace mdh::driver::data_test {
namespace {

/// 2000 inputs of a type, as numbers.
std::vector<double> drawn(Scalar type, uint64_t seed = 1) {
  const Array x = random_inputs(map(type, 2000, "x"), seed).at(0);
  std::vector<double> values;
  for (const Value v : x.cells) values.push_back(scalar::to_floating(type, v));
  return values;
}

TEST(Data, every_input_has_its_type_and_extents_and_is_defined_everywhere) {
  const std::vector<Array> inputs = random_inputs(matvec(Scalar::f64, 7, 13), 1);
  ASSERT_EQ(inputs.size(), 2u);
  EXPECT_EQ(inputs[0].type, Scalar::f64);
  EXPECT_EQ(inputs[0].extents, (scalar::Extents{7, 13}));
  EXPECT_EQ(inputs[1].extents, scalar::Extents{13});
  EXPECT_EQ(inputs[0].defined, std::vector<uint8_t>(91, 1));
}

TEST(Data, follows_from_the_seed) {
  const hl::Program p = matvec(Scalar::f32, 7, 13);
  EXPECT_EQ(random_inputs(p, 5), random_inputs(p, 5));
  EXPECT_NE(random_inputs(p, 5), random_inputs(p, 6));
}

TEST(Data, signed_integers_are_minus_9_to_9_and_all_occur) {
  std::set<double> expected;
  for (int n = -9; n <= 9; ++n) expected.insert(n);
  for (const Scalar type : {Scalar::i8, Scalar::i16, Scalar::i32, Scalar::i64}) {
    const std::vector<double> values = drawn(type);
    EXPECT_EQ(std::set<double>(values.begin(), values.end()), expected) << to_string(type);
  }
}

TEST(Data, unsigned_integers_are_0_to_9_and_all_occur) {
  const std::set<double> expected = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  for (const Scalar type : {Scalar::u8, Scalar::u16, Scalar::u32, Scalar::u64}) {
    const std::vector<double> values = drawn(type);
    EXPECT_EQ(std::set<double>(values.begin(), values.end()), expected) << to_string(type);
  }
}

TEST(Data, truth_values_are_both) {
  const std::vector<double> values = drawn(Scalar::boolean);
  EXPECT_EQ(std::set<double>(values.begin(), values.end()), (std::set<double>{0, 1}));
}

TEST(Data, floats_are_tenths_of_small_size_rounded_to_their_type) {
  for (const double x : drawn(Scalar::f64)) {
    EXPECT_LE(std::abs(x), 5);
    EXPECT_EQ(x, std::round(x * 10) / 10);
  }
  for (const double x : drawn(Scalar::f32)) {
    EXPECT_LE(std::abs(x), 5);
    EXPECT_EQ(x, static_cast<float>(std::round(x * 10) / 10));
  }
}

TEST(Data, most_floats_are_not_exact) {
  int exact = 0;
  for (const double x : drawn(Scalar::f64)) exact += x * 2 == std::round(x * 2) ? 1 : 0;
  EXPECT_GT(exact, 0) << "halves are exact";
  EXPECT_LT(exact, 600) << "of 2000; 21 of 101 values are halves";
}

TEST(Data, ties_and_cancellations_occur) {
  for (const Scalar type : {Scalar::f32, Scalar::f64, Scalar::i32}) {
    std::map<double, int> count;
    for (const double x : drawn(type)) ++count[x];
    int cancelling = 0;
    for (const auto& [x, n] : count) cancelling += x > 0 && count.contains(-x) ? 1 : 0;
    EXPECT_LE(count.size(), 101u) << "2000 draws of few values are ties";
    EXPECT_GE(cancelling, 9) << "values whose negative occurs as well";
    EXPECT_GT(count[0], 0);
  }
}

TEST(Data, inputs_of_one_program_are_independent) {
  const std::vector<Array> inputs = random_inputs(matvec(Scalar::i32, 1, 50), 1);
  EXPECT_NE(inputs[0].cells, inputs[1].cells);
}

}  // namespace
}  // namespace mdh::driver::data_test
