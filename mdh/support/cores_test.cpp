#include "mdh/support/cores.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>

namespace mdh::cores_test {
namespace {

cpu_set_t cores_now() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  sched_getaffinity(0, sizeof(cores), &cores);
  return cores;
}

/// Confines this thread to its first core, as OpenMP does.
class Confined {
 public:
  Confined() : before_(cores_now()) {
    cpu_set_t first;
    CPU_ZERO(&first);
    for (int core = 0; core < CPU_SETSIZE && CPU_COUNT(&first) == 0; ++core) {
      if (CPU_ISSET(core, &before_)) CPU_SET(core, &first);
    }
    sched_setaffinity(0, sizeof(first), &first);
  }
  ~Confined() { sched_setaffinity(0, sizeof(before_), &before_); }
  Confined(const Confined&) = delete;
  Confined& operator=(const Confined&) = delete;

 private:
  cpu_set_t before_;
};

TEST(CoresOfStart, thread_that_openmp_confined_has_all_cores_for_a_while) {
  const cpu_set_t all = cores_now();
  setenv("OMP_PROC_BIND", "true", 1);
  {
    const Confined confined;
    {
      const CoresOfStart free;
      const cpu_set_t now = cores_now();
      EXPECT_TRUE(CPU_EQUAL(&now, &all));
    }
    const cpu_set_t now = cores_now();
    EXPECT_EQ(CPU_COUNT(&now), 1);
  }
  unsetenv("OMP_PROC_BIND");
}

TEST(CoresOfStart, thread_that_confined_itself_stays_so) {
  const Confined confined;
  const CoresOfStart free;
  const cpu_set_t now = cores_now();
  EXPECT_EQ(CPU_COUNT(&now), 1);
}

TEST(AvailableCores, are_those_of_the_machine_and_at_least_one) {
  EXPECT_GE(available_cores(), 1);
  const auto all = static_cast<int>(std::thread::hardware_concurrency());
  if (all > 0) {
    EXPECT_EQ(available_cores(), all);
  }
}

}  // namespace
}  // namespace mdh::cores_test
