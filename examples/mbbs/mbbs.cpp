#include "examples/catalogue.h"
#include "examples/plain.h"

namespace mdh::examples {
namespace {

using namespace hl::edsl;  // NOLINT(google-build-using-namespace): the paper's names

hl::Program mbbs(const Instance& at) {
  const Type T = at.type;
  const auto [I, J] = sizes<2>(at);
  return named(
      "mbbs",
      out_view(buffer("Out", T).at([](Index i, Index) { return index(i); })) *
          md_hom({{"i", I}, {"j", J}}, [](Scalars in) { return in["A"]; }, {ps(add), pw(add)}) *
          inp_view(buffer("A", T).at([](Index i, Index j) { return index(i, j); })));
}

void plain_mbbs(const Instance& at, std::span<void* const> buffers) {
  with_type(at.type, [&]<class T>() {
    const auto [I, J] = sizes<2>(at);
    T* out = buffer_at<T>(buffers, 0);
    const auto A = tensor_at<T>(buffers, 1, I, J);
    T sum = 0;
    for (int64_t i = 0; i < I; ++i) {
      for (int64_t j = 0; j < J; ++j) sum += A(i, j);
      out[i] = sum;
    }
  });
}

}  // namespace

Entry mbbs_entry() {
  return {.name = "mbbs",
          .summary = "sums of the boxes on top of a matrix, Out[i] = sum of rows 0 to i",
          .types = usual_types(),
          .sizes = {},
          .build = mbbs,
          .plain = plain_mbbs};
}

}  // namespace mdh::examples
