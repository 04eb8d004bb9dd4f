// A convolution of many channels on few pixels. Threads share k. For KR filters and one row r of
// them, the filter is copied to [s c][KR] and used by all pixels; between the rows r the result
// accumulates in its own buffer.
#include <omp.h>

#include "bench/prototypes/vector.h"

#include "sizes.h"

#ifndef QR  // pixels of the register tile
#define QR 7
#endif
#ifndef NV  // vectors of the register tile along k
#define NV 2
#endif

enum {
  KR = NV * LANES,
  SC = S * C,
  HEIGHT = SH * (P - 1) + R,
  WIDTH = SW * (Q - 1) + S,
  PIXEL = SW * C,
};

#define SHUFFLED __builtin_shufflevector

/// F[k ... k + KR][r] -> [s c][KR], four by four in registers.
static void pack_filter(const float *filter, float *packed) {
  for (long x = 0; x < SC; x += 4)
    UNROLLED for (int k = 0; k < KR; k += 4) {
      const float *from = filter + (long)k * R * SC + x;
      float *to = packed + x * KR + k;
      const Vector a = load(from), b = load(from + R * SC);
      const Vector c = load(from + 2 * R * SC), d = load(from + 3 * R * SC);
      const Vector ab = SHUFFLED(a, b, 0, 4, 1, 5), AB = SHUFFLED(a, b, 2, 6, 3, 7);
      const Vector cd = SHUFFLED(c, d, 0, 4, 1, 5), CD = SHUFFLED(c, d, 2, 6, 3, 7);
      store(to, SHUFFLED(ab, cd, 0, 1, 4, 5));
      store(to + KR, SHUFFLED(ab, cd, 2, 3, 6, 7));
      store(to + 2 * KR, SHUFFLED(AB, CD, 0, 1, 4, 5));
      store(to + 3 * KR, SHUFFLED(AB, CD, 2, 3, 6, 7));
    }
}

static void convolve(const float *image, const float *packed, float *out, int first) {
  Vector sum[QR][NV];
  UNROLLED for (int q = 0; q < QR; ++q) UNROLLED for (int n = 0; n < NV; ++n)
      sum[q][n] = first ? (Vector){0} : load(out + q * K + n * LANES);
  for (long x = 0; x < SC; x += LANES) {
    Vector pixels[QR];
    UNROLLED for (int q = 0; q < QR; ++q) pixels[q] = load(image + q * PIXEL + x);
    UNROLLED for (int u = 0; u < LANES; ++u) {
      Vector factor[NV];
      UNROLLED for (int n = 0; n < NV; ++n) factor[n] = load(packed + (x + u) * KR + n * LANES);
      UNROLLED for (int n = 0; n < NV; ++n) UNROLLED for (int q = 0; q < QR; ++q)
          sum[q][n] += factor[n] * pixels[q][u];
    }
  }
  UNROLLED for (int q = 0; q < QR; ++q) UNROLLED for (int n = 0; n < NV; ++n)
      store(out + q * K + n * LANES, sum[q][n]);
}

void run(void **buffers, char *workspace, long threads) {
  float *out = buffers[0];
  const float *image = buffers[1], *filter = buffers[2];
#pragma omp parallel for schedule(static) num_threads(threads)
  for (long k = 0; k < K; k += KR) {
    static __thread float packed[SC * KR] __attribute__((aligned(64)));
    for (long r = 0; r < R; ++r) {
      pack_filter(filter + (k * R + r) * SC, packed);
      for (long at = 0; at < N * P; ++at)
        for (long q = 0; q < Q; q += QR) {
          const long n = at / P, p = at % P;
          convolve(image + ((n * HEIGHT + SH * p + r) * WIDTH + SW * q) * C, packed,
                   out + (at * Q + q) * K + k, r == 0);
        }
    }
  }
}

_Static_assert(LANES == 4, "the copy is written for four lanes");
_Static_assert(K % KR == 0 && Q % QR == 0 && SC % LANES == 0, "whole tiles only");
