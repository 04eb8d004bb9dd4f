// The mean of a point and its six neighbours. Threads share the planes. A register tile is
// PLANES x 1 x NV vectors along k: all of it is loaded, computed, then stored, line by line. The
// neighbours along k come from two aligned vectors, one of which stays from the step before.
#include <omp.h>

#include "bench/prototypes/vector.h"

#include "sizes.h"

#ifndef PLANES  // planes in registers: a row between them is read once
#define PLANES 2
#endif
#ifndef NV  // vectors along k: their stores fill a cache line
#define NV 4
#endif

enum { WIDTH = I3 + 2, PLANE = (I2 + 2) * WIDTH };

/// The last lanes of `low` and the first ones of `high`.
#define SHIFTED(low, high, by) \
  __builtin_shufflevector(low, high, (by), (by) + 1, (by) + 2, (by) + 3)

/// One row of PLANES planes; `in` is the corner of the neighbourhood.
INLINE void relax_rows(const float *in, float *out) {
  const Vector seventh = (Vector){0} + 1.0f / 7;
  Vector low[PLANES];
  UNROLLED for (int i = 0; i < PLANES; ++i) low[i] = load(in + (i + 1) * PLANE + WIDTH);
  for (long first = 0; first < I3; first += NV * LANES) {
    Vector result[PLANES][NV];
    UNROLLED for (int n = 0; n < NV; ++n) {
      const long k = first + n * LANES;
      Vector middle[PLANES + 2];
      middle[0] = load(in + WIDTH + k + 1);
      middle[PLANES + 1] = load(in + (PLANES + 1) * PLANE + WIDTH + k + 1);
      Vector sides[PLANES];
      UNROLLED for (int i = 0; i < PLANES; ++i) {
        const float *row = in + (i + 1) * PLANE + k;
        const Vector west = low[i], high = load(row + WIDTH + LANES);
        middle[i + 1] = SHIFTED(west, high, 1);
        sides[i] = west + SHIFTED(west, high, 2) + load(row + 1) + load(row + 2 * WIDTH + 1);
        low[i] = high;
      }
      UNROLLED for (int i = 0; i < PLANES; ++i)
          result[i][n] = seventh * (sides[i] + (middle[i] + middle[i + 1] + middle[i + 2]));
    }
    UNROLLED for (int i = 0; i < PLANES; ++i) UNROLLED for (int n = 0; n < NV; ++n)
        store(out + (long)i * I2 * I3 + first + n * LANES, result[i][n]);
  }
}

void run(void **buffers, char *workspace, long threads) {
  float *out = buffers[0];
  const float *in = buffers[1];
#pragma omp parallel for schedule(static) num_threads(threads)
  for (long i = 0; i < I1; i += PLANES)
    for (long j = 0; j < I2; ++j)
      relax_rows(in + i * PLANE + j * WIDTH, out + (i * I2 + j) * I3);
}

_Static_assert(LANES == 4, "the shifts are written for four lanes");
_Static_assert(I1 % PLANES == 0 && I3 % (NV * LANES) == 0, "whole tiles only");
