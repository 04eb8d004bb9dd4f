#include "examples/catalogue.h"
#include "examples/plain.h"

namespace mdh::examples {
namespace {

using namespace hl::edsl;  // NOLINT(google-build-using-namespace): the paper's names

hl::Program matvec(Type T, Size I, Size K) {
  return out_view(buffer("w", T).at([](Index i, Index) { return index(i); })) *
         md_hom({{"i", I}, {"k", K}}, [](Scalars in) { return in["M"] * in["v"]; },
                {cc(), pw(add)}) *
         inp_view(buffer("M", T).at([](Index i, Index k) { return index(i, k); }),
                  buffer("v", T).at([](Index, Index k) { return index(k); }));
}

void plain_matvec(const Instance& at, std::span<void* const> buffers) {
  with_type(at.type, [&]<class T>() {
    const int64_t I = at.sizes[0], K = at.sizes[1];
    const T *M = buffer_at<T>(buffers, 1), *v = buffer_at<T>(buffers, 2);
    T* w = buffer_at<T>(buffers, 0);
    for (int64_t i = 0; i < I; ++i) {
      w[i] = 0;
      for (int64_t k = 0; k < K; ++k) w[i] += M[i * K + k] * v[k];
    }
  });
}

}  // namespace

Entry matvec_entry() {
  return {.name = "matvec",
          .summary = "matrix-vector product, w = M v",
          .types = usual_types(),
          .sizes = {{"paper", {4096, 4096}}, {"paper2", {8192, 8192}}},
          .build =
              [](const Instance& at) {
                return named("matvec", matvec(at.type, at.sizes[0], at.sizes[1]));
              },
          .plain = plain_matvec};
}

}  // namespace mdh::examples
