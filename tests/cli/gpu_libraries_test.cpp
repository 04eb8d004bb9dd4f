// The peers of 'mdh bench gpu' that call libraries: are matrices, layouts and strides handed over as
// the libraries want them? The libraries are stubs on the host, where the memory of the fake GPU is.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "mdh/runtime/cuda/fake/host_gpu.h"
#include "mdh/support/files.h"
#include "tests/cli/tool.h"

namespace mdh::test::gpu_libraries_test {
namespace {

using nlohmann::json;

/// Column-major, as BLAS is. cuBLASLt proposes one algorithm, which fails.
const char* const fake_cublas = R"(
#include <cstddef>
#include <cstdint>
extern "C" {
typedef long long Step;
int cublasCreate_v2(void** h) { *h = h; return 0; }
int cublasGetVersion_v2(void*, int* v) { *v = 130102; return 0; }
int cublasSetStream_v2(void*, void*) { return 0; }
int cublasSetWorkspace_v2(void*, void* w, size_t n) { return w == nullptr || n == 0; }
static int pointer_mode;
int cublasSetPointerMode_v2(void*, int mode) { pointer_mode = mode; return 0; }
int cublasSdot_v2(void*, int n, const float* x, int, const float* y, int, float* result) {
  if (pointer_mode != 1) return 7;
  *result = 0;
  for (int i = 0; i < n; ++i) *result += x[i] * y[i];
  return 0;
}
int cublasSgemv_v2(void*, int t, int m, int n, const float*, const float* a, int lda,
                   const float* x, int, const float*, float* y, int) {
  for (int i = 0; i < (t ? n : m); ++i) {
    float sum = 0;
    for (int k = 0; k < (t ? m : n); ++k) sum += (t ? a[k + i * lda] : a[i + k * lda]) * x[k];
    y[i] = sum;
  }
  return 0;
}
int cublasSgemmStridedBatched(void*, int, int, int m, int n, int k, const float*, const float* a,
                              int lda, Step sa, const float* b, int ldb, Step sb, const float*,
                              float* c, int ldc, Step sc, int count) {
  for (int at = 0; at < count; ++at, a += sa, b += sb, c += sc)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < m; ++i) {
        float sum = 0;
        for (int l = 0; l < k; ++l) sum += a[i + l * lda] * b[l + j * ldb];
        c[i + j * ldc] = sum;
      }
  return 0;
}
int cublasSgemm_v2(void* h, int s, int t, int m, int n, int k, const float* one, const float* a,
                   int lda, const float* b, int ldb, const float* zero, float* c, int ldc) {
  return cublasSgemmStridedBatched(h, s, t, m, n, k, one, a, lda, 0, b, ldb, 0, zero, c, ldc, 0, 1);
}
int cublasGemmEx(...) { return 15; }
int cublasGemmStridedBatchedEx(...) { return 15; }
int cublasLtCreate(void** h) { *h = h; return 0; }
int cublasLtMatmulDescCreate(void** d, int, int) { *d = d; return 0; }
int cublasLtMatmulDescSetAttribute(void*, int, const void*, size_t) { return 0; }
int cublasLtMatrixLayoutCreate(void** l, int, uint64_t, uint64_t, int64_t) { *l = l; return 0; }
int cublasLtMatrixLayoutSetAttribute(void*, int, const void*, size_t) { return 0; }
int cublasLtMatmulPreferenceCreate(void** p) { *p = p; return 0; }
int cublasLtMatmulPreferenceSetAttribute(void*, int, const void*, size_t) { return 0; }
int cublasLtMatmulAlgoGetHeuristic(void*, void*, void*, void*, void*, void*, void*, int, void*,
                                   int* count) { *count = 1; return 0; }
int cublasLtMatmul(...) { return 15; }
}
)";

/// One algorithm, on layout NCHW only: what is transposed comes back in mdh's layout.
const char* const fake_cudnn = R"(
#include <cstddef>
struct Shape { int format, n, c, h, w;
  long at(int i, int j, int y, int x) const {
    return format == 0 ? ((i * long(c) + j) * h + y) * w + x : ((i * long(h) + y) * w + x) * c + j;
  } };
