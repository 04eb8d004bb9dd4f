#include "examples/catalogue.h"
#include "examples/plain.h"

namespace mdh::examples {
namespace {

using namespace hl::edsl;  // NOLINT(google-build-using-namespace): the paper's names

/// The points that f sees, as offsets from the point in the corner.
struct Neighbour {
  const char* name;
  int64_t i1, i2, i3;
};
constexpr Neighbour neighbours[] = {{"above", 0, 1, 1}, {"north", 1, 0, 1}, {"west", 1, 1, 0},
                                    {"mid", 1, 1, 1},   {"east", 1, 1, 2},  {"south", 1, 2, 1},
                                    {"below", 2, 1, 1}};

View image(Type T) {
  View view = buffer("I", T);
  for (const Neighbour& of : neighbours) {
    view = view.at(of.name, [of](Index i1, Index i2, Index i3) {
      return index(i1 + of.i1, i2 + of.i2, i3 + of.i3);
    });
  }
  return view;
}

hl::Program jacobi3d(const Instance& at) {
  const Scalar T = at.type;
  const auto [I1, I2, I3] = sizes<3>(at);
  const Term c = constant(T, stencil_factor(T, 7));
  const auto f = [c](Scalars in) {
    return c * (in["above"] + in["north"] + in["west"] + in["mid"] + in["east"] + in["south"] +
                in["below"]);
  };
  return named(
      "jacobi3d",
      out_view(buffer("O", T).at([](Index i1, Index i2, Index i3) { return index(i1, i2, i3); })) *
          md_hom({{"i1", I1}, {"i2", I2}, {"i3", I3}}, f, {cc(), cc(), cc()}) * inp_view(image(T)));
}

void plain_jacobi3d(const Instance& at, std::span<void* const> buffers) {
  with_type(at.type, [&]<class T>() {
    const auto [I1, I2, I3] = sizes<3>(at);
    const auto O = tensor_at<T>(buffers, 0, I1, I2, I3);
    const auto I = tensor_at<T>(buffers, 1, I1 + 2, I2 + 2, I3 + 2);
    const T c = static_cast<T>(stencil_factor(at.type, 7));
    for (int64_t i = 0; i < I1; ++i) {
      for (int64_t j = 0; j < I2; ++j) {
        for (int64_t k = 0; k < I3; ++k) {
          O(i, j, k) = c * (I(i, j + 1, k + 1) + I(i + 1, j, k + 1) + I(i + 1, j + 1, k) +
                            I(i + 1, j + 1, k + 1) + I(i + 1, j + 1, k + 2) +
                            I(i + 1, j + 2, k + 1) + I(i + 2, j + 1, k + 1));
        }
      }
    }
  });
}

}  // namespace

Entry jacobi3d_entry() {
  return {.name = "jacobi3d",
          .summary = "seven-point stencil, c * (sum of a point and its neighbours)",
          .types = usual_types(),
          .sizes = {{"paper", {256, 256, 256}}, {"paper2", {512, 512, 512}}},
          .integer_constants = {{"c", "1"}},
          .build = jacobi3d,
          .plain = plain_jacobi3d};
}

}  // namespace mdh::examples
