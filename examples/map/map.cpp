#include "examples/catalogue.h"
#include "examples/plain.h"

namespace mdh::examples {
namespace {

using namespace hl::edsl;  // NOLINT(google-build-using-namespace): the paper's names

hl::Program map(const Instance& at) {
  const Type T = at.type;
  return named(
      "map", out_view(buffer("O1", T).at([](Index i) { return index(i); })) *
                 md_hom({{"i", at.sizes[0]}}, [](Scalars in) { return 2 * in["I"] + 1; }, {cc()}) *
                 inp_view(buffer("I", T).at([](Index i) { return index(i); })));
}

void plain_map(const Instance& at, std::span<void* const> buffers) {
  with_type(at.type, [&]<class T>() {
    T* out = buffer_at<T>(buffers, 0);
    const T* in = buffer_at<T>(buffers, 1);
    for (int64_t i = 0; i < at.sizes[0]; ++i) out[i] = 2 * in[i] + 1;
  });
}

}  // namespace

Entry map_entry() {
  return {.name = "map",
          .summary = "a function of every element, 2x + 1",
          .types = usual_types(),
          .sizes = {},
          .build = map,
          .plain = plain_map};
}

}  // namespace mdh::examples
