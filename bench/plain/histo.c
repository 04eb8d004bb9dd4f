// Out[b] = how many elements equal the value of bin b; any values, so that every pair is compared.
#include "sizes.h"

void run(void **buffers, char *workspace, long threads) {
  int *restrict out = buffers[0];
  const int *restrict elements = buffers[1], *restrict bins = buffers[2];
  int counts[B] = {};
#pragma omp parallel for reduction(+ : counts) num_threads(threads)
  for (long e = 0; e < E; ++e)
    for (long b = 0; b < B; ++b) counts[b] += elements[e] == bins[b];
  for (long b = 0; b < B; ++b) out[b] = counts[b];
}
