#include "examples/mcc/mcc.h"

#include "examples/plain.h"

namespace mdh::examples {
namespace {

using namespace hl::edsl;  // NOLINT(google-build-using-namespace): the paper's names

template <class T>
T filtered(const Tensor<T, 4>& I, const Tensor<T, 4>& F, std::array<int64_t, 4> from) {
  const auto [K, R, S, C] = F.extents;
  const auto [n, h, w, k] = from;
  T sum = 0;
  for (int64_t r = 0; r < R; ++r) {
    for (int64_t s = 0; s < S; ++s) {
      for (int64_t c = 0; c < C; ++c) sum += I(n, h + r, w + s, c) * F(k, r, s, c);
    }
  }
  return sum;
}

}  // namespace

hl::Program mcc_program(const std::string& name, const Instance& at, Stride stride) {
  const Type T = at.type;
  const auto [N, P, Q, K, R, S, C] = sizes<7>(at);
  const auto [h, w] = stride;
  const auto image = [h = h, w = w](Index n, Index p, Index q, Index, Index r, Index s, Index c) {
    return index(n, h * p + r, w * q + s, c);
  };
  const auto filter = [](Index, Index, Index, Index k, Index r, Index s, Index c) {
    return index(k, r, s, c);
  };
  const auto result = [](Index n, Index p, Index q, Index k, Index, Index, Index) {
    return index(n, p, q, k);
  };
  return named(name,
               out_view(buffer("O", T).at(result)) *
                   md_hom({{"n", N}, {"p", P}, {"q", Q}, {"k", K}, {"r", R}, {"s", S}, {"c", C}},
                          [](Scalars in) { return in["I"] * in["F"]; },
                          {cc(), cc(), cc(), cc(), pw(add), pw(add), pw(add)}) *
                   inp_view(buffer("I", T).at(image), buffer("F", T).at(filter)));
}

void plain_mcc(const Instance& at, std::span<void* const> buffers, Stride stride) {
  with_type(at.type, [&]<class T>() {
    const auto [N, P, Q, K, R, S, C] = sizes<7>(at);
    const int64_t H = stride.h * (P - 1) + R, W = stride.w * (Q - 1) + S;
    const auto O = tensor_at<T>(buffers, 0, N, P, Q, K);
    const auto I = tensor_at<T>(buffers, 1, N, H, W, C), F = tensor_at<T>(buffers, 2, K, R, S, C);
    for (int64_t n = 0; n < N; ++n) {
      for (int64_t p = 0; p < P; ++p) {
        for (int64_t q = 0; q < Q; ++q) {
          for (int64_t k = 0; k < K; ++k) {
            O(n, p, q, k) = filtered(I, F, {n, stride.h * p, stride.w * q, k});
          }
        }
      }
    }
  });
}

Entry mcc_entry() {
  return {.name = "mcc",
          .summary = "multi-channel convolution, images NHWC",
          .types = usual_types(),
          // VGG-16, training and inference
          .sizes = {{"paper", {16, 224, 224, 64, 3, 3, 3}}, {"paper2", {1, 224, 224, 64, 3, 3, 3}}},
          .build = [](const Instance& at) { return mcc_program("mcc", at, {}); },
          .plain = [](const Instance& at,
                      std::span<void* const> buffers) { plain_mcc(at, buffers, {}); }};
}

}  // namespace mdh::examples
