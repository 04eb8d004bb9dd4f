// C = A B with tiles of A, and of B where that pays, copied into the order in which they are read.
// Threads share J. A tile of C is MR rows times NV vectors, in registers over one tile of k.
#include <omp.h>
#include <stdlib.h>

#include "bench/prototypes/vector.h"

#include "sizes.h"

#ifndef MR  // rows of the register tile
#define MR 8
#endif
#ifndef NV  // vectors in a row of the register tile; MR x NV accumulators, of 32 registers
#define NV 2
#endif
#ifndef TILE_I  // rows of A that are copied at once; the copy stays in the L1 or L2 cache
#define TILE_I 128
#endif
#ifndef TILE_J  // columns of B that are copied at once
#define TILE_J 512
#endif
#ifndef TILE_K  // depth of both copies
#define TILE_K 512
#endif
#ifndef PACK_B  // 0: B is read where it lies, which is right if it is read only once or twice
#define PACK_B 1
#endif
#ifndef COPY_ROWS  // rows of B that are copied before the next columns: strides may be powers of two
#define COPY_ROWS 8
#endif
#ifndef PREFETCH_ROWS  // rows of an unpacked B asked for in advance
#define PREFETCH_ROWS 0
#endif

#define NR (NV * LANES)
#define STRIDE_B (PACK_B ? NR : J)

typedef struct {
  float *a, *b;
} Copies;

static Copies copies_of_thread(void) {
  static __thread Copies copies;
  if (!copies.a) copies.a = aligned_alloc(64, sizeof(float) * TILE_K * (TILE_I + MR));
  if (!copies.b) copies.b = aligned_alloc(64, sizeof(float) * TILE_K * (TILE_J + NR));
  return copies;
}

/// A[rows][depth] -> [rows / MR][depth][MR], rows that are not there as zeros.
static void pack_a(float *to, const float *from, long rows, long depth) {
  for (long i = 0; i < rows; i += MR, to += MR * depth)
    for (long k = 0; k < depth; ++k)
      for (long m = 0; m < MR; ++m)
        to[k * MR + m] = i + m < rows ? from[(i + m) * K + k] : 0;
}

/// B[depth][columns] -> [columns / NR][depth][NR], columns that are not there as zeros.
static void pack_b(float *to, const float *from, long columns, long depth) {
  for (long first = 0; first < depth; first += COPY_ROWS)
    for (long j = 0; j < columns; j += NR)
      for (long k = first; k < smaller(first + COPY_ROWS, depth); ++k)
        if (j + NR <= columns) {
          UNROLLED for (long n = 0; n < NR; n += LANES)
              store(to + j * depth + k * NR + n, load(from + k * J + j + n));
        } else {
          for (long n = 0; n < NR; ++n)
            to[j * depth + k * NR + n] = j + n < columns ? from[k * J + j + n] : 0;
        }
}

/// A register tile over one tile of k: C = A B, or C += A B after the first.
INLINE void multiply(const float *a, const float *b, float *c, long stride, long depth, int first) {
  Vector sum[MR][NV];
  UNROLLED for (int m = 0; m < MR; ++m) UNROLLED for (int n = 0; n < NV; ++n)
      sum[m][n] = (Vector){0};
  for (long k = 0; k < depth; ++k, a += MR, b += STRIDE_B) {
    Vector left[(MR + LANES - 1) / LANES], right[NV];
    UNROLLED for (int m = 0; m < MR; m += LANES) left[m / LANES] = load(a + m);
    UNROLLED for (int n = 0; n < NV; ++n) right[n] = load(b + n * LANES);
    if (PREFETCH_ROWS) __builtin_prefetch(b + PREFETCH_ROWS * STRIDE_B);
    UNROLLED for (int m = 0; m < MR; ++m) UNROLLED for (int n = 0; n < NV; ++n)
        sum[m][n] += right[n] * left[m / LANES][m % LANES];
  }
  UNROLLED for (int m = 0; m < MR; ++m) UNROLLED for (int n = 0; n < NV; ++n) {
    float *at = c + m * stride + n * LANES;
    store(at, first ? sum[m][n] : load(at) + sum[m][n]);
  }
}

/// A tile at the edge: all of a packed one into memory of its own, then what of it is there.
static __attribute__((noinline)) void multiply_edge(const float *a, const float *b, float *c,
                                                    long rows, long columns, long depth,
                                                    int first) {
  float tile[MR][NR] = {};
  if (PACK_B) {
    multiply(a, b, &tile[0][0], NR, depth, 1);
  } else {
    for (long k = 0; k < depth; ++k)
      for (long m = 0; m < rows; ++m)
        for (long n = 0; n < columns; ++n) tile[m][n] += a[k * MR + m] * b[k * J + n];
  }
  for (long m = 0; m < rows; ++m)
    for (long n = 0; n < columns; ++n)
      c[m * J + n] = first ? tile[m][n] : c[m * J + n] + tile[m][n];
}

static void multiply_tile(const Copies *copies, const float *b, float *c, long rows, long columns,
                          long depth, int first) {
  for (long j = 0; j < columns; j += NR)
    for (long i = 0; i < rows; i += MR) {
      const float *left = copies->a + i * depth, *right = PACK_B ? copies->b + j * depth : b + j;
      if (i + MR <= rows && j + NR <= columns)
        multiply(left, right, c + i * J + j, J, depth, first);
      else
        multiply_edge(left, right, c + i * J + j, smaller(MR, rows - i), smaller(NR, columns - j),
                      depth, first);
    }
}

void run(void **buffers, char *workspace, long threads) {
  float *c = buffers[0];
  const float *a = buffers[1], *b = buffers[2];
  const long panels = (J + NR - 1) / NR;
#pragma omp parallel num_threads(threads)
  {
    const Copies copies = copies_of_thread();
    const long part = omp_get_thread_num(), parts = omp_get_num_threads();
    const long begin = NR * begin_of(panels, part, parts);
    const long end = smaller(J, NR * begin_of(panels, part + 1, parts));
    for (long j = begin; j < end; j += TILE_J)
      for (long k = 0; k < K; k += TILE_K) {
        const long columns = smaller(TILE_J, end - j), depth = smaller(TILE_K, K - k);
        if (PACK_B) pack_b(copies.b, b + k * J + j, columns, depth);
        for (long i = 0; i < I; i += TILE_I) {
          const long rows = smaller(TILE_I, I - i);
          pack_a(copies.a, a + i * K + k, rows, depth);
          multiply_tile(&copies, b + k * J + j, c + i * J + j, rows, columns, depth, k == 0);
        }
      }
  }
}
