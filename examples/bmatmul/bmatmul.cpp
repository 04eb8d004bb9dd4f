#include "examples/catalogue.h"
#include "examples/plain.h"

namespace mdh::examples {
namespace {

using namespace hl::edsl;  // NOLINT(google-build-using-namespace): the paper's names

hl::Program bmatmul(const Instance& at) {
  const Type T = at.type;
  const auto [NB, I, J, K] = sizes<4>(at);
  return named(
      "bmatmul",
      out_view(buffer("C", T).at([](Index b, Index i, Index j, Index) { return index(b, i, j); })) *
          md_hom({{"b", NB}, {"i", I}, {"j", J}, {"k", K}},
                 [](Scalars in) { return in["A"] * in["B"]; }, {cc(), cc(), cc(), pw(add)}) *
          inp_view(
              buffer("A", T).at([](Index b, Index i, Index, Index k) { return index(b, i, k); }),
              buffer("B", T).at([](Index b, Index, Index j, Index k) { return index(b, k, j); })));
}

template <class T>
void multiply(const Tensor<T, 3>& C, const Tensor<T, 3>& A, const Tensor<T, 3>& B, int64_t b) {
  const auto [NB, I, J] = C.extents;
  const int64_t K = A.extents[2];
  for (int64_t i = 0; i < I; ++i) {
    for (int64_t j = 0; j < J; ++j) {
      C(b, i, j) = 0;
      for (int64_t k = 0; k < K; ++k) C(b, i, j) += A(b, i, k) * B(b, k, j);
    }
  }
}

void plain_bmatmul(const Instance& at, std::span<void* const> buffers) {
  with_type(at.type, [&]<class T>() {
    const auto [NB, I, J, K] = sizes<4>(at);
    const auto C = tensor_at<T>(buffers, 0, NB, I, J);
    const auto A = tensor_at<T>(buffers, 1, NB, I, K), B = tensor_at<T>(buffers, 2, NB, K, J);
    for (int64_t b = 0; b < NB; ++b) multiply(C, A, B, b);
  });
}

}  // namespace

Entry bmatmul_entry() {
  return {.name = "bmatmul",
          .summary = "a batch of matrix products, C[b] = A[b] B[b]",
          .types = usual_types(),
          .sizes = {{"paper", {16, 10, 500, 64}}},
          .build = bmatmul,
          .plain = plain_bmatmul};
}

}  // namespace mdh::examples
