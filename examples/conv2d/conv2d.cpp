#include "examples/catalogue.h"
#include "examples/plain.h"

namespace mdh::examples {
namespace {

using namespace hl::edsl;  // NOLINT(google-build-using-namespace): the paper's names

hl::Program conv2d(const Instance& at) {
  const Type T = at.type;
  const auto [P, Q, R, S] = sizes<4>(at);
  return named(
      "conv2d",
      out_view(buffer("O", T).at([](Index p, Index q, Index, Index) { return index(p, q); })) *
          md_hom({{"p", P}, {"q", Q}, {"r", R}, {"s", S}},
                 [](Scalars in) { return in["I"] * in["F"]; }, {cc(), cc(), pw(add), pw(add)}) *
          inp_view(buffer("I", T).at(
                       [](Index p, Index q, Index r, Index s) { return index(p + r, q + s); }),
                   buffer("F", T).at([](Index, Index, Index r, Index s) { return index(r, s); })));
}

template <class T>
T filtered(const Tensor<T, 2>& I, const Tensor<T, 2>& F, int64_t p, int64_t q) {
  const auto [R, S] = F.extents;
  T sum = 0;
  for (int64_t r = 0; r < R; ++r) {
    for (int64_t s = 0; s < S; ++s) sum += I(p + r, q + s) * F(r, s);
  }
  return sum;
}

void plain_conv2d(const Instance& at, std::span<void* const> buffers) {
  with_type(at.type, [&]<class T>() {
    const auto [P, Q, R, S] = sizes<4>(at);
    const auto O = tensor_at<T>(buffers, 0, P, Q), F = tensor_at<T>(buffers, 2, R, S);
    const auto I = tensor_at<T>(buffers, 1, P + R - 1, Q + S - 1);
    for (int64_t p = 0; p < P; ++p) {
      for (int64_t q = 0; q < Q; ++q) O(p, q) = filtered(I, F, p, q);
    }
  });
}

}  // namespace

Entry conv2d_entry() {
  return {.name = "conv2d",
          .summary = "convolution of an image, O[p, q] = sum of I[p+r, q+s] * F[r, s]",
          .types = usual_types(),
          .sizes = {{"paper", {224, 224, 5, 5}}, {"paper2", {4096, 4096, 5, 5}}},
          .build = conv2d,
          .plain = plain_conv2d};
}

}  // namespace mdh::examples
