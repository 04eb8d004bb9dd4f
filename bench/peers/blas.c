// Libraries with the interface of BLAS, as their users call them: OpenBLAS, BLIS and oneMKL. The
// library is the first of LIBRARIES that can be opened at run time, so that neither headers nor a
// link to it are needed. Where it has no C interface, as the oneMKL inside of PyTorch, the Fortran
// one is called.
//
// A convolution copies its image first, one row per output pixel, and is then one product; the
// copy counts. Many small products are one call, if the library has one for that; else they run
// side by side, each on one thread: that is faster than one after the other on all threads.
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "sizes.h"

enum { row_major = 101, as_is = 111, transposed = 112 };

/// C[m][n] = A[m][k] B[k][n], each with the distance of its rows in memory; an operand may lie
/// there transposed.
struct Product {
  int a_lies, b_lies, m, n, k, a_rows, b_rows, c_rows;
};

static void (*sgemm)(int, int, int, int, int, int, float, const float *, int, const float *, int,
                     float, float *, int);
static void (*sgemv)(int, int, int, int, float, const float *, int, const float *, int, float,
                     float *, int);
static float (*sdot)(int, const float *, int, const float *, int);
static void (*sgemm_batch)(int, const int *, const int *, const int *, const int *, const int *,
                           const float *, const float **, const int *, const float **, const int *,
                           const float *, float **, const int *, int, const int *);

static void (*fortran_sgemm)(const char *, const char *, const int *, const int *, const int *,
                             const float *, const float *, const int *, const float *, const int *,
                             const float *, float *, const int *);
static void (*fortran_sgemv)(const char *, const int *, const int *, const float *, const float *,
                             const int *, const float *, const int *, const float *, float *,
                             const int *);
static float (*fortran_sdot)(const int *, const float *, const int *, const float *, const int *);

static void (*set_threads)(long);
static char description[400];

static const float one = 1, zero = 0;
static const int step = 1;

static void *first_library(void) {
  const char *names[] = {LIBRARIES};
  void *library = 0;
  for (size_t n = 0; n < sizeof(names) / sizeof(*names) && !library; ++n)
    library = dlopen(names[n], RTLD_NOW | RTLD_LOCAL);
  return library;
}

static void *thread_setter(void *library) {
  const char *names[] = {SET_THREADS};
  void *found = 0;
  for (size_t n = 0; n < sizeof(names) / sizeof(*names) && !found; ++n)
    found = dlsym(library, names[n]);
  return found;
}

static void describe(void *library) {
  const char *(*config)(void) = dlsym(library, "openblas_get_config");
  const char *(*version)(void) = dlsym(library, "bli_info_get_version_str");
  int (*kernels)(void) = dlsym(library, "bli_arch_query_id");
  const char *(*name_of)(int) = dlsym(library, "bli_arch_string");
  void (*mkl_version)(char *, int) = dlsym(library, "MKL_Get_Version_String");
  if (config) snprintf(description, sizeof(description), "%s", config());
  if (version && kernels && name_of)
    snprintf(description, sizeof(description), "BLIS %s, kernels %s", version(),
             name_of(kernels()));
  if (mkl_version) {
    mkl_version(description, sizeof(description) - 1);
    char *end = description + sizeof(description) - 1;
    while (end > description && (*end == 0 || *end == ' ' || *end == '\n')) *end-- = 0;
  }
}

static int find_functions(void *library) {
  *(void **)&sgemm = dlsym(library, "cblas_sgemm");
  *(void **)&sgemv = dlsym(library, "cblas_sgemv");
  *(void **)&sdot = dlsym(library, "cblas_sdot");
  *(void **)&fortran_sgemm = dlsym(library, "sgemm_");
  *(void **)&fortran_sgemv = dlsym(library, "sgemv_");
  *(void **)&fortran_sdot = dlsym(library, "sdot_");
#ifdef BATCH
  *(void **)&sgemm_batch = dlsym(library, BATCH);
#endif
  *(void **)&set_threads = thread_setter(library);
  return (sgemm || fortran_sgemm) && (sgemv || fortran_sgemv) && (sdot || fortran_sdot) &&
         set_threads;
}

/// Nothing if all is well, else why not.
const char *open_peer(long threads) {
  // oneMKL must use the threads of this file, not a second pool. Inside of PyTorch it does anyway:
  // there is one libgomp in a process.
  setenv("MKL_THREADING_LAYER", "GNU", 1);
  void *library = first_library();
  if (!library) {
    snprintf(description, sizeof(description), "not installed (%s%s)", dlerror(), NO_FURTHER);
    return description;
  }
  if (!find_functions(library)) return "lacks functions (" NAME ")";
  describe(library);
  set_threads(threads);
  return 0;
}

