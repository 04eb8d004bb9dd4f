// A convolution whose numbers are matrices: MI x MK times MK x MJ.
#include "sizes.h"

enum { H = SH * (P - 1) + R, W = SW * (Q - 1) + S };

void run(void **buffers, char *workspace, long threads) {
  float(*restrict out)[P][Q][K][MI][MJ] = buffers[0];
  const float(*restrict image)[H][W][C][MI][MK] = buffers[1];
  const float(*restrict filter)[R][S][C][MK][MJ] = buffers[2];
#pragma omp parallel for collapse(3) num_threads(threads)
  for (long n = 0; n < N; ++n)
    for (long p = 0; p < P; ++p)
      for (long q = 0; q < Q; ++q)
        for (long k = 0; k < K; ++k) {
          float sum[MI][MJ] = {};
          for (long r = 0; r < R; ++r)
            for (long s = 0; s < S; ++s)
              for (long c = 0; c < C; ++c)
                for (long i = 0; i < MI; ++i)
                  for (long m = 0; m < MK; ++m)
                    for (long j = 0; j < MJ; ++j)
                      sum[i][j] += image[n][SH * p + r][SW * q + s][c][i][m] *
                                   filter[k][r][s][c][m][j];
          for (long i = 0; i < MI; ++i)
            for (long j = 0; j < MJ; ++j) out[n][p][q][k][i][j] = sum[i][j];
        }
}
