#include "mdh/loop/defined_names.h"

#include <gtest/gtest.h>

namespace mdh::loop::defined_names_test {
namespace {

TEST(DefinedNames, forgets_the_latest_names_and_keeps_the_others) {
  DefinedNames names;
  for (int n = 0; n < 100; ++n) EXPECT_TRUE(names.insert(std::to_string(n)));
  EXPECT_FALSE(names.insert("7"));
  EXPECT_EQ(names.size(), 100u);
  names.shrink(60);
  for (int n = 0; n < 100; ++n) EXPECT_EQ(names.contains(std::to_string(n)), n < 60) << n;
  EXPECT_TRUE(names.insert("99"));
  names.shrink(0);
  EXPECT_FALSE(names.contains("0") || names.contains("99"));
}

}  // namespace
}  // namespace mdh::loop::defined_names_test