struct Convolution { int sh, sw, mode, math; };
extern "C" {
int cudnnCreate(void** h) { *h = h; return 0; }
size_t cudnnGetVersion() { return 91000; }
int cudnnSetStream(void*, void*) { return 0; }
int cudnnCreateTensorDescriptor(Shape** d) { *d = new Shape; return 0; }
int cudnnSetTensor4dDescriptor(Shape* d, int format, int, int n, int c, int h, int w) {
  *d = {format, n, c, h, w};
  return 0;
}
int cudnnCreateFilterDescriptor(Shape** d) { *d = new Shape; return 0; }
int cudnnSetFilter4dDescriptor(Shape* d, int, int format, int k, int c, int h, int w) {
  *d = {format, k, c, h, w};
  return 0;
}
int cudnnCreateConvolutionDescriptor(Convolution** d) { *d = new Convolution; return 0; }
int cudnnSetConvolution2dDescriptor(Convolution* d, int ph, int pw, int sh, int sw, int, int,
                                    int mode, int) {
  *d = {sh, sw, mode, 0};
  return ph | pw;
}
int cudnnSetConvolutionMathType(Convolution* d, int math) { d->math = math; return 0; }
int cudnnGetConvolutionForwardWorkspaceSize(void*, Shape* x, Shape*, Convolution*, Shape*,
                                            int algorithm, size_t* bytes) {
  *bytes = 8;
  return x->format == 0 && algorithm == 1 ? 0 : 3000;
}
int cudnnConvolutionForward(void*, const void*, Shape* x, const float* image, Shape* w,
                            const float* filter, Convolution* d, int, void* workspace, size_t,
                            const void*, Shape* y, float* out) {
  if (workspace == nullptr || d->mode != 1 || d->math != 3) return 3;
  for (int n = 0; n < y->n; ++n)
    for (int k = 0; k < y->c; ++k)
      for (int p = 0; p < y->h; ++p)
        for (int q = 0; q < y->w; ++q) {
          float sum = 0;
          for (int c = 0; c < w->c; ++c)
            for (int r = 0; r < w->h; ++r)
              for (int s = 0; s < w->w; ++s)
                sum += image[x->at(n, c, p * d->sh + r, q * d->sw + s)] * filter[w->at(k, c, r, s)];
          out[y->at(n, k, p, q)] = sum;
        }
  return 0;
}
int cudnnTransformTensor(void*, const void*, Shape* x, const float* from, const void*, Shape* y,
                         float* to) {
  for (int n = 0; n < x->n; ++n)
    for (int c = 0; c < x->c; ++c)
      for (int h = 0; h < x->h; ++h)
        for (int w = 0; w < x->w; ++w) to[y->at(n, c, h, w)] = from[x->at(n, c, h, w)];
  return 0;
}
}
)";

/// A stub under the name of a library, found before any real one.
class StubLibrary {
 public:
  StubLibrary(const std::string& file, const char* source) {
    write_file(folder_.path() / "stub.cpp", source);
    const Outcome o = run_command({"c++", "-std=c++17", "-shared", "-fPIC", "-w", "-o",
                                   folder_.path() / file, folder_.path() / "stub.cpp"});
    EXPECT_EQ(o.exit, 0) << describe(o);
    path_.emplace("LD_LIBRARY_PATH", folder_.path().string());
  }

 private:
  TemporaryDirectory folder_;
  std::optional<runtime::ScopedEnvironment> path_;
};

json measured(const std::string& workloads, const std::string& peer) {
  const runtime::cuda::HostGpu gpu;
  const TemporaryDirectory folder;
  const std::string file = folder.path() / "gpu.json";
  const Outcome o = mdh("bench gpu -q --quick --rounds 1 --caches warm --workloads " + workloads +
                        " --peers " + peer + " --json " + file);
  EXPECT_EQ(o.exit, 0) << describe(o);
  return json::parse(read_file(file))["workloads"];
}

void expect_right(const json& workloads, const std::string& about) {
  for (const json& workload : workloads) {
    const json peer = workload["candidates"][1];
    EXPECT_EQ(peer["standing"], "measured") << workload["name"] << peer;
    EXPECT_EQ(peer["exact_on_whole_numbers"], true) << workload["name"] << peer;
    EXPECT_TRUE(contains(peer["note"], about)) << peer;
  }
}

TEST(GpuLibraries, cublas_gets_row_major_matrices) {
  const StubLibrary cublas("libcublas.so.13", fake_cublas);
  const json workloads =
      measured("tiny_dot,tiny_matvec,tiny_vecmat,tiny_matmul,tiny_matmul_t,tiny_bmatmul", "cublas");
  ASSERT_EQ(workloads.size(), 6u);
  expect_right(workloads, "cuBLAS 13.1.2: cublasS");
}

TEST(GpuLibraries, cudnn_gets_strides_and_layouts) {
  const StubLibrary cudnn("libcudnn.so.9", fake_cudnn);
  const json workloads = measured("tiny_conv2d,tiny_mcc,tiny_mcc_staged", "cudnn");
  ASSERT_EQ(workloads.size(), 3u);
  expect_right(workloads, "cuDNN 91000: NCHW, implicit precomputed gemm, best of 1");
}

}  // namespace
}  // namespace mdh::test::gpu_libraries_test
