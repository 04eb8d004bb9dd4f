// cuBLAS: its routines for vectors and matrices, its extended products and cuBLASLt with the
// algorithms that its heuristics propose. All in f32: neither TF32 nor emulation.
//
// Matrices are row-major. To cuBLAS, rows are columns and every matrix is transposed: it computes
// C^T = B^T A^T.
#include "bench/peers/gpu_library.h"
#include "sizes.h"

namespace {

using Handle = void*;
using Descriptor = void*;

enum { as_is = 0, transposed = 1 };
enum { host_scalars = 0, device_scalars = 1 };
enum { f32 = 0, default_algorithm = -1 };
enum { compute_f32 = 68, compute_f32_pedantic = 69 };
enum { desc_transa = 3, desc_transb = 4 };
enum { layout_batch_count = 5, layout_batch_offset = 6 };
enum { preference_workspace = 1 };

constexpr size_t workspace_size = size_t{64} << 20;
constexpr int proposals = 12;  // of the heuristics, for each kind of arithmetic

/// As in cublasLt.h.
struct Proposal {
  uint64_t algorithm[8];
  size_t workspace;
  int state;
  float waves;
  int reserved[4];
};

int (*create)(Handle*);
int (*get_version)(Handle, int*);
int (*set_stream)(Handle, void*);
int (*set_workspace)(Handle, void*, size_t);
int (*set_pointer_mode)(Handle, int);
int (*sdot)(Handle, int, const float*, int, const float*, int, float*);
int (*sgemv)(Handle, int, int, int, const float*, const float*, int, const float*, int,
             const float*, float*, int);
int (*sgemm_batched)(Handle, int, int, int, int, int, const float*, const float*, int, long long,
                     const float*, int, long long, const float*, float*, int, long long, int);
int (*sgemm)(Handle, int, int, int, int, int, const float*, const float*, int, const float*, int,
             const float*, float*, int);
int (*gemm_batched_ex)(Handle, int, int, int, int, int, const void*, const void*, int, int,
                       long long, const void*, int, int, long long, const void*, void*, int, int,
                       long long, int, int, int);
int (*gemm_ex)(Handle, int, int, int, int, int, const void*, const void*, int, int, const void*,
               int, int, const void*, void*, int, int, int, int);
int (*lt_desc_create)(Descriptor*, int, int);
int (*lt_desc_set)(Descriptor, int, const void*, size_t);
int (*lt_layout_create)(Descriptor*, int, uint64_t, uint64_t, int64_t);
int (*lt_layout_set)(Descriptor, int, const void*, size_t);
int (*lt_preference_create)(Descriptor*);
int (*lt_preference_set)(Descriptor, int, const void*, size_t);
int (*lt_heuristic)(Handle, Descriptor, Descriptor, Descriptor, Descriptor, Descriptor, Descriptor,
                    int, Proposal*, int*);
int (*lt_create)(Handle*);
int (*lt_matmul)(Handle, Descriptor, const void*, const void*, Descriptor, const void*, Descriptor,
                 const void*, const void*, Descriptor, void*, Descriptor, const void*, void*,
                 size_t, void*);

Handle handle, lt;
const float one = 1, zero = 0;

/// C[m][n] = A[m][k] B[k][n], as often as `batch` says, one behind the other in memory.
struct Product {
  int m, n, k, batch;
  const float *a, *b;
  float* c;
};

Product product_of(void** buffers) {
  auto* c = static_cast<float*>(buffers[0]);
  const auto *x = static_cast<const float*>(buffers[1]), *y = static_cast<const float*>(buffers[2]);
#if defined(PROGRAM_DOT)
  return {1, 1, K, 1, x, y, c};
#elif defined(PROGRAM_MATVEC)
  return {I, 1, K, 1, x, y, c};
#elif defined(PROGRAM_MATMUL)
  return {I, J, K, 1, x, y, c};
#elif defined(PROGRAM_MATMUL_T)  // C[j][i] = B[j][k] A[k][i]
  return {J, I, K, 1, y, x, c};
#elif defined(PROGRAM_BMATMUL)
  return {I, J, K, NB, x, y, c};
#endif
}

// ---- the three families

/// With one row or column, the routines for vectors.
int by_routine(const Product& p) {
  if (p.m == 1 && p.n == 1 && p.batch == 1) {
    set_pointer_mode(handle, device_scalars);
    const int status = sdot(handle, p.k, p.a, 1, p.b, 1, p.c);
    set_pointer_mode(handle, host_scalars);
    return status;
  }
  if (p.n == 1 && p.batch == 1) {
    return sgemv(handle, transposed, p.k, p.m, &one, p.a, p.k, p.b, 1, &zero, p.c, 1);
  }
  if (p.m == 1 && p.batch == 1) {
    return sgemv(handle, as_is, p.n, p.k, &one, p.b, p.n, p.a, 1, &zero, p.c, 1);
  }
  return 1;
}

int by_sgemm(const Product& p) {
  if (p.batch == 1) {
    return sgemm(handle, as_is, as_is, p.n, p.m, p.k, &one, p.b, p.n, p.a, p.k, &zero, p.c, p.n);
  }
  return sgemm_batched(handle, as_is, as_is, p.n, p.m, p.k, &one, p.b, p.n,
                       static_cast<long long>(p.k) * p.n, p.a, p.k,
                       static_cast<long long>(p.m) * p.k, &zero, p.c, p.n,
                       static_cast<long long>(p.m) * p.n, p.batch);
}

int by_gemm_ex(const Product& p) {
  if (p.batch == 1) {
    return gemm_ex(handle, as_is, as_is, p.n, p.m, p.k, &one, p.b, f32, p.n, p.a, f32, p.k, &zero,
                   p.c, f32, p.n, compute_f32_pedantic, default_algorithm);
  }
  return gemm_batched_ex(
      handle, as_is, as_is, p.n, p.m, p.k, &one, p.b, f32, p.n, static_cast<long long>(p.k) * p.n,
      p.a, f32, p.k, static_cast<long long>(p.m) * p.k, &zero, p.c, f32, p.n,
      static_cast<long long>(p.m) * p.n, p.batch, compute_f32_pedantic, default_algorithm);
}

/// One kind of arithmetic of cuBLASLt and what its heuristics propose.
struct Light {
  Descriptor operation = nullptr, a = nullptr, b = nullptr, c = nullptr;
  std::vector<Proposal> algorithms = {};
};

Descriptor layout(int rows, int columns, int batch) {
  Descriptor result = nullptr;
  lt_layout_create(&result, f32, static_cast<uint64_t>(rows), static_cast<uint64_t>(columns), rows);
  const int32_t count = batch;
  const int64_t offset = static_cast<int64_t>(rows) * columns;
  if (batch > 1) {
    lt_layout_set(result, layout_batch_count, &count, sizeof(count));
    lt_layout_set(result, layout_batch_offset, &offset, sizeof(offset));
  }
  return result;
}

Light light_for(const Product& p, int arithmetic) {
  Light light;
  const int32_t none = as_is;
  if (lt_desc_create(&light.operation, arithmetic, f32) != 0) return light;
  lt_desc_set(light.operation, desc_transa, &none, sizeof(none));
  lt_desc_set(light.operation, desc_transb, &none, sizeof(none));
  light.a = layout(p.n, p.k, p.batch);
  light.b = layout(p.k, p.m, p.batch);
  light.c = layout(p.n, p.m, p.batch);
  Descriptor preference = nullptr;
  lt_preference_create(&preference);
  const uint64_t bytes = workspace_size;
  lt_preference_set(preference, preference_workspace, &bytes, sizeof(bytes));
  light.algorithms.resize(proposals);
  int count = 0;
  lt_heuristic(lt, light.operation, light.a, light.b, light.c, light.c, preference, proposals,
               light.algorithms.data(), &count);
  light.algorithms.resize(static_cast<size_t>(count));
  return light;
}

int by_light(const Product& p, const Light& light, const Proposal& proposal, char* workspace,
             void* stream) {
  return lt_matmul(lt, light.operation, &one, p.b, light.a, p.a, light.b, &zero, p.c, light.c, p.c,
                   light.c, proposal.algorithm, workspace, workspace_size, stream);
}

// ---- ways

struct Way {
  std::string name;
  int (*routine)(const Product&);  // or
  const Light* light = nullptr;
  Proposal proposal = {};
};

Light lights[2];
std::vector<Way> ways;
size_t chosen;

void add_light(const Product& p, Light& light, int arithmetic, const char* name) {
  light = light_for(p, arithmetic);
  for (size_t n = 0; n < light.algorithms.size(); ++n) {
    if (light.algorithms[n].state != 0) continue;
    ways.push_back(
        {std::string(name) + " " + std::to_string(n), nullptr, &light, light.algorithms[n]});
  }
}

const char* routine_name(const Product& p) {
  return p.m == 1 && p.n == 1 ? "cublasSdot" : "cublasSgemv";
}

void find_functions(Symbols& find) {
  find(create, "cublasCreate_v2");
  find(get_version, "cublasGetVersion_v2");
  find(set_stream, "cublasSetStream_v2");
  find(set_workspace, "cublasSetWorkspace_v2");
  find(set_pointer_mode, "cublasSetPointerMode_v2");
  find(sdot, "cublasSdot_v2");
  find(sgemv, "cublasSgemv_v2");
  find(sgemm, "cublasSgemm_v2");
  find(sgemm_batched, "cublasSgemmStridedBatched");
  find(gemm_ex, "cublasGemmEx");
  find(gemm_batched_ex, "cublasGemmStridedBatchedEx");
  find(lt_create, "cublasLtCreate");
  find(lt_desc_create, "cublasLtMatmulDescCreate");
  find(lt_desc_set, "cublasLtMatmulDescSetAttribute");
  find(lt_layout_create, "cublasLtMatrixLayoutCreate");
  find(lt_layout_set, "cublasLtMatrixLayoutSetAttribute");
  find(lt_preference_create, "cublasLtMatmulPreferenceCreate");
  find(lt_preference_set, "cublasLtMatmulPreferenceSetAttribute");
  find(lt_heuristic, "cublasLtMatmulAlgoGetHeuristic");
  find(lt_matmul, "cublasLtMatmul");
}

}  // namespace

