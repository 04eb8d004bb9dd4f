// C[a,b,c,d,e,f] = the sum over g of A[g,d,a,b] B[e,f,g,c]. Both inputs are copied once, by all
// threads: A to [ab][g][d], B to [c][ef / FR][g][FR]. Threads share ab; vectors lie along ef; all
// of g runs in registers.
#include <omp.h>

#include "bench/prototypes/vector.h"

#include "sizes.h"

#ifndef DR  // rows d of the register tile
#define DR 4
#endif
#ifndef NV  // vectors of the register tile along ef
#define NV 4
#endif

enum { FR = NV * LANES, AB = NA * NB, EF = NE * NF, PANELS = EF / FR };

static float left[AB][NG][ND] __attribute__((aligned(64)));
static float right[NC][PANELS][NG][FR] __attribute__((aligned(64)));

static void pack_left(const float *from, long ab) {
  for (long g = 0; g < NG; ++g)
    for (long d = 0; d < ND; ++d)
      for (long n = ab; n < ab + 16; ++n) left[n][g][d] = from[(g * ND + d) * AB + n];
}

static void pack_right(const float *from, long ef) {
  for (long g = 0; g < NG; ++g)
    for (long c = 0; c < NC; ++c) right[c][ef / FR][g][ef % FR] = from[(ef * NG + g) * NC + c];
}

INLINE void contract(const float *a, const float *b, float *out) {
  Vector sum[DR][NV];
  UNROLLED for (int d = 0; d < DR; ++d) UNROLLED for (int n = 0; n < NV; ++n)
      sum[d][n] = (Vector){0};
  for (long g = 0; g < NG; ++g) {
    Vector factor[NV], rows[DR / LANES];
    UNROLLED for (int n = 0; n < NV; ++n) factor[n] = load(b + g * FR + n * LANES);
    UNROLLED for (int d = 0; d < DR / LANES; ++d) rows[d] = load(a + g * ND + d * LANES);
    UNROLLED for (int d = 0; d < DR; ++d) UNROLLED for (int n = 0; n < NV; ++n)
        sum[d][n] += factor[n] * rows[d / LANES][d % LANES];
  }
  UNROLLED for (int d = 0; d < DR; ++d) UNROLLED for (int n = 0; n < NV; ++n)
      store(out + d * EF + n * LANES, sum[d][n]);
}

void run(void **buffers, char *workspace, long threads) {
  float *out = buffers[0];
#pragma omp parallel num_threads(threads)
  {
#pragma omp for schedule(static) nowait
    for (long ab = 0; ab < AB; ab += 16) pack_left(buffers[1], ab);
#pragma omp for schedule(static)
    for (long ef = 0; ef < EF; ++ef) pack_right(buffers[2], ef);
#pragma omp for schedule(static)
    for (long ab = 0; ab < AB; ++ab)
      for (long c = 0; c < NC; ++c)
        for (long d = 0; d < ND; d += DR)
          for (long panel = 0; panel < PANELS; ++panel)
            contract(&left[ab][0][d], &right[c][panel][0][0],
                     out + ((ab * NC + c) * ND + d) * EF + panel * FR);
  }
}

_Static_assert(ND % DR == 0 && EF % FR == 0 && AB % 16 == 0 && DR % LANES == 0, "whole tiles only");
