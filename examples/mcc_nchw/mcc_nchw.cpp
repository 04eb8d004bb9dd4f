#include "examples/catalogue.h"
#include "examples/plain.h"

namespace mdh::examples {
namespace {

using namespace hl::edsl;  // NOLINT(google-build-using-namespace): the paper's names

hl::Program mcc_nchw(const Instance& at) {
  const Type T = at.type;
  const auto [N, K, P, Q, C, R, S] = sizes<7>(at);
  const auto image = [](Index n, Index, Index p, Index q, Index c, Index r, Index s) {
    return index(n, c, p + r, q + s);
  };
  const auto filter = [](Index, Index k, Index, Index, Index c, Index r, Index s) {
    return index(k, c, r, s);
  };
  const auto result = [](Index n, Index k, Index p, Index q, Index, Index, Index) {
    return index(n, k, p, q);
  };
  return named("mcc_nchw",
               out_view(buffer("O", T).at(result)) *
                   md_hom({{"n", N}, {"k", K}, {"p", P}, {"q", Q}, {"c", C}, {"r", R}, {"s", S}},
                          [](Scalars in) { return in["I"] * in["F"]; },
                          {cc(), cc(), cc(), cc(), pw(add), pw(add), pw(add)}) *
                   inp_view(buffer("I", T).at(image), buffer("F", T).at(filter)));
}

template <class T>
T filtered_nchw(const Tensor<T, 4>& I, const Tensor<T, 4>& F, std::array<int64_t, 4> from) {
  const auto [K, C, R, S] = F.extents;
  const auto [n, k, p, q] = from;
  T sum = 0;
  for (int64_t c = 0; c < C; ++c) {
    for (int64_t r = 0; r < R; ++r) {
      for (int64_t s = 0; s < S; ++s) sum += I(n, c, p + r, q + s) * F(k, c, r, s);
    }
  }
  return sum;
}

void plain_mcc_nchw(const Instance& at, std::span<void* const> buffers) {
  with_type(at.type, [&]<class T>() {
    const auto [N, K, P, Q, C, R, S] = sizes<7>(at);
    const auto O = tensor_at<T>(buffers, 0, N, K, P, Q), F = tensor_at<T>(buffers, 2, K, C, R, S);
    const auto I = tensor_at<T>(buffers, 1, N, C, P + R - 1, Q + S - 1);
    for (int64_t n = 0; n < N; ++n) {
      for (int64_t k = 0; k < K; ++k) {
        for (int64_t p = 0; p < P; ++p) {
          for (int64_t q = 0; q < Q; ++q) O(n, k, p, q) = filtered_nchw(I, F, {n, k, p, q});
        }
      }
    }
  });
}

}  // namespace

Entry mcc_nchw_entry() {
  return {.name = "mcc_nchw",
          .summary = "multi-channel convolution, images NCHW",
          .types = usual_types(),
          .sizes = {{"paper", {1, 512, 7, 7, 512, 3, 3}}},
          .build = mcc_nchw,
          .plain = plain_mcc_nchw};
}

}  // namespace mdh::examples
