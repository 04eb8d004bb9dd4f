#include "mdh/runtime/opencl/kept_environment.h"

#include <gtest/gtest.h>

#include <cstring>

#include "mdh/runtime/testing.h"

namespace mdh::runtime::opencl::kept_environment_test {
namespace {

TEST(KeptEnvironment, survives_loaders_that_cut_it_into_pieces) {
  const ScopedEnvironment drivers("MDH_TEST_DRIVERS", "libone.so:libtwo.so");
  {
    const KeptEnvironment kept;
    char* value = std::getenv("MDH_TEST_DRIVERS");
    std::strtok(value, ":");
    ASSERT_STREQ(std::getenv("MDH_TEST_DRIVERS"), "libone.so");
  }
  EXPECT_STREQ(std::getenv("MDH_TEST_DRIVERS"), "libone.so:libtwo.so");
}

TEST(KeptEnvironment, keeps_what_is_new) {
  const ScopedEnvironment before("MDH_TEST_OLD", "1"), none("MDH_TEST_NEW", std::nullopt);
  {
    const KeptEnvironment kept;
    setenv("MDH_TEST_NEW", "2", 1);
    unsetenv("MDH_TEST_OLD");
  }
  EXPECT_STREQ(std::getenv("MDH_TEST_NEW"), "2");
  EXPECT_STREQ(std::getenv("MDH_TEST_OLD"), "1");
}

}  // namespace
}  // namespace mdh::runtime::opencl::kept_environment_test