extern "C" {

const char* open_peer(long) {
  Symbols find{opened({"libcublas.so.13", "libcublas.so.12", "libcublas.so.11"})};
  if (find.library == nullptr) return "not installed (libcublas.so.11 to .13)";
  find_functions(find);
  if (!find.missing.empty()) return complaint("cuBLAS has no %s", find.missing.c_str());
  if (const int status = create(&handle)) return complaint("cublasCreate: status %d", status);
  if (const int status = lt_create(&lt)) return complaint("cublasLtCreate: status %d", status);
  int version = 0;
  get_version(handle, &version);
  std::snprintf(description, sizeof(description), "cuBLAS %d.%d.%d", version / 10000,
                version / 100 % 100, version % 100);
  return nullptr;
}

const char* about() { return description; }

long workspace_bytes() { return workspace_size; }

const char* load_peer(void** buffers, char*, void*) {
  if (!ways.empty()) return nullptr;
  const Product p = product_of(buffers);
  if ((p.m == 1 || p.n == 1) && p.batch == 1) ways.push_back({routine_name(p), by_routine});
  ways.push_back({p.batch > 1 ? "cublasSgemmStridedBatched" : "cublasSgemm", by_sgemm});
  ways.push_back({p.batch > 1 ? "cublasGemmStridedBatchedEx" : "cublasGemmEx", by_gemm_ex});
  add_light(p, lights[0], compute_f32, "cublasLtMatmul");
  add_light(p, lights[1], compute_f32_pedantic, "cublasLtMatmul pedantic");
  return nullptr;
}

long count_ways() { return static_cast<long>(ways.size()); }

const char* choose_way(long n) {
  chosen = static_cast<size_t>(n);
  return ways[chosen].name.c_str();
}

int run(void** buffers, char* workspace, void* stream) {
  const Product p = product_of(buffers);
  const Way& way = ways[chosen];
  if (way.light != nullptr) return by_light(p, *way.light, way.proposal, workspace, stream);
  if (const int status = set_stream(handle, stream)) return status;
  if (const int status = set_workspace(handle, workspace, workspace_size)) return status;
  return way.routine(p);
}
}
