// C = the sum over k of A[k] B[k]: each thread adds into NV vectors.
#include <omp.h>

#include "bench/prototypes/vector.h"

#include "sizes.h"

#ifndef NV  // independent sums: an addition takes several cycles
#define NV 8
#endif

enum { STEP = NV * LANES };

void run(void **buffers, char *workspace, long threads) {
  const float *a = buffers[1], *b = buffers[2];
  float result = 0;
#pragma omp parallel reduction(+ : result) num_threads(threads)
  {
    const long part = omp_get_thread_num(), parts = omp_get_num_threads();
    const long begin = STEP * begin_of(K / STEP, part, parts);
    const long end = STEP * begin_of(K / STEP, part + 1, parts);
    Vector sum[NV];
    UNROLLED for (int n = 0; n < NV; ++n) sum[n] = (Vector){0};
    for (long k = begin; k < end; k += STEP)
      UNROLLED for (int n = 0; n < NV; ++n)
          sum[n] += load(a + k + n * LANES) * load(b + k + n * LANES);
    UNROLLED for (int n = 1; n < NV; ++n) sum[0] += sum[n];
    result += total(sum[0]);
  }
  for (long k = K / STEP * STEP; k < K; ++k) result += a[k] * b[k];
  *(float *)buffers[0] = result;
}
