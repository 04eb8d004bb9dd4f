#include "examples/catalogue.h"
#include "examples/plain.h"

namespace mdh::examples {
namespace {

using namespace hl::edsl;  // NOLINT(google-build-using-namespace): the paper's names

hl::Program jacobi2d(const Instance& at) {
  const Scalar T = at.type;
  const auto [I1, I2] = sizes<2>(at);
  const Term c = constant(T, stencil_factor(T, 5));
  const auto f = [c](Scalars in) {
    return c * (in["north"] + in["west"] + in["mid"] + in["east"] + in["south"]);
  };
  return named(
      "jacobi2d",
      out_view(buffer("O", T).at([](Index i1, Index i2) { return index(i1, i2); })) *
          md_hom({{"i1", I1}, {"i2", I2}}, f, {cc(), cc()}) *
          inp_view(buffer("I", T)
                       .at("north", [](Index i, Index j) { return index(i, j + 1); })
                       .at("west", [](Index i, Index j) { return index(i + 1, j); })
                       .at("mid", [](Index i, Index j) { return index(i + 1, j + 1); })
                       .at("east", [](Index i, Index j) { return index(i + 1, j + 2); })
                       .at("south", [](Index i, Index j) { return index(i + 2, j + 1); })));
}

void plain_jacobi2d(const Instance& at, std::span<void* const> buffers) {
  with_type(at.type, [&]<class T>() {
    const auto [I1, I2] = sizes<2>(at);
    const auto O = tensor_at<T>(buffers, 0, I1, I2), I = tensor_at<T>(buffers, 1, I1 + 2, I2 + 2);
    const T c = static_cast<T>(stencil_factor(at.type, 5));
    for (int64_t i = 0; i < I1; ++i) {
      for (int64_t j = 0; j < I2; ++j) {
        O(i, j) =
            c * (I(i, j + 1) + I(i + 1, j) + I(i + 1, j + 1) + I(i + 1, j + 2) + I(i + 2, j + 1));
      }
    }
  });
}

}  // namespace

Entry jacobi2d_entry() {
  return {.name = "jacobi2d",
          .summary = "five-point stencil, c * (sum of a point and its neighbours)",
          .types = usual_types(),
          .sizes = {},
          .integer_constants = {{"c", "1"}},
          .build = jacobi2d,
          .plain = plain_jacobi2d};
}

}  // namespace mdh::examples
