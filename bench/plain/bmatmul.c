// C[b] = A[b] B[b]
#include "sizes.h"

void run(void **buffers, char *workspace, long threads) {
  float *restrict C = buffers[0];
  const float *restrict A = buffers[1], *restrict B = buffers[2];
#pragma omp parallel for collapse(2) num_threads(threads)
  for (long n = 0; n < NB; ++n)
    for (long i = 0; i < I; ++i) {
      float *restrict row = C + (n * I + i) * J;
      for (long j = 0; j < J; ++j) row[j] = 0;
      for (long k = 0; k < K; ++k)
        for (long j = 0; j < J; ++j) row[j] += A[(n * I + i) * K + k] * B[(n * K + k) * J + j];
    }
}
