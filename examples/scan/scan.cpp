#include "examples/catalogue.h"
#include "examples/plain.h"

namespace mdh::examples {
namespace {

using namespace hl::edsl;  // NOLINT(google-build-using-namespace): the paper's names

hl::Program scan(const Instance& at) {
  const Type T = at.type;
  return named("scan",
               out_view(buffer("Out", T).at([](Index i) { return index(i); })) *
                   md_hom({{"i", at.sizes[0]}}, [](Scalars in) { return in["A"]; }, {ps(add)}) *
                   inp_view(buffer("A", T).at([](Index i) { return index(i); })));
}

void plain_scan(const Instance& at, std::span<void* const> buffers) {
  with_type(at.type, [&]<class T>() {
    T* out = buffer_at<T>(buffers, 0);
    const T* in = buffer_at<T>(buffers, 1);
    T sum = 0;
    for (int64_t i = 0; i < at.sizes[0]; ++i) out[i] = sum += in[i];
  });
}

}  // namespace

Entry scan_entry() {
  return {.name = "scan",
          .summary = "prefix sums, Out[i] = A[0] + ... + A[i]",
          .types = usual_types(),
          .sizes = {},
          .build = scan,
          .plain = plain_scan};
}

}  // namespace mdh::examples
