// Out[i] = the sum of rows 0 to i
#include "sizes.h"

void run(void **buffers, char *workspace, long threads) {
  float *restrict out = buffers[0];
  const float(*restrict in)[J] = buffers[1];
#pragma omp parallel for num_threads(threads)
  for (long i = 0; i < I; ++i) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (long j = 0; j < J; ++j) sum += in[i][j];
    out[i] = sum;
  }
  for (long i = 1; i < I; ++i) out[i] += out[i - 1];
}
