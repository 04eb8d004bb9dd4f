// Small products, batches of them and transposed ones: nothing is copied, all of the reduction
// runs in registers. The last tile of a dimension overlaps the one before it, so that there is no
// remainder. Z[m][n] = X[m][k] Y[k][n].
#include <omp.h>

#include "bench/prototypes/vector.h"

#include "sizes.h"

#ifndef MR  // rows of the register tile
#define MR 5
#endif
#ifndef NV  // vectors in a row of the register tile
#define NV 3
#endif

#if defined(PROGRAM_MATMUL_T)  // C[j][i] = B[j][k] A[k][i]
enum { X = 2, Y = 1, ROWS = J, COLUMNS = I, DEPTH = K, PRODUCTS = 1 };
#elif defined(PROGRAM_BMATMUL)
enum { X = 1, Y = 2, ROWS = I, COLUMNS = J, DEPTH = K, PRODUCTS = NB };
#else
enum { X = 1, Y = 2, ROWS = I, COLUMNS = J, DEPTH = K, PRODUCTS = 1 };
#endif

enum {
  NR = NV * LANES,
  TILES_M = (ROWS + MR - 1) / MR,
  TILES_N = (COLUMNS + NR - 1) / NR,
};

/// Where vector n of a tile lies; in a matrix narrower than a tile the last one overlaps.
INLINE long column(int n) {
  return COLUMNS < NR ? smaller(n * LANES, COLUMNS - LANES) : n * LANES;
}

INLINE void multiply(const float *x, const float *y, float *z) {
  Vector sum[MR][NV];
  UNROLLED for (int m = 0; m < MR; ++m) UNROLLED for (int n = 0; n < NV; ++n)
      sum[m][n] = (Vector){0};
  for (long k = 0; k < DEPTH; k += LANES) {
    Vector left[MR];
    UNROLLED for (int m = 0; m < MR; ++m) left[m] = load(x + m * DEPTH + k);
    UNROLLED for (int u = 0; u < LANES; ++u) {
      Vector right[NV];
      UNROLLED for (int n = 0; n < NV; ++n) right[n] = load(y + (k + u) * COLUMNS + column(n));
      UNROLLED for (int n = 0; n < NV; ++n) UNROLLED for (int m = 0; m < MR; ++m)
          sum[m][n] += right[n] * left[m][u];
    }
  }
  UNROLLED for (int m = 0; m < MR; ++m) UNROLLED for (int n = 0; n < NV; ++n)
      store(z + m * COLUMNS + column(n), sum[m][n]);
}

void run(void **buffers, char *workspace, long threads) {
  float *z = buffers[0];
  const float *x = buffers[X], *y = buffers[Y];
  const long tiles = (long)PRODUCTS * TILES_N * TILES_M;
#pragma omp parallel num_threads(threads)
  {
    const long part = omp_get_thread_num(), parts = omp_get_num_threads();
    for (long tile = begin_of(tiles, part, parts); tile < begin_of(tiles, part + 1, parts);
         ++tile) {
      const long b = tile / (TILES_N * TILES_M);
      const long n = COLUMNS < NR ? 0 : smaller(tile / TILES_M % TILES_N * NR, COLUMNS - NR);
      const long m = smaller(tile % TILES_M * MR, ROWS - MR);
      multiply(x + (b * ROWS + m) * DEPTH, y + b * DEPTH * COLUMNS + n,
               z + (b * ROWS + m) * COLUMNS + n);
    }
  }
}
