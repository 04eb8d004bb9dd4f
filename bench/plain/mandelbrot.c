// The steps that z = z z + c takes to leave the disc of radius 2, at most 1000. Exact: compiled
// without fused operations.
#include "sizes.h"

void run(void **buffers, char *workspace, long threads) {
  int(*restrict out)[W] = buffers[0];
#pragma omp parallel for schedule(dynamic, 4) num_threads(threads)
  for (long i = 0; i < H; ++i)
    for (long j = 0; j < W; ++j) {
      const double x = -2.5 + (double)j * (3.5 / (double)W);
      const double y = -1.0 + (double)i * (2.0 / (double)H);
      double u = 0, v = 0;
      int n = 0;
      while (u * u + v * v <= 4.0 && n < 1000) {
        const double next = u * u - v * v + x;
        v = 2.0 * u * v + y;
        u = next;
        ++n;
      }
      out[i][j] = n;
    }
}
