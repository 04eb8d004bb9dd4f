#include "mdh/runtime/host/isa_program.h"

namespace mdh::runtime::host {

// Every loop is one that compilers vectorise with instructions of its own kind: products and sums
// of several types, widening products of bytes, conversions, square roots, gathers, selections
// under a condition, bit counts. Numbers are small, so that every order of summation gives the
// same.
const std::string& isa_program() {
  static const std::string text = R"(
enum { n = 1027 };
static float a[n], b[n], c[n];
static double d[n], e[n];
static int i32[n], j32[n], at[n];
static long i64[n];
static signed char i8[n], j8[n];
static unsigned short u16[n];
double sqrt(double);

static int has_what_is_assumed(void) {
#if defined(__x86_64__)
  __builtin_cpu_init();
#define NEEDS(feature) if (!__builtin_cpu_supports(feature)) return 0;
#ifdef __SSE4_2__
  NEEDS("sse4.2")
#endif
#ifdef __POPCNT__
  NEEDS("popcnt")
#endif
#ifdef __AVX__
  NEEDS("avx")
#endif
#ifdef __AVX2__
  NEEDS("avx2")
#endif
#ifdef __FMA__
  NEEDS("fma")
#endif
#ifdef __BMI2__
  NEEDS("bmi2")
#endif
#ifdef __AVX512F__
  NEEDS("avx512f")
#endif
#ifdef __AVX512BW__
  NEEDS("avx512bw")
#endif
#ifdef __AVX512DQ__
  NEEDS("avx512dq")
#endif
#ifdef __AVX512VL__
  NEEDS("avx512vl")
#endif
#endif
#ifdef __ARM_FEATURE_SVE
  unsigned long bytes;
  __asm__ volatile("rdvl %0, #1" : "=r"(bytes));
  if (bytes < 16) return 0;
#endif
  return 1;
}

static void fill(int step) {
  for (int k = 0; k < n; ++k) {
    a[k] = k % 7, b[k] = step + k % 5, d[k] = k % 11, i32[k] = k % 13, i64[k] = k % 17;
    i8[k] = k % 9 - 4, j8[k] = k % 5 - 2, u16[k] = k % 251, at[k] = n - 1 - k;
  }
}

static double vectorised(void) {
  float f = 0;
  double g = 0;
  int h = 0, dot = 0, bits = 0;
  long l = 0;
  for (int k = 0; k < n; ++k) c[k] = a[k] * b[k] + a[k];
  for (int k = 0; k < n; ++k) f += c[k];
  for (int k = 0; k < n; ++k) e[k] = sqrt(d[k] * d[k]) + a[k];
  for (int k = 0; k < n; ++k) g += e[at[k]];
  for (int k = 0; k < n; ++k) j32[k] = i32[k] > 6 ? i32[k] * 3 : -i32[k];
  for (int k = 0; k < n; ++k) h += j32[k];
  for (int k = 0; k < n; ++k) dot += i8[k] * j8[k];
  for (int k = 0; k < n; ++k) bits += __builtin_popcount(i32[k]) + u16[k];
  for (int k = 0; k < n; ++k) l += i64[k] * i64[k];
  return f + 2 * g + 3 * h + 5 * dot + 7 * bits + 11.0 * l;
}

static double one_by_one(void) {
  volatile double f = 0, g = 0, h = 0, dot = 0, bits = 0, l = 0;
  for (volatile int k = 0; k < n; ++k) {
    f += a[k] * b[k] + a[k];
    g += d[n - 1 - k] + a[n - 1 - k];
    h += i32[k] > 6 ? i32[k] * 3 : -i32[k];
    dot += i8[k] * j8[k];
    for (volatile int bit = 0; bit < 5; ++bit) bits += i32[k] >> bit & 1;
    bits += u16[k];
    l += i64[k] * i64[k];
  }
  return f + 2 * g + 3 * h + 5 * dot + 7 * bits + 11.0 * l;
}

int main(int count, char **words) {
  if (!has_what_is_assumed()) return 2;
  fill(count);
  return vectorised() == one_by_one() ? 0 : 1;
}
)";
  return text;
}

}  // namespace mdh::runtime::host
