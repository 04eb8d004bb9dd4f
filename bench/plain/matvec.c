// w = M v
#include "sizes.h"

void run(void **buffers, char *workspace, long threads) {
  float *restrict w = buffers[0];
  const float *restrict m = buffers[1], *restrict v = buffers[2];
#pragma omp parallel for num_threads(threads)
  for (long i = 0; i < I; ++i) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (long k = 0; k < K; ++k) sum += m[i * K + k] * v[k];
    w[i] = sum;
  }
}