const char *about(void) { return description; }

static const char *letter(int lies) { return lies == as_is ? "N" : "T"; }

/// To Fortran, rows are columns and every matrix is transposed: it computes C^T = B^T A^T.
static void product(const struct Product *p, const float *a, const float *b, float *c) {
  if (sgemm)
    sgemm(row_major, p->a_lies, p->b_lies, p->m, p->n, p->k, one, a, p->a_rows, b, p->b_rows, zero,
          c, p->c_rows);
  else
    fortran_sgemm(letter(p->b_lies), letter(p->a_lies), &p->n, &p->m, &p->k, &one, b, &p->b_rows, a,
                  &p->a_rows, &zero, c, &p->c_rows);
}

static void all_products(const struct Product *p, int count, const float **a, const float **b,
                         float **c, long threads) {
  if (sgemm_batch) {
    sgemm_batch(row_major, &p->a_lies, &p->b_lies, &p->m, &p->n, &p->k, &one, a, &p->a_rows, b,
                &p->b_rows, &zero, c, &p->c_rows, 1, &count);
    return;
  }
  set_threads(1);
#pragma omp parallel for num_threads(threads)
  for (int n = 0; n < count; ++n) product(p, a[n], b[n], c[n]);
}

/// The matrix has m rows of n elements.
static void matrix_vector(int lies, int m, int n, const float *matrix, const float *x, float *y) {
  if (sgemv)
    sgemv(row_major, lies, m, n, one, matrix, n, x, step, zero, y, step);
  else
    fortran_sgemv(letter(lies == as_is ? transposed : as_is), &n, &m, &one, matrix, &n, x, &step,
                  &zero, y, &step);
}

static float dot(int n, const float *x, const float *y) {
  return sdot ? sdot(n, x, step, y, step) : fortran_sdot(&n, x, &step, y, &step);
}

/// C[m][n] = A[m][k] B[k][n]
static void multiply(int m, int n, int k, const float *a, const float *b, float *c) {
  product(&(struct Product){as_is, as_is, m, n, k, k, n, n}, a, b, c);
}

#if defined(PROGRAM_DOT)

void run(void **buffers, char *workspace, long threads) {
  *(float *)buffers[0] = dot(K, buffers[1], buffers[2]);
}

#elif defined(PROGRAM_MATVEC)

void run(void **buffers, char *workspace, long threads) {
  matrix_vector(as_is, I, K, buffers[1], buffers[2], buffers[0]);
}

#elif defined(PROGRAM_MATMUL) && I == 1

void run(void **buffers, char *workspace, long threads) {
  matrix_vector(transposed, K, J, buffers[2], buffers[1], buffers[0]);
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
  float *C = buffers[0], *c[NB];
  const float *A = buffers[1], *B = buffers[2], *a[NB], *b[NB];
  for (long n = 0; n < NB; ++n) {
    a[n] = A + n * I * K;
    b[n] = B + n * K * J;
    c[n] = C + n * I * J;
  }
  all_products(&(struct Product){as_is, as_is, I, J, K, K, J, J}, NB, a, b, c, threads);
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
  product(&(struct Product){as_is, transposed, pixels, K, depth, depth, depth, K}, columns,
          buffers[2], buffers[0]);
}

#elif defined(PROGRAM_CCSDT_GDAB_EFGC)

// C[a,b,c,d,e,f] for one c and one d is a matrix [ab][ef] = A[g][ab] B[ef][g]; c lies innermost in
// B, which is therefore copied to [c][ef][g] first.
enum { AB = NA * NB, EF = NE * NF, CD = NC * ND };

void run(void **buffers, char *workspace, long threads) {
  static float packed[NC][EF][NG];
  float *result = buffers[0], *all_c[CD];
  const float *A = buffers[1], *B = buffers[2], *all_a[CD], *all_b[CD];
#pragma omp parallel for num_threads(threads)
  for (int ef = 0; ef < EF; ++ef)
    for (int g = 0; g < NG; ++g)
      for (int c = 0; c < NC; ++c) packed[c][ef][g] = B[((long)ef * NG + g) * NC + c];
  for (long cd = 0; cd < CD; ++cd) {
    all_a[cd] = A + cd % ND * AB;
    all_b[cd] = &packed[cd / ND][0][0];
    all_c[cd] = result + cd * EF;
  }
  all_products(&(struct Product){transposed, transposed, AB, EF, NG, ND * AB, NG, CD * EF}, CD,
               all_a, all_b, all_c, threads);
}

#endif
