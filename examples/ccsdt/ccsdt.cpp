#include "examples/catalogue.h"
#include "examples/plain.h"

namespace mdh::examples {
namespace {

using namespace hl::edsl;  // NOLINT(google-build-using-namespace): the paper's names

/// Which dimensions the factors have, by letter.
struct Contraction {
  std::string A, B;
  std::vector<int64_t> paper;
};

const std::vector<Contraction>& contractions() {
  static const std::vector<int64_t> d_small = {24, 16, 16, 16, 24, 16, 24},
                                    e_small = {24, 16, 16, 24, 16, 16, 24};
  static const std::vector<Contraction> nine = {
      {"gdab", "efgc", d_small}, {"gdac", "efgb", d_small}, {"gdbc", "efga", d_small},
      {"geab", "dfgc", e_small}, {"geac", "dfgb", e_small}, {"gebc", "dfga", e_small},
      {"gfab", "degc", e_small}, {"gfac", "degb", e_small}, {"gfbc", "dega", e_small}};
  return nine;
}

std::string name_of(const Contraction& of) { return "ccsdt_" + of.A + "_" + of.B; }

/// The index function that takes the dimensions of these letters.
auto taking(const std::string& letters) {
  return [letters](Index a, Index b, Index c, Index d, Index e, Index f, Index g) {
    const IndexTuple all = {a, b, c, d, e, f, g};
    IndexTuple taken;
    for (const char letter : letters) taken.push_back(all.at(letter - 'a'));
    return taken;
  };
}

hl::Program contraction(const Contraction& of, const Instance& at) {
  const Type T = at.type;
  const auto [NA, NB, NC, ND, NE, NF, NG] = sizes<7>(at);
  return named(
      name_of(of),
      out_view(buffer("C", T).at(taking("abcdef"))) *
          md_hom({{"a", NA}, {"b", NB}, {"c", NC}, {"d", ND}, {"e", NE}, {"f", NF}, {"g", NG}},
                 [](Scalars in) { return in["A"] * in["B"]; },
                 {cc(), cc(), cc(), cc(), cc(), cc(), pw(add)}) *
          inp_view(buffer("A", T).at(taking(of.A)), buffer("B", T).at(taking(of.B))));
}

/// How far apart neighbours along a to g are in a factor.
std::array<int64_t, 7> strides(const std::string& letters, const Instance& at) {
  std::array<int64_t, 7> result{};
  int64_t stride = 1;
  for (auto letter = letters.rbegin(); letter != letters.rend(); ++letter) {
    result[*letter - 'a'] = stride;
    stride *= at.sizes[*letter - 'a'];
  }
  return result;
}

/// A factor from a point on.
template <class T>
struct Factor {
  const T* from;
  std::array<int64_t, 7> strides;

  Factor at(std::array<int64_t, 3> index, size_t first) const {
    Factor moved = *this;
    for (size_t d = 0; d < 3; ++d) moved.from += index[d] * strides[first + d];
    return moved;
  }
};

/// The results for all d, e, f, which lie side by side.
template <class T>
void contract(T* C, const Factor<T>& A, const Factor<T>& B, const Instance& at) {
  const auto [NA, NB, NC, ND, NE, NF, NG] = sizes<7>(at);
  for (int64_t d = 0; d < ND; ++d) {
    for (int64_t e = 0; e < NE; ++e) {
      for (int64_t f = 0; f < NF; ++f) {
        const Factor<T> a = A.at({d, e, f}, 3), b = B.at({d, e, f}, 3);
        T sum = 0;
        for (int64_t g = 0; g < NG; ++g) sum += a.from[g * a.strides[6]] * b.from[g * b.strides[6]];
        *C++ = sum;
      }
    }
  }
}

void plain_ccsdt(const Contraction& of, const Instance& at, std::span<void* const> buffers) {
  with_type(at.type, [&]<class T>() {
    const auto [NA, NB, NC, ND, NE, NF, NG] = sizes<7>(at);
    T* C = buffer_at<T>(buffers, 0);
    const Factor<T> A{buffer_at<T>(buffers, 1), strides(of.A, at)};
    const Factor<T> B{buffer_at<T>(buffers, 2), strides(of.B, at)};
    for (int64_t a = 0; a < NA; ++a) {
      for (int64_t b = 0; b < NB; ++b) {
        for (int64_t c = 0; c < NC; ++c) {
          contract(C, A.at({a, b, c}, 0), B.at({a, b, c}, 0), at);
          C += ND * NE * NF;
        }
      }
    }
  });
}

Entry entry_of(const Contraction& of) {
  return {.name = name_of(of),
          .summary = "CCSD(T) contraction, C[abcdef] = sum of A[" + of.A + "] * B[" + of.B + "]",
          .types = usual_types(),
          .sizes = {{"paper", of.paper}},
          .build = [of](const Instance& at) { return contraction(of, at); },
          .plain = [of](const Instance& at,
                        std::span<void* const> buffers) { plain_ccsdt(of, at, buffers); }};
}

}  // namespace

std::vector<Entry> ccsdt_entries() {
  std::vector<Entry> entries;
  for (const Contraction& of : contractions()) entries.push_back(entry_of(of));
  return entries;
}

}  // namespace mdh::examples
