#include "examples/catalogue.h"
#include "examples/plain.h"

namespace mdh::examples {
namespace {

using namespace hl::edsl;  // NOLINT(google-build-using-namespace): the paper's names

hl::Program histo(const Instance& at) {
  const Type T = at.type;
  const auto [E, B] = sizes<2>(at);
  return named("histo",
               out_view(buffer("Out", T).at([](Index, Index b) { return index(b); })) *
                   md_hom({{"e", E}, {"b", B}},
                          [](Scalars in) { return select(in["Elems"] == in["Bins"], 1, 0); },
                          {pw(add), cc()}) *
                   inp_view(buffer("Elems", T).at([](Index e, Index) { return index(e); }),
                            buffer("Bins", T).at([](Index, Index b) { return index(b); })));
}

void plain_histo(const Instance& at, std::span<void* const> buffers) {
  with_integer_type(at.type, [&]<class T>() {
    const auto [E, B] = sizes<2>(at);
    T* out = buffer_at<T>(buffers, 0);
    const T *elems = buffer_at<T>(buffers, 1), *bins = buffer_at<T>(buffers, 2);
    for (int64_t b = 0; b < B; ++b) {
      out[b] = 0;
      for (int64_t e = 0; e < E; ++e) {
        if (elems[e] == bins[b]) ++out[b];
      }
    }
  });
}

}  // namespace

Entry histo_entry() {
  return {.name = "histo",
          .summary = "histogram, how often the value of each bin occurs",
          .types = integer_types(),
          .sizes = {},
          .build = histo,
          .plain = plain_histo};
}

}  // namespace mdh::examples
