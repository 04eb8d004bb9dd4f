// C = the sum over k of A[k] B[k]
#include "sizes.h"

void run(void **buffers, char *workspace, long threads) {
  const float *restrict a = buffers[1], *restrict b = buffers[2];
  float sum = 0;
#pragma omp parallel for simd reduction(+ : sum) num_threads(threads)
  for (long k = 0; k < K; ++k) sum += a[k] * b[k];
  *(float *)buffers[0] = sum;
}
