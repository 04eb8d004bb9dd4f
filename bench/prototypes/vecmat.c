// A row times a matrix, C[j] = A[k] B[k][j]. One row leaves nothing to share but the reduction:
// each thread adds up its rows of B into a row of its own, then all of them combine the rows.
#include <omp.h>

#include "bench/prototypes/vector.h"

#include "sizes.h"

#ifndef ROWS  // rows of B that are fused into one pass over the result
#define ROWS 16
#endif
#ifndef NV  // vectors of the result in registers
#define NV 5
#endif
#ifndef MOST_THREADS
#define MOST_THREADS 64
#endif

enum { NR = NV * LANES };

static float sums[MOST_THREADS][J + 64] __attribute__((aligned(64)));

INLINE void add_rows(const Vector *a, const float *b, float *sum, int first) {
  Vector result[NV];
  UNROLLED for (int n = 0; n < NV; ++n)
      result[n] = first ? (Vector){0} : load(sum + n * LANES);
  UNROLLED for (int k = 0; k < ROWS; ++k) UNROLLED for (int n = 0; n < NV; ++n)
      result[n] += load(b + (long)k * J + n * LANES) * a[k / LANES][k % LANES];
  UNROLLED for (int n = 0; n < NV; ++n) store(sum + n * LANES, result[n]);
}

void run(void **buffers, char *workspace, long threads) {
  float *c = buffers[0];
  const float *a = buffers[1], *b = buffers[2];
  if (threads > MOST_THREADS) threads = MOST_THREADS;
#pragma omp parallel num_threads(threads)
  {
    const long part = omp_get_thread_num(), parts = omp_get_num_threads();
    const long begin = ROWS * begin_of(K / ROWS, part, parts);
    const long end = ROWS * begin_of(K / ROWS, part + 1, parts);
    for (long k = begin; k < end; k += ROWS) {
      Vector factors[ROWS / LANES];
      UNROLLED for (int n = 0; n < ROWS / LANES; ++n) factors[n] = load(a + k + n * LANES);
      for (long j = 0; j < J; j += NR)
        add_rows(factors, b + k * J + j, sums[part] + j, k == begin);
    }
#pragma omp barrier
    for (long j = begin_of(J, part, parts); j < begin_of(J, part + 1, parts); ++j) {
      float sum = 0;
      for (long p = 0; p < parts; ++p) sum += sums[p][j];
      c[j] = sum;
    }
  }
}

_Static_assert(K % ROWS == 0 && J % NR == 0 && ROWS % LANES == 0, "whole tiles only");
