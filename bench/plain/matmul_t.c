// C[j][i] = the sum over k of A[k][i] B[j][k]
#include "sizes.h"

void run(void **buffers, char *workspace, long threads) {
  float *restrict c = buffers[0];
  const float *restrict a = buffers[1], *restrict b = buffers[2];
#pragma omp parallel for num_threads(threads)
  for (long j = 0; j < J; ++j) {
    for (long i = 0; i < I; ++i) c[j * I + i] = 0;
    for (long k = 0; k < K; ++k)
      for (long i = 0; i < I; ++i) c[j * I + i] += a[k * I + i] * b[j * K + k];
  }
}
