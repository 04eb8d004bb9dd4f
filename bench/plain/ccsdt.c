// C[a][b][c][d][e][f] = the sum over g of A[g][x][y][z] B[u][v][g][w]. LEFT_AT(g, x, y, z) and
// RIGHT_AT(u, v, g, w) are the offsets of the nine contractions.
#include "sizes.h"

void run(void **buffers, char *workspace, long threads) {
  float *restrict out = buffers[0];
  const float *restrict left = buffers[1], *restrict right = buffers[2];
#pragma omp parallel for collapse(3) num_threads(threads)
  for (long a = 0; a < NA; ++a)
    for (long b = 0; b < NB; ++b)
      for (long c = 0; c < NC; ++c)
        for (long d = 0; d < ND; ++d)
          for (long e = 0; e < NE; ++e)
            for (long f = 0; f < NF; ++f) {
              float sum = 0;
              for (long g = 0; g < NG; ++g) sum += left[LEFT_AT] * right[RIGHT_AT];
              out[((((a * NB + b) * NC + c) * ND + d) * NE + e) * NF + f] = sum;
            }
}
