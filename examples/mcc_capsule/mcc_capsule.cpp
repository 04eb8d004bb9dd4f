#include "examples/catalogue.h"
#include "examples/plain.h"

namespace mdh::examples {
namespace {

using namespace hl::edsl;  // NOLINT(google-build-using-namespace): the paper's names

hl::Program mcc_capsule(const Instance& at) {
  const Type T = at.type;
  const auto [N, P, Q, K, R, S, C, MI, MJ, MK] = sizes<10>(at);
  const int64_t SH = at.setting("SH", 1), SW = at.setting("SW", 1);
  const auto image = [=](Index n, Index p, Index q, Index, Index r, Index s, Index c, Index mi,
                         Index, Index mk) { return index(n, SH * p + r, SW * q + s, c, mi, mk); };
  const auto filter = [](Index, Index, Index, Index k, Index r, Index s, Index c, Index, Index mj,
                         Index mk) { return index(k, r, s, c, mk, mj); };
  const auto result = [](Index n, Index p, Index q, Index k, Index, Index, Index, Index mi,
                         Index mj, Index) { return index(n, p, q, k, mi, mj); };
  const std::vector<std::pair<std::string, Size>> dimensions = {
      {"n", N}, {"p", P}, {"q", Q},   {"k", K},   {"r", R},
      {"s", S}, {"c", C}, {"mi", MI}, {"mj", MJ}, {"mk", MK}};
  return named("mcc_capsule", out_view(buffer("O", T).at(result)) *
                                  md_hom(dimensions, [](Scalars in) { return in["I"] * in["F"]; },
                                         {cc(), cc(), cc(), cc(), pw(add), pw(add), pw(add), cc(),
                                          cc(), pw(add)}) *
                                  inp_view(buffer("I", T).at(image), buffer("F", T).at(filter)));
}

/// The pixels and weights are matrices, and what is summed up are their products.
template <class T>
T filtered(const Tensor<T, 6>& I, const Tensor<T, 6>& F, std::array<int64_t, 6> from) {
  const auto [K, R, S, C, MK, MJ] = F.extents;
  const auto [n, h, w, k, mi, mj] = from;
  T sum = 0;
  for (int64_t r = 0; r < R; ++r) {
    for (int64_t s = 0; s < S; ++s) {
      for (int64_t c = 0; c < C; ++c) {
        for (int64_t mk = 0; mk < MK; ++mk) {
          sum += I(n, h + r, w + s, c, mi, mk) * F(k, r, s, c, mk, mj);
        }
      }
    }
  }
  return sum;
}

/// All results of one pixel.
template <class T>
void filter_pixel(const Tensor<T, 6>& O, const Tensor<T, 6>& I, const Tensor<T, 6>& F,
                  std::array<int64_t, 3> pixel, std::array<int64_t, 2> stride) {
  const auto [N, P, Q, K, MI, MJ] = O.extents;
  const auto [n, p, q] = pixel;
  for (int64_t k = 0; k < K; ++k) {
    for (int64_t mi = 0; mi < MI; ++mi) {
      for (int64_t mj = 0; mj < MJ; ++mj) {
        O(n, p, q, k, mi, mj) = filtered(I, F, {n, stride[0] * p, stride[1] * q, k, mi, mj});
      }
    }
  }
}

void plain_mcc_capsule(const Instance& at, std::span<void* const> buffers) {
  with_type(at.type, [&]<class T>() {
    const auto [N, P, Q, K, R, S, C, MI, MJ, MK] = sizes<10>(at);
    const int64_t SH = at.setting("SH", 1), SW = at.setting("SW", 1);
    const int64_t H = SH * (P - 1) + R, W = SW * (Q - 1) + S;
    const auto O = tensor_at<T>(buffers, 0, N, P, Q, K, MI, MJ);
    const auto I = tensor_at<T>(buffers, 1, N, H, W, C, MI, MK);
    const auto F = tensor_at<T>(buffers, 2, K, R, S, C, MK, MJ);
    for (int64_t n = 0; n < N; ++n) {
      for (int64_t p = 0; p < P; ++p) {
        for (int64_t q = 0; q < Q; ++q) filter_pixel(O, I, F, {n, p, q}, {SH, SW});
      }
    }
  });
}

}  // namespace

Entry mcc_capsule_entry() {
  const Settings twice = {{"SH", 2}, {"SW", 2}};
  return {.name = "mcc_capsule",
          .summary = "multi-channel convolution of capsules, small matrices for numbers",
          .types = usual_types(),
          // VGG-16, ResNet-50, MobileNet; training and inference
          .sizes = {{"paper", {16, 224, 224, 64, 3, 3, 3, 4, 4, 4}},
                    {"paper2", {1, 224, 224, 64, 3, 3, 3, 4, 4, 4}},
                    {"paper3", {16, 112, 112, 64, 7, 7, 3, 4, 4, 4}},
                    {"paper4", {1, 112, 112, 64, 7, 7, 3, 4, 4, 4}},
                    {"paper5", {16, 112, 112, 32, 3, 3, 3, 4, 4, 4}},
                    {"paper6", {1, 112, 112, 32, 3, 3, 3, 4, 4, 4}}},
          .settings = {{"paper3", twice}, {"paper4", twice}, {"paper5", twice}, {"paper6", twice}},
          .build = mcc_capsule,
          .plain = plain_mcc_capsule};
}

}  // namespace mdh::examples
