// w = M v. Threads share the rows; a register tile is ROWS rows times NV vectors along k, and the
// lanes are added up once, at the end of a row.
#include <omp.h>

#include "bench/prototypes/vector.h"

#include "sizes.h"

#ifndef ROWS  // rows in registers: v is read once for all of them
#define ROWS 8
#endif
#ifndef NV  // vectors of a row in flight
#define NV 2
#endif

static void multiply_rows(const float *m, const float *v, float *w) {
  Vector sum[ROWS][NV];
  UNROLLED for (int r = 0; r < ROWS; ++r) UNROLLED for (int n = 0; n < NV; ++n)
      sum[r][n] = (Vector){0};
  for (long k = 0; k < K; k += NV * LANES) {
    Vector factor[NV];
    UNROLLED for (int n = 0; n < NV; ++n) factor[n] = load(v + k + n * LANES);
    UNROLLED for (int r = 0; r < ROWS; ++r) UNROLLED for (int n = 0; n < NV; ++n)
        sum[r][n] += load(m + (long)r * K + k + n * LANES) * factor[n];
  }
  UNROLLED for (int r = 0; r < ROWS; ++r) {
    UNROLLED for (int n = 1; n < NV; ++n) sum[r][0] += sum[r][n];
    w[r] = total(sum[r][0]);
  }
}

void run(void **buffers, char *workspace, long threads) {
  float *w = buffers[0];
  const float *m = buffers[1], *v = buffers[2];
#pragma omp parallel for schedule(static) num_threads(threads)
  for (long i = 0; i < I; i += ROWS) multiply_rows(m + i * K, v, w + i);
}

_Static_assert(I % ROWS == 0 && K % (NV * LANES) == 0, "whole tiles only");
