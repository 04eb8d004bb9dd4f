#include "examples/catalogue.h"
#include "examples/plain.h"

namespace mdh::examples {
namespace {

using namespace hl::edsl;  // NOLINT(google-build-using-namespace): the paper's names

hl::Program dot(Type T, Size K) {
  return out_view(buffer("C", T).at([](Index) { return index(); })) *
         md_hom({{"k", K}}, [](Scalars in) { return in["A"] * in["B"]; }, {pw(add)}) *
         inp_view(buffer("A", T).at([](Index k) { return index(k); }),
                  buffer("B", T).at([](Index k) { return index(k); }));
}

void plain_dot(const Instance& at, std::span<void* const> buffers) {
  with_type(at.type, [&]<class T>() {
    const T *A = buffer_at<T>(buffers, 1), *B = buffer_at<T>(buffers, 2);
    T sum = 0;
    for (int64_t k = 0; k < at.sizes[0]; ++k) sum += A[k] * B[k];
    *buffer_at<T>(buffers, 0) = sum;
  });
}

}  // namespace

Entry dot_entry() {
  return {.name = "dot",
          .summary = "dot product, C = sum of A[k] * B[k]",
          .types = usual_types(),
          .sizes = {{"paper", {1 << 24}}, {"paper2", {10000000}}},
          .build = [](const Instance& at) { return named("dot", dot(at.type, at.sizes[0])); },
          .plain = plain_dot};
}

}  // namespace mdh::examples
