#include "mdh/scalar/array.h"

#include <gtest/gtest.h>

#include "mdh/support/testing.h"

namespace mdh::scalar::array_test {
namespace {

TEST(Array, volume_is_the_product_of_the_extents) {
  EXPECT_EQ(volume({}), 1);
  EXPECT_EQ(volume({7}), 7);
  EXPECT_EQ(volume({2, 3, 5}), 30);
}

TEST(Array, addresses_count_in_row_major_order) {
  const Extents extents = {2, 3, 5};
  int64_t expected = 0;
  for (int64_t i = 0; i < 2; ++i) {
    for (int64_t j = 0; j < 3; ++j) {
      for (int64_t k = 0; k < 5; ++k) {
        EXPECT_EQ(address(extents, std::vector<int64_t>{i, j, k}), expected++);
      }
    }
  }
  EXPECT_EQ(address({}, {}), 0);
}

TEST(Array, index_outside_of_the_extents_is_a_bug) {
  for (const std::vector<int64_t>& index :
       {std::vector<int64_t>{2, 0}, {0, 3}, {-1, 0}, {0, -1}, {0}, {0, 0, 0}}) {
    EXPECT_EQ(diagnostic_of([&] { address({2, 3}, index); }).kind, DiagnosticKind::internal);
  }
}

TEST(Array, index_outside_of_the_extents_is_named) {
  const auto complaint = [](const std::vector<int64_t>& index) {
    return diagnostic_of([&] { address({2, 3}, index); }).message;
  };
  EXPECT_EQ(complaint({1, 3}).find("index 3 is outside of [0, 3)"), 0u) << complaint({1, 3});
  EXPECT_EQ(complaint({5, 0}).find("index 5 is outside of [0, 2)"), 0u) << complaint({5, 0});
  EXPECT_EQ(complaint({0}).find("a 2-d buffer is indexed with 1 numbers"), 0u) << complaint({0});
}

TEST(Array, begins_undefined) {
  const Array a = Array::undefined(Scalar::i32, {2, 3});
  EXPECT_EQ(a.size(), 6);
  EXPECT_EQ(a.defined, std::vector<uint8_t>(6, 0));
}

TEST(Array, memory_is_read_as_it_was_written) {
  const std::vector<int16_t> memory = {1, -2, 3, -4};
  const Array a = copy_from_memory(Scalar::i16, {2, 2}, memory.data());
  EXPECT_EQ(a.extents, (Extents{2, 2}));
  EXPECT_EQ(a.cells[3].as_integer(), -4);
  EXPECT_EQ(a.defined, std::vector<uint8_t>(4, 1));
  std::vector<int16_t> back(4, 99);
  copy_to_memory(a, back.data());
  EXPECT_EQ(back, memory);
}

TEST(Array, undefined_elements_keep_what_is_in_memory) {
  Array a = Array::undefined(Scalar::f32, {3});
  a.cells[1] = Value::floating(0.5);
  a.defined[1] = 1;
  std::vector<float> memory = {7, 8, 9};
  copy_to_memory(a, memory.data());
  EXPECT_EQ(memory, (std::vector<float>{7, 0.5f, 9}));
}

}  // namespace
}  // namespace mdh::scalar::array_test
