// O[p][q] = the sum over r and s of I[p + r][q + s] F[r][s]
#include "sizes.h"

void run(void **buffers, char *workspace, long threads) {
  float(*restrict out)[Q] = buffers[0];
  const float(*restrict image)[Q + S - 1] = buffers[1];
  const float(*restrict filter)[S] = buffers[2];
#pragma omp parallel for num_threads(threads)
  for (long p = 0; p < P; ++p)
    for (long q = 0; q < Q; ++q) {
      float sum = 0;
      for (long r = 0; r < R; ++r)
        for (long s = 0; s < S; ++s) sum += image[p + r][q + s] * filter[r][s];
      out[p][q] = sum;
    }
}
