#include <algorithm>

#include "examples/catalogue.h"
#include "examples/plain.h"

namespace mdh::examples {
namespace {

using namespace hl::edsl;  // NOLINT(google-build-using-namespace): the paper's names

hl::Program genhisto(const Instance& at) {
  const Type T = at.type;
  const auto [E, B] = sizes<2>(at);
  return named("genhisto",
               out_view(buffer("Out", T).at([](Index, Index b) { return index(b); })) *
                   md_hom({{"e", E}, {"b", B}},
                          [](Scalars in) { return select(in["Elems"] % 7 == in["Bins"], 1, 0); },
                          {pw(greatest), cc()}) *
                   inp_view(buffer("Elems", T).at([](Index e, Index) { return index(e); }),
                            buffer("Bins", T).at([](Index, Index b) { return index(b); })));
}

void plain_genhisto(const Instance& at, std::span<void* const> buffers) {
  with_integer_type(at.type, [&]<class T>() {
    const auto [E, B] = sizes<2>(at);
    T* out = buffer_at<T>(buffers, 0);
    const T *elems = buffer_at<T>(buffers, 1), *bins = buffer_at<T>(buffers, 2);
    for (int64_t b = 0; b < B; ++b) {
      out[b] = 0;
      for (int64_t e = 0; e < E; ++e) {
        if (elems[e] % 7 == bins[b]) out[b] = std::max<T>(out[b], 1);
      }
    }
  });
}

}  // namespace

Entry genhisto_entry() {
  return {.name = "genhisto",
          .summary = "generalised histogram, whether the value of each bin occurs as a remainder",
          .types = integer_types(),
          .sizes = {},
          .build = genhisto,
          .plain = plain_genhisto};
}

}  // namespace mdh::examples
