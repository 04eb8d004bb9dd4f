// Out[i] = A[0] + ... + A[i], in two passes over the parts of the threads.
#include "sizes.h"

#include <omp.h>

enum { most = 256 };

void run(void **buffers, char *workspace, long threads) {
  float *restrict out = buffers[0];
  const float *restrict in = buffers[1];
  static float totals[most + 1];
  const long parts = threads < most ? threads : most;
#pragma omp parallel num_threads(parts)
  {
    const long part = omp_get_thread_num(), count = omp_get_num_threads();
    const long begin = N * part / count, end = N * (part + 1) / count;
    float sum = 0;
    for (long i = begin; i < end; ++i) sum += in[i];
    totals[part + 1] = sum;
#pragma omp barrier
    sum = 0;
    for (long p = 1; p <= part; ++p) sum += totals[p];
    for (long i = begin; i < end; ++i) out[i] = sum += in[i];
  }
}
