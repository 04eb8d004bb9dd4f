// O[n][p][q][k] = the sum over r, s and c of I[n][SH p + r][SW q + s][c] F[k][r][s][c]
#include "sizes.h"

enum { H = SH * (P - 1) + R, W = SW * (Q - 1) + S };

void run(void **buffers, char *workspace, long threads) {
  float(*restrict out)[P][Q][K] = buffers[0];
  const float(*restrict image)[H][W][C] = buffers[1];
  const float(*restrict filter)[R][S][C] = buffers[2];
#pragma omp parallel for collapse(3) num_threads(threads)
  for (long n = 0; n < N; ++n)
    for (long p = 0; p < P; ++p)
      for (long q = 0; q < Q; ++q)
        for (long k = 0; k < K; ++k) {
          float sum = 0;
          for (long r = 0; r < R; ++r)
            for (long s = 0; s < S; ++s)
              for (long c = 0; c < C; ++c)
                sum += image[n][SH * p + r][SW * q + s][c] * filter[k][r][s][c];
          out[n][p][q][k] = sum;
        }
}
