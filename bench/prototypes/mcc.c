// A convolution of few channels: O[n][p][q][k] from I[n][SH p + r][SW q + s][c] and F[k][r][s][c].
// Threads share the rows p. Vectors lie along k, so the filter is copied to [k / KR][r][s c][KR],
// once and by all threads. The whole reduction runs in registers.
#include <omp.h>

#include "bench/prototypes/vector.h"

#include "sizes.h"

#ifndef QR  // pixels of the register tile
#define QR 4
#endif
#ifndef NV  // vectors of the register tile along k
#define NV 4
#endif

enum {
  KR = NV * LANES,
  SC = S * C,
  HEIGHT = SH * (P - 1) + R,
  WIDTH = SW * (Q - 1) + S,
  PIXEL = SW * C,  // from one pixel of the result to the next, in the image
};

static float packed[K / KR][R][SC][KR] __attribute__((aligned(64)));

static void pack_filter(const float *filter, long panel) {
  for (long r = 0; r < R; ++r)
    for (long x = 0; x < SC; ++x)
      for (long k = 0; k < KR; ++k)
        packed[panel][r][x][k] = filter[((panel * KR + k) * R + r) * SC + x];
}

INLINE void add_column(Vector sum[QR][NV], const Vector *pixels, int lane, const float *filter) {
  Vector factor[NV];
  UNROLLED for (int n = 0; n < NV; ++n) factor[n] = load(filter + n * LANES);
  UNROLLED for (int q = 0; q < QR; ++q) UNROLLED for (int n = 0; n < NV; ++n)
      sum[q][n] += factor[n] * pixels[q][lane];
}

static void convolve(const float *image, const float *filter, float *out) {
  Vector sum[QR][NV];
  UNROLLED for (int q = 0; q < QR; ++q) UNROLLED for (int n = 0; n < NV; ++n)
      sum[q][n] = (Vector){0};
  for (long r = 0; r < R; ++r, image += WIDTH * C, filter += SC * KR) {
    long x = 0;
    for (; x + LANES <= SC; x += LANES) {
      Vector pixels[QR];
      UNROLLED for (int q = 0; q < QR; ++q) pixels[q] = load(image + q * PIXEL + x);
      UNROLLED for (int u = 0; u < LANES; ++u)
          add_column(sum, pixels, u, filter + (x + u) * KR);
    }
    for (; x < SC; ++x) {
      Vector pixels[QR];
      UNROLLED for (int q = 0; q < QR; ++q) pixels[q] = (Vector){0} + image[q * PIXEL + x];
      add_column(sum, pixels, 0, filter + x * KR);
    }
  }
  UNROLLED for (int q = 0; q < QR; ++q) UNROLLED for (int n = 0; n < NV; ++n)
      store(out + q * K + n * LANES, sum[q][n]);
}

void run(void **buffers, char *workspace, long threads) {
  float *out = buffers[0];
  const float *image = buffers[1], *filter = buffers[2];
#pragma omp parallel num_threads(threads)
  {
#pragma omp for schedule(static)
    for (long panel = 0; panel < K / KR; ++panel) pack_filter(filter, panel);
#pragma omp for collapse(2) schedule(static)
    for (long n = 0; n < N; ++n)
      for (long p = 0; p < P; ++p)
        for (long panel = 0; panel < K / KR; ++panel)
          for (long q = 0; q < Q; q += QR)
            convolve(image + ((n * HEIGHT + SH * p) * WIDTH + SW * q) * C, &packed[panel][0][0][0],
                     out + ((n * P + p) * Q + q) * K + panel * KR);
  }
}

_Static_assert(K % KR == 0 && Q % QR == 0, "whole tiles only");
