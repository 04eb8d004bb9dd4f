#include "mdh/support/hash.h"

#include <gtest/gtest.h>

namespace mdh::hash_test {
namespace {

// Test vectors of the authors of FNV.
TEST(Hash, is_the_64_bit_fnv_1a) {
  EXPECT_EQ(hash(""), 0xcbf29ce484222325u);
  EXPECT_EQ(hash("a"), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(hash("foobar"), 0x85944171f73967e8u);
}

TEST(Hash, name_has_sixteen_digits) {
  EXPECT_EQ(hash_name("a"), "af63dc4c8601ec8c");
  EXPECT_EQ(hash_name("fo"), "08985907b541d342") << "leading zeros stay";
}

}  // namespace
}  // namespace mdh::hash_test
