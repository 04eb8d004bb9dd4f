// PyTorch as C++ programs call it: through the dispatcher of ATen, without autograd. Products write
// into the program's buffers. Convolutions run by oneDNN, with weights in the layout that it asks
// for, which are reordered once; they and einsum return a tensor of their own, which is copied to
// the program's buffer only when results are looked at, and never while it is measured.
#include <exception>
#include <string>

#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <ATen/core/List.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/dot.h>
#include <ATen/ops/einsum.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/mv.h>
#include <c10/core/InferenceMode.h>
#include <torch/headeronly/version.h>

#include "sizes.h"

namespace {

using at::Tensor;

#if defined(PROGRAM_CONV2D)
constexpr long N = 1, C = 1, K = 1, SH = 1, SW = 1;
#define PROGRAM_MCC
#endif

/// Views of the program's buffers, and what is made once.
struct Prepared {
  Tensor result, left, right;
  Tensor own;  // a result that is not in the program's buffer
};
Prepared* prepared;

Tensor view(void* data, at::IntArrayRef sizes) { return at::from_blob(data, sizes, at::kFloat); }

#if defined(PROGRAM_MCC)

constexpr const char* remark =
    ", convolution by oneDNN, weights prepacked; result in its own tensor";
constexpr long height = SH * (P - 1) + R, width = SW * (Q - 1) + S;
const int64_t padding[] = {0, 0}, strides[] = {SH, SW}, dilation[] = {1, 1};
constexpr int64_t groups = 1;

using Reorder = Tensor(const Tensor&, at::IntArrayRef, at::IntArrayRef, at::IntArrayRef, int64_t,
                       c10::OptionalArrayRef<int64_t>);
using Convolve = Tensor(const Tensor&, const Tensor&, const std::optional<Tensor>&, at::IntArrayRef,
                        at::IntArrayRef, at::IntArrayRef, int64_t, std::string_view,
                        c10::List<std::optional<at::Scalar>>, std::optional<std::string_view>);

template <class F>
c10::TypedOperatorHandle<F> operation(const char* name) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, "").typed<F>();
}

/// Images lie as [N][H][W][C]; to PyTorch that is [N][C][H][W] with other strides.
Tensor images(void* data, long n, long c, long h, long w) {
  return at::from_blob(data, {n, c, h, w}, {h * w * c, 1, w * c, c}, at::kFloat);
}

void prepare(void** buffers) {
  static const auto reorder = operation<Reorder>("mkldnn::_reorder_convolution_weight");
  const int64_t sizes[] = {N, C, height, width};
  prepared->result = images(buffers[0], N, K, P, Q);
  prepared->left = images(buffers[1], N, C, height, width);
  prepared->right = reorder.call(images(buffers[2], K, C, R, S), padding, strides, dilation, groups,
                                 c10::OptionalArrayRef<int64_t>(sizes));
}

void compute() {
  static const auto convolve = operation<Convolve>("mkldnn::_convolution_pointwise");
  static const c10::List<std::optional<at::Scalar>> no_scalars;
  prepared->own = convolve.call(prepared->left, prepared->right, std::nullopt, padding, strides,
                                dilation, groups, "none", no_scalars, "");
}

#elif defined(EINSUM)

constexpr const char* remark = ", einsum; result in its own tensor and layout";

void prepare(void** buffers) {
  prepared->result = view(buffers[0], {NA, NB, NC, ND, NE, NF});
  prepared->left = view(buffers[1], {LEFT_SIZES});
  prepared->right = view(buffers[2], {RIGHT_SIZES});
}

void compute() { prepared->own = at::einsum(EINSUM, {prepared->left, prepared->right}); }

#else

constexpr const char* remark = "";

void prepare(void** buffers) {
#if defined(PROGRAM_DOT)
  *prepared = {view(buffers[0], {}), view(buffers[1], {K}), view(buffers[2], {K}), {}};
#elif defined(PROGRAM_MATVEC)
  *prepared = {view(buffers[0], {I}), view(buffers[1], {I, K}), view(buffers[2], {K}), {}};
#elif defined(PROGRAM_MATMUL) && I == 1
  *prepared = {view(buffers[0], {J}), view(buffers[2], {K, J}).t(), view(buffers[1], {K}), {}};
#elif defined(PROGRAM_MATMUL)
  *prepared = {view(buffers[0], {I, J}), view(buffers[1], {I, K}), view(buffers[2], {K, J}), {}};
#elif defined(PROGRAM_MATMUL_T)
  *prepared = {view(buffers[0], {J, I}), view(buffers[2], {J, K}), view(buffers[1], {K, I}), {}};
#elif defined(PROGRAM_BMATMUL)
  *prepared = {
      view(buffers[0], {NB, I, J}), view(buffers[1], {NB, I, K}), view(buffers[2], {NB, K, J}), {}};
#endif
}

void compute() {
#if defined(PROGRAM_DOT)
  at::dot_out(prepared->result, prepared->left, prepared->right);
#elif defined(PROGRAM_MATVEC) || (defined(PROGRAM_MATMUL) && I == 1)
  at::mv_out(prepared->result, prepared->left, prepared->right);
#elif defined(PROGRAM_BMATMUL)
  at::bmm_out(prepared->result, prepared->left, prepared->right);
#else
  at::mm_out(prepared->result, prepared->left, prepared->right);
#endif
}

#endif

}  // namespace

extern "C" const char* open_peer(long threads) {
  at::set_num_threads(static_cast<int>(threads));
  prepared = new Prepared;
  return nullptr;
}

/// The first words: "Intel(R) MKL-DNN v3.10.2 (Git Hash ...".
static std::string shortened(const std::string& version) {
  return version.substr(0, version.find(" (Git"));
}

extern "C" const char* about() {
  static std::string text;
  text = "PyTorch " TORCH_VERSION " through ATen" + std::string(remark) + " (" +
         shortened(at::get_mkldnn_version()) + ", " + at::get_mkl_version() + ", kernels " +
         at::get_cpu_capability() + ")";
  return text.c_str();
}

/// Also new weights are reordered.
extern "C" void load_peer(void** buffers) {
  const c10::InferenceMode no_autograd;
  prepare(buffers);
}

extern "C" void run(void**, char*, long) {
  const c10::InferenceMode no_autograd;
  prepared->own.reset();  // its memory serves for the next result
  compute();
}

/// Results that the library keeps elsewhere, to the program's buffer.
extern "C" void store_peer(void**) {
  const c10::InferenceMode no_autograd;
  if (prepared->own.defined()) prepared->result.copy_(prepared->own);
}
