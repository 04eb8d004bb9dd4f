#include <type_traits>

#include "examples/catalogue.h"
#include "examples/plain.h"

namespace mdh::examples {
namespace {

using namespace hl::edsl;  // NOLINT(google-build-using-namespace): the paper's names

hl::Program reduce2(const Instance& at) {
  const Type T = at.type;
  const auto twice = [](Scalars in) { return outputs({{"O1", in["I"]}, {"O2", in["I"]}}); };
  return named("reduce2", out_view(buffer("O1", T).at([](Index) { return index(); }),
                                   buffer("O2", T).at([](Index) { return index(); })) *
                              md_hom({{"i", at.sizes[0]}}, twice, {pw({add, mul})}) *
                              inp_view(buffer("I", T).at([](Index i) { return index(i); })));
}

/// Products of integers soon wrap around, which C++ defines for unsigned ones only.
template <class T>
T product(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a * b;
  } else {
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  }
}

void plain_reduce2(const Instance& at, std::span<void* const> buffers) {
  with_type(at.type, [&]<class T>() {
    const T* in = buffer_at<T>(buffers, 2);
    T sum = 0, all = 1;
    for (int64_t i = 0; i < at.sizes[0]; ++i) {
      sum += in[i];
      all = product(all, in[i]);
    }
    *buffer_at<T>(buffers, 0) = sum;
    *buffer_at<T>(buffers, 1) = all;
  });
}

}  // namespace

Entry reduce2_entry() {
  return {.name = "reduce2",
          .summary = "the sum and the product of all elements",
          .types = usual_types(),
          .sizes = {},
          .build = reduce2,
          .plain = plain_reduce2};
}

}  // namespace mdh::examples
