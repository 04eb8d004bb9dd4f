// cuDNN: a convolution by each of its algorithms, on images NCHW and NHWC. All in f32 with fused
// multiply-add (CUDNN_FMA_MATH): no TF32. mdh's data are NHWC, filters KRSC; what is transposed for
// NCHW, and the result back, is not counted.
#include "bench/peers/gpu_library.h"
#include "sizes.h"

#ifdef PROGRAM_CONV2D  // one image, one channel
#define N 1
#define C 1
#define K 1
#define SH 1
#define SW 1
#endif

namespace {

using Handle = void*;
using Descriptor = void*;

enum { nchw = 0, nhwc = 1 };
enum { f32 = 0, cross_correlation = 1, fma_math = 3 };
enum { height = SH * (P - 1) + R, width = SW * (Q - 1) + S };

constexpr size_t workspace_size = size_t{1} << 30;
constexpr size_t image_floats = size_t{N} * height * width * C,
                 filter_floats = size_t{K} * R * S * C, result_floats = size_t{N} * P * Q * K;

const char* const algorithm_names[] = {
    "implicit gemm", "implicit precomputed gemm", "gemm", "direct", "FFT", "tiled FFT",
    "Winograd",      "Winograd, not fused"};
constexpr int algorithms = 8;

int (*create)(Handle*);
size_t (*get_version)();
int (*set_stream)(Handle, void*);
int (*create_tensor)(Descriptor*);
int (*set_tensor)(Descriptor, int, int, int, int, int, int);
int (*create_filter)(Descriptor*);
int (*set_filter)(Descriptor, int, int, int, int, int, int);
int (*create_convolution)(Descriptor*);
int (*set_convolution)(Descriptor, int, int, int, int, int, int, int, int);
int (*set_math)(Descriptor, int);
int (*forward_workspace)(Handle, Descriptor, Descriptor, Descriptor, Descriptor, int, size_t*);
int (*forward)(Handle, const void*, Descriptor, const void*, Descriptor, const void*, Descriptor,
               int, void*, size_t, const void*, Descriptor, void*);
int (*transform)(Handle, const void*, Descriptor, const void*, const void*, Descriptor, void*);

Handle handle;
Descriptor convolution;
const float one = 1, zero = 0;

/// The descriptors of one layout; filters also as tensors, which can be transposed.
struct Layout {
  Descriptor image, filter, filter_tensor, result;
};
Layout layouts[2];

/// What lies in the workspace, before what algorithms use: transposed image, filter and result.
struct Transposed {
  float *image, *filter, *result;
};

size_t rounded(size_t floats) { return (floats * sizeof(float) + 255) / 256 * 256; }

Transposed in(char* workspace) {
  char* filter = workspace + rounded(image_floats);
  char* result = filter + rounded(filter_floats);
  return {reinterpret_cast<float*>(workspace), reinterpret_cast<float*>(filter),
          reinterpret_cast<float*>(result)};
}

size_t transposed_bytes() {
  return rounded(image_floats) + rounded(filter_floats) + rounded(result_floats);
}

int make_layout(int format) {
  Layout& l = layouts[format];
  int status = create_tensor(&l.image) | create_tensor(&l.result) | create_filter(&l.filter) |
               create_tensor(&l.filter_tensor);
  status |= set_tensor(l.image, format, f32, N, C, height, width);
  status |= set_tensor(l.result, format, f32, N, K, P, Q);
  status |= set_tensor(l.filter_tensor, format, f32, K, C, R, S);
  status |= set_filter(l.filter, f32, format, K, C, R, S);
  return status;
}

void find_functions(Symbols& find) {
  find(create, "cudnnCreate");
  find(get_version, "cudnnGetVersion");
  find(set_stream, "cudnnSetStream");
  find(create_tensor, "cudnnCreateTensorDescriptor");
  find(set_tensor, "cudnnSetTensor4dDescriptor");
  find(create_filter, "cudnnCreateFilterDescriptor");
  find(set_filter, "cudnnSetFilter4dDescriptor");
  find(create_convolution, "cudnnCreateConvolutionDescriptor");
  find(set_convolution, "cudnnSetConvolution2dDescriptor");
  find(set_math, "cudnnSetConvolutionMathType");
  find(forward_workspace, "cudnnGetConvolutionForwardWorkspaceSize");
  find(forward, "cudnnConvolutionForward");
  find(transform, "cudnnTransformTensor");
}

// ---- ways

struct Way {
  int layout, algorithm;
};
Way chosen;
std::string name_of_way;

}  // namespace

extern "C" {

const char* open_peer(long) {
  Symbols find{opened({"libcudnn.so.9", "libcudnn.so.8"})};
  if (find.library == nullptr) return "not installed (libcudnn.so.8 or .9)";
  find_functions(find);
  if (!find.missing.empty()) return complaint("cuDNN has no %s", find.missing.c_str());
  if (const int status = create(&handle)) return complaint("cudnnCreate: status %d", status);
  int status = create_convolution(&convolution);
  status |= set_convolution(convolution, 0, 0, SH, SW, 1, 1, cross_correlation, f32);
  status |= set_math(convolution, fma_math);
  status |= make_layout(nchw) | make_layout(nhwc);
  if (status != 0) return complaint("cuDNN refuses the sizes: status %d", status);
  std::snprintf(description, sizeof(description), "cuDNN %zu", get_version());
  return nullptr;
}

const char* about() { return description; }

long workspace_bytes() { return static_cast<long>(transposed_bytes() + workspace_size); }

const char* load_peer(void** buffers, char* workspace, void* stream) {
  set_stream(handle, stream);
  const Transposed to = in(workspace);
  int status = transform(handle, &one, layouts[nhwc].image, buffers[1], &zero, layouts[nchw].image,
                         to.image);
  status |= transform(handle, &one, layouts[nhwc].filter_tensor, buffers[2], &zero,
                      layouts[nchw].filter_tensor, to.filter);
  return status == 0 ? nullptr : complaint("cudnnTransformTensor: status %d", status);
}

long count_ways() { return 2 * algorithms; }

const char* choose_way(long n) {
  chosen = {static_cast<int>(n / algorithms), static_cast<int>(n % algorithms)};
  const Layout& l = layouts[chosen.layout];
  size_t bytes = 0;
  if (forward_workspace(handle, l.image, l.filter, convolution, l.result, chosen.algorithm,
                        &bytes) != 0 ||
      bytes > workspace_size) {
    return nullptr;
  }
  name_of_way =
      std::string(chosen.layout == nchw ? "NCHW, " : "NHWC, ") + algorithm_names[chosen.algorithm];
  return name_of_way.c_str();
}

int run(void** buffers, char* workspace, void* stream) {
  const Layout& l = layouts[chosen.layout];
  const Transposed from = in(workspace);
  const bool is_first = chosen.layout == nchw;
  if (const int status = set_stream(handle, stream)) return status;
  return forward(handle, &one, l.image, is_first ? from.image : buffers[1], l.filter,
                 is_first ? from.filter : buffers[2], convolution, chosen.algorithm,
                 workspace + transposed_bytes(), workspace_size, &zero, l.result,
                 is_first ? from.result : buffers[0]);
}

const char* store_peer(void** buffers, char* workspace, void* stream) {
  if (chosen.layout != nchw) return nullptr;
  set_stream(handle, stream);
  const int status = transform(handle, &one, layouts[nchw].result, in(workspace).result, &zero,
                               layouts[nhwc].result, buffers[0]);
  return status == 0 ? nullptr : complaint("cudnnTransformTensor: status %d", status);
}
}
