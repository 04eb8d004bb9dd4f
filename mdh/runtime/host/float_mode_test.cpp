#include "mdh/runtime/host/float_mode.h"

#include <gtest/gtest.h>

#include <cfenv>

#include "mdh/runtime/host/library.h"
#include "mdh/runtime/process.h"
#include "mdh/runtime/testing.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace mdh::runtime::host::float_mode_test {
namespace {

/// A subnormal number as long as the processor knows any.
double half_of_the_smallest_normal() {
  volatile double smallest = 0x1p-1022;
  return smallest / 2;
}

double third() {
  volatile double one = 1, three = 3;
  return one / three;
}

/// Puts this thread into another mode until the end of a test.
class Flushing {
 public:
  Flushing() { std::fegetenv(&before_); }
  ~Flushing() { std::fesetenv(&before_); }

  static bool begin() {
#if defined(__x86_64__)
    _mm_setcsr(_mm_getcsr() | 0x8040);
    return true;
#else
    return false;
#endif
  }

 private:
  std::fenv_t before_;
};

TEST(FloatMode, is_usual_inside_and_as_before_afterwards) {
  const double usual = third();
  const int before = std::fegetround();
  std::fesetround(FE_UPWARD);
  const double upward = third();
  {
    const UsualFloatMode mode;
    EXPECT_EQ(third(), usual);
  }
  EXPECT_EQ(third(), upward);
  EXPECT_NE(usual, upward);
  std::fesetround(before);
}

TEST(FloatMode, knows_subnormal_numbers) {
  const Flushing until_the_end;
  if (!Flushing::begin()) GTEST_SKIP() << "SKIP: no way to flush subnormal numbers here";
  EXPECT_EQ(half_of_the_smallest_normal(), 0);
  {
    const UsualFloatMode mode;
    EXPECT_EQ(half_of_the_smallest_normal(), 0x1p-1023);
  }
  EXPECT_EQ(half_of_the_smallest_normal(), 0);
}

/// out[t] is 1 if thread t computes subnormal numbers.
kernel::Module halves() {
  kernel::Module m = module_of("halves",
                               "#pragma omp parallel num_threads(threads)\n"
                               "{ volatile double smallest = 0x1p-1022, half = smallest / 2;\n"
                               "  out[omp_get_thread_num()] = half != 0; }",
                               2);
  m.source = "int omp_get_thread_num(void);\n" + m.source;
  m.parts_on_cores = 2;
  return m;
}

TEST(FloatMode, kernels_compute_subnormal_numbers_whatever_the_caller_does) {
  const kernel::Module module = halves();
  const Kernel kernel = load({&module, 1}, find_compiler()).front();
  const Flushing until_the_end;
  Flushing::begin();
  std::vector<long> out(2, -1);
  void* pointer = out.data();
  kernel({&pointer, 1}, 2);
  EXPECT_EQ(out, (std::vector<long>{1, 1}));
}

/// gcc adds start-up code that flushes subnormal numbers to what it links with -ffast-math.
TEST(FloatMode, loading_a_library_that_changes_it_has_no_effect) {
  const std::string gcc = find_program("gcc");
  if (gcc.empty()) GTEST_SKIP() << "SKIP: no gcc";
  kernel::Module module = module_of("flushes", "out[0] = 1;");
#if defined(__x86_64__)
  // The same in our own words: newer compilers leave it out of shared libraries.
  module.source +=
      "\n__attribute__((constructor)) static void flush(void) {"
      " __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040); }";
#endif
  const Kernel kernel = load({&module, 1}, Compiler{gcc, {"-O2", "-ffast-math"}}).front();
  EXPECT_EQ(half_of_the_smallest_normal(), 0x1p-1023);
}

}  // namespace
}  // namespace mdh::runtime::host::float_mode_test
