#include "examples/catalogue.h"
#include "examples/plain.h"

namespace mdh::examples {
namespace {

using namespace hl::edsl;  // NOLINT(google-build-using-namespace): the paper's names

hl::Program reduce(const Instance& at) {
  const Type T = at.type;
  return named("reduce",
               out_view(buffer("O1", T).at([](Index) { return index(); })) *
                   md_hom({{"i", at.sizes[0]}}, [](Scalars in) { return in["I"]; }, {pw(add)}) *
                   inp_view(buffer("I", T).at([](Index i) { return index(i); })));
}

void plain_reduce(const Instance& at, std::span<void* const> buffers) {
  with_type(at.type, [&]<class T>() {
    const T* in = buffer_at<T>(buffers, 1);
    T sum = 0;
    for (int64_t i = 0; i < at.sizes[0]; ++i) sum += in[i];
    *buffer_at<T>(buffers, 0) = sum;
  });
}

}  // namespace

Entry reduce_entry() {
  return {.name = "reduce",
          .summary = "the sum of all elements",
          .types = usual_types(),
          .sizes = {},
          .build = reduce,
          .plain = plain_reduce};
}

}  // namespace mdh::examples
