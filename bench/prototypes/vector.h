// What the prototypes share: vectors of floats at any address, and loops that must disappear.
#pragma once

#ifndef LANES  // floats in a vector; 4 is NEON
#define LANES 4
#endif

typedef float Vector __attribute__((vector_size(4 * LANES)));
typedef float AnyVector __attribute__((vector_size(4 * LANES), aligned(4)));

static inline Vector load(const float* from) { return *(const AnyVector*)from; }
static inline void store(float* to, Vector value) { *(AnyVector*)to = value; }

static inline float total(Vector of) {
  float sum = 0;
#pragma GCC unroll 16
  for (int lane = 0; lane < LANES; ++lane) sum += of[lane];
  return sum;
}

/// In front of every loop over accumulators: only if all of them disappear do accumulators live in
/// registers.
#define UNROLLED _Pragma("GCC unroll 32")

#define INLINE static inline __attribute__((always_inline))

/// Part `part` of `parts` of a range begins here, and part + 1 where it ends.
static inline long begin_of(long count, long part, long parts) { return count * part / parts; }

static inline long smaller(long x, long y) { return x < y ? x : y; }
