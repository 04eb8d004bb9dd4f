// The mean of a point and its six neighbours; the input has a border of one.
#include "sizes.h"

void run(void **buffers, char *workspace, long threads) {
  float(*restrict out)[I2][I3] = buffers[0];
  const float(*restrict in)[I2 + 2][I3 + 2] = buffers[1];
#pragma omp parallel for num_threads(threads)
  for (long i = 0; i < I1; ++i)
    for (long j = 0; j < I2; ++j)
      for (long k = 0; k < I3; ++k)
        out[i][j][k] = 1.0f / 7 *
                       (in[i][j + 1][k + 1] + in[i + 1][j][k + 1] + in[i + 1][j + 1][k] +
                        in[i + 1][j + 1][k + 1] + in[i + 1][j + 1][k + 2] +
                        in[i + 1][j + 2][k + 1] + in[i + 2][j + 1][k + 1]);
}
