// O[p][q] = the sum over r and s of I[p + r][q + s] F[r][s]. Threads share the rows. A register
// tile is ROWS rows times NV vectors along q; for each column of the filter, the rows of the image
// are loaded once and used by all rows of the tile.
#include <omp.h>

#include "bench/prototypes/vector.h"

#include "sizes.h"

#ifndef ROWS  // rows of the register tile: a row of the image serves R of them
#define ROWS 8
#endif
#ifndef NV  // vectors of the register tile along q; gcc spills with more than one
#define NV 1
#endif

enum { WIDTH = Q + S - 1, WORDS = (R + LANES - 1) / LANES };

/// columns[s]: the filter's column s, as vectors.
INLINE void convolve(const float *image, Vector columns[S][WORDS], float *out) {
  Vector sum[ROWS][NV];
  UNROLLED for (int p = 0; p < ROWS; ++p) UNROLLED for (int n = 0; n < NV; ++n)
      sum[p][n] = (Vector){0};
  // Not unrolled: the compiler would keep all of the filter in registers, and spill the sums.
#pragma GCC unroll 1
  for (int s = 0; s < S; ++s) {
    Vector pixels[ROWS + R - 1][NV];
    UNROLLED for (int row = 0; row < ROWS + R - 1; ++row) UNROLLED for (int n = 0; n < NV; ++n)
        pixels[row][n] = load(image + (long)row * WIDTH + s + n * LANES);
    UNROLLED for (int r = 0; r < R; ++r) UNROLLED for (int p = 0; p < ROWS; ++p)
        UNROLLED for (int n = 0; n < NV; ++n)
            sum[p][n] += pixels[p + r][n] * columns[s][r / LANES][r % LANES];
  }
  UNROLLED for (int p = 0; p < ROWS; ++p) UNROLLED for (int n = 0; n < NV; ++n)
      store(out + (long)p * Q + n * LANES, sum[p][n]);
}

void run(void **buffers, char *workspace, long threads) {
  float *out = buffers[0];
  const float *image = buffers[1], *filter = buffers[2];
  Vector columns[S][WORDS];
  for (int s = 0; s < S; ++s)
    for (int r = 0; r < WORDS * LANES; ++r)
      columns[s][r / LANES][r % LANES] = r < R ? filter[r * S + s] : 0;
#pragma omp parallel for schedule(static) num_threads(threads)
  for (long p = 0; p < P; p += ROWS)
    for (long q = 0; q < Q; q += NV * LANES)
      convolve(image + p * WIDTH + q, columns, out + p * Q + q);
}

_Static_assert(P % ROWS == 0 && Q % (NV * LANES) == 0, "whole tiles only");
