#include "examples/catalogue.h"
#include "examples/plain.h"

namespace mdh::examples {
namespace {

using namespace hl::edsl;  // NOLINT(google-build-using-namespace): the paper's names

hl::Program jacobi1d(scalar::Scalar T, Size I) {
  const Term c = constant(T, stencil_factor(T, 3));
  return out_view(buffer("y", T).at([](Index i) { return index(i); })) *
         md_hom({{"i", I}}, [c](Scalars in) { return c * (in["left"] + in["mid"] + in["right"]); },
                {cc()}) *
         inp_view(buffer("x", T)
                      .at("left", [](Index i) { return index(i); })
                      .at("mid", [](Index i) { return index(i + 1); })
                      .at("right", [](Index i) { return index(i + 2); }));
}

void plain_jacobi1d(const Instance& at, std::span<void* const> buffers) {
  with_type(at.type, [&]<class T>() {
    const T* x = buffer_at<T>(buffers, 1);
    T* y = buffer_at<T>(buffers, 0);
    const T c = static_cast<T>(stencil_factor(at.type, 3));
    for (int64_t i = 0; i < at.sizes[0]; ++i) y[i] = c * (x[i] + x[i + 1] + x[i + 2]);
  });
}

}  // namespace

Entry jacobi1d_entry() {
  return {
      .name = "jacobi1d",
      .summary = "three-point stencil, y[i] = c * (x[i] + x[i+1] + x[i+2])",
      .types = usual_types(),
      .sizes = {},
      .integer_constants = {{"c", "1"}},
      .build = [](const Instance& at) { return named("jacobi1d", jacobi1d(at.type, at.sizes[0])); },
      .plain = plain_jacobi1d};
}

}  // namespace mdh::examples
