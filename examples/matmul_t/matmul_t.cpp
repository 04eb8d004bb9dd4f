#include "examples/catalogue.h"
#include "examples/plain.h"

namespace mdh::examples {
namespace {

using namespace hl::edsl;  // NOLINT(google-build-using-namespace): the paper's names

hl::Program matmul_t(const Instance& at) {
  const Type T = at.type;
  const auto [I, J, K] = sizes<3>(at);
  return named(
      "matmul_t",
      out_view(buffer("C", T).at([](Index i, Index j, Index) { return index(j, i); })) *
          md_hom({{"i", I}, {"j", J}, {"k", K}}, [](Scalars in) { return in["A"] * in["B"]; },
                 {cc(), cc(), pw(add)}) *
          inp_view(buffer("A", T).at([](Index i, Index, Index k) { return index(k, i); }),
                   buffer("B", T).at([](Index, Index j, Index k) { return index(j, k); })));
}

void plain_matmul_t(const Instance& at, std::span<void* const> buffers) {
  with_type(at.type, [&]<class T>() {
    const auto [I, J, K] = sizes<3>(at);
    const auto C = tensor_at<T>(buffers, 0, J, I);
    const auto A = tensor_at<T>(buffers, 1, K, I), B = tensor_at<T>(buffers, 2, J, K);
    for (int64_t j = 0; j < J; ++j) {
      for (int64_t i = 0; i < I; ++i) {
        C(j, i) = 0;
        for (int64_t k = 0; k < K; ++k) C(j, i) += A(k, i) * B(j, k);
      }
    }
  });
}

}  // namespace

Entry matmul_t_entry() {
  return {.name = "matmul_t",
          .summary = "product of transposed matrices, transposed: C^T = A^T B^T",
          .types = usual_types(),
          .sizes = {{"paper", {10, 500, 64}}},
          .build = matmul_t,
          .plain = plain_matmul_t};
}

}  // namespace mdh::examples
