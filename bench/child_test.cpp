#include "bench/child.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "mdh/driver/stages.h"
#include "mdh/support/cores.h"

namespace mdh::bench::child_test {
namespace {

class Places : public testing::Test {
 protected:
  void SetUp() override {
    if (available_cores() < 2) GTEST_SKIP() << "needs two cores";
    for (const char* name : {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"}) {
      if (std::getenv(name) != nullptr) GTEST_SKIP() << name << " is set";
    }
  }

  Candidate candidate_ = {.name = "mine", .threads = 2};
};

TEST_F(Places, threads_of_openmp_have_one_each) {
  using Variables = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(places_for(candidate_),
            (Variables{{"OMP_PROC_BIND", "spread"}, {"OMP_PLACES", "threads"}}));
}

TEST_F(Places, library_with_own_threads_has_none) {
  candidate_.pool = Pool::own;
  EXPECT_TRUE(places_for(candidate_).empty());
}

TEST_F(Places, more_threads_than_cores_or_a_single_one_have_none) {
  candidate_.threads = available_cores() + 1;
  EXPECT_TRUE(places_for(candidate_).empty());
  candidate_.threads = 1;
  EXPECT_TRUE(places_for(candidate_).empty());
}

TEST_F(Places, what_the_user_says_comes_first) {
  setenv("OMP_PLACES", "sockets", 1);
  EXPECT_TRUE(places_for(candidate_).empty());
  unsetenv("OMP_PLACES");
}

}  // namespace
}  // namespace mdh::bench::child_test
