#include "examples/catalogue.h"
#include "examples/plain.h"

namespace mdh::examples {
namespace {

using namespace hl::edsl;  // NOLINT(google-build-using-namespace): the paper's names

hl::Program matmul(Type T, Size I, Size J, Size K) {
  return out_view(buffer("C", T).at([](Index i, Index j, Index) { return index(i, j); })) *
         md_hom({{"i", I}, {"j", J}, {"k", K}}, [](Scalars in) { return in["A"] * in["B"]; },
                {cc(), cc(), pw(add)}) *
         inp_view(buffer("A", T).at([](Index i, Index, Index k) { return index(i, k); }),
                  buffer("B", T).at([](Index, Index j, Index k) { return index(k, j); }));
}

void plain_matmul(const Instance& at, std::span<void* const> buffers) {
  with_type(at.type, [&]<class T>() {
    const int64_t I = at.sizes[0], J = at.sizes[1], K = at.sizes[2];
    const T *A = buffer_at<T>(buffers, 1), *B = buffer_at<T>(buffers, 2);
    T* C = buffer_at<T>(buffers, 0);
    for (int64_t i = 0; i < I; ++i) {
      for (int64_t j = 0; j < J; ++j) {
        C[i * J + j] = 0;
        for (int64_t k = 0; k < K; ++k) C[i * J + j] += A[i * K + k] * B[k * J + j];
      }
    }
  });
}

}  // namespace

Entry matmul_entry() {
  return {.name = "matmul",
          .summary = "matrix product, C = A B",
          .types = usual_types(),
          // 3 and 4: ResNet-50, training and inference; 5 and 6: VGG-16
          .sizes = {{"paper", {10, 500, 64}},
                    {"paper2", {1024, 1024, 1024}},
                    {"paper3", {16, 1000, 2048}},
                    {"paper4", {1, 1000, 2048}},
                    {"paper5", {16, 4096, 25088}},
                    {"paper6", {1, 4096, 25088}}},
          .build =
              [](const Instance& at) {
                return named("matmul", matmul(at.type, at.sizes[0], at.sizes[1], at.sizes[2]));
              },
          .plain = plain_matmul};
}

}  // namespace mdh::examples
