// OpenBLAS and BLIS as their users call them, through the C interface of BLAS. The library is opened
// at run time by the name in LIBRARY, so that neither headers nor a link to it are needed.
//
// A convolution copies its image first, one row per output pixel, and is then one product; the
// copy counts. Many small products run side by side, each on one thread: that is faster than one
// after the other on all threads.
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "sizes.h"

enum { row_major = 101, as_is = 111, transposed = 112 };

static void (*sgemm)(int, int, int, int, int, int, float, const float *, int, const float *, int,
                     float, float *, int);
static void (*sgemv)(int, int, int, int, float, const float *, int, const float *, int, float,
                     float *, int);
static float (*sdot)(int, const float *, int, const float *, int);
static void (*set_threads)(long);
static char description[400];

static void *symbol(void *library, const char *name) {
  return library ? dlsym(library, name) : 0;
}

static void describe(void *library) {
  const char *(*config)(void) = symbol(library, "openblas_get_config");
  const char *(*version)(void) = symbol(library, "bli_info_get_version_str");
  int (*kernels)(void) = symbol(library, "bli_arch_query_id");
  const char *(*name_of)(int) = symbol(library, "bli_arch_string");
  if (config) snprintf(description, sizeof(description), "%s", config());
  if (version && kernels && name_of)
    snprintf(description, sizeof(description), "BLIS %s, kernels %s", version(),
             name_of(kernels()));
}

/// Nothing if all is well, else why not.
const char *open_peer(long threads) {
  void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (!library) return "not installed (" LIBRARY ")";
  *(void **)&sgemm = symbol(library, "cblas_sgemm");
  *(void **)&sgemv = symbol(library, "cblas_sgemv");
  *(void **)&sdot = symbol(library, "cblas_sdot");
  *(void **)&set_threads = symbol(library, SET_THREADS);
  if (!sgemm || !sgemv || !sdot || !set_threads) return "lacks functions (" LIBRARY ")";
  describe(library);
  set_threads(threads);
  return 0;
}

const char *about(void) { return description; }

/// C[m][n] = A[m][k] B[k][n]
static void multiply(int m, int n, int k, const float *a, const float *b, float *c) {
  sgemm(row_major, as_is, as_is, m, n, k, 1, a, k, b, n, 0, c, n);
}

#if defined(PROGRAM_DOT)

void run(void **buffers, char *workspace, long threads) {
  *(float *)buffers[0] = sdot(K, buffers[1], 1, buffers[2], 1);
}

#elif defined(PROGRAM_MATVEC)

void run(void **buffers, char *workspace, long threads) {
  sgemv(row_major, as_is, I, K, 1, buffers[1], K, buffers[2], 1, 0, buffers[0], 1);
}

#elif defined(PROGRAM_MATMUL) && I == 1

void run(void **buffers, char *workspace, long threads) {
  sgemv(row_major, transposed, K, J, 1, buffers[2], J, buffers[1], 1, 0, buffers[0], 1);
}

#elif defined(PROGRAM_MATMUL)

void run(void **buffers, char *workspace, long threads) {
  multiply(I, J, K, buffers[1], buffers[2], buffers[0]);
}

#elif defined(PROGRAM_MATMUL_T)  // C[j][i] = B[j][k] A[k][i]

void run(void **buffers, char *workspace, long threads) {
  multiply(J, I, K, buffers[2], buffers[1], buffers[0]);
}

#elif defined(PROGRAM_BMATMUL)

void run(void **buffers, char *workspace, long threads) {
  float *C = buffers[0];
  const float *A = buffers[1], *B = buffers[2];
  set_threads(1);
#pragma omp parallel for num_threads(threads)
  for (int b = 0; b < NB; ++b)
    multiply(I, J, K, A + (long)b * I * K, B + (long)b * K * J, C + (long)b * I * J);
}

#elif defined(PROGRAM_MCC)  // O[npq][k] = columns[npq][rsc] F[k][rsc]

enum { pixels = N * P * Q, depth = R * S * C };

static float *columns_of(const float *image, long threads) {
  static float *columns;
  if (!columns) columns = aligned_alloc(64, ((size_t)pixels * depth * 4 + 63) / 64 * 64);
  const long height = SH * (P - 1) + R, width = SW * (Q - 1) + S;
#pragma omp parallel for num_threads(threads)
  for (long at = 0; at < pixels; ++at) {
    const long n = at / (P * Q), p = at / Q % P, q = at % Q;
    for (long r = 0; r < R; ++r) {
      const float *from = image + ((n * height + SH * p + r) * width + SW * q) * C;
      __builtin_memcpy(columns + at * depth + r * S * C, from, S * C * sizeof(float));
    }
  }
  return columns;
}

void run(void **buffers, char *workspace, long threads) {
  const float *columns = columns_of(buffers[1], threads);
  sgemm(row_major, as_is, transposed, pixels, K, depth, 1, columns, depth, buffers[2], depth, 0,
        buffers[0], K);
}

#elif defined(PROGRAM_CCSDT_GDAB_EFGC)

// C[a,b,c,d,e,f] for one c and one d is a matrix [ab][ef] = A[g][ab] B[ef][g]; c lies innermost in
// B, which is therefore copied to [c][ef][g] first.
enum { AB = NA * NB, EF = NE * NF };

void run(void **buffers, char *workspace, long threads) {
  static float packed[NC][EF][NG];
  float *result = buffers[0];
  const float *A = buffers[1], *B = buffers[2];
  set_threads(1);
#pragma omp parallel for num_threads(threads)
  for (int ef = 0; ef < EF; ++ef)
    for (int g = 0; g < NG; ++g)
      for (int c = 0; c < NC; ++c) packed[c][ef][g] = B[((long)ef * NG + g) * NC + c];
#pragma omp parallel for collapse(2) num_threads(threads)
  for (int c = 0; c < NC; ++c)
    for (int d = 0; d < ND; ++d)
      sgemm(row_major, transposed, transposed, AB, EF, NG, 1, A + (long)d * AB, ND * AB,
            &packed[c][0][0], NG, 0, result + ((long)c * ND + d) * EF, NC * ND * EF);
}

#endif
