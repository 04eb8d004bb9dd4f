#include "examples/catalogue.h"
#include "examples/plain.h"

namespace mdh::examples {
namespace {

using namespace hl::edsl;  // NOLINT(google-build-using-namespace): the paper's names

/// How many steps z = z * z + c takes to leave the disc of radius 2; z = u + v i, c = x + y i.
Term steps_from(const Term& x, const Term& y) {
  return loop({{"u", 0.0}, {"v", 0.0}, {"n", cast(i32, 0)}}, [&](Term u, Term v, Term n) {
    return LoopBody{.condition = u * u + v * v <= 4.0 && n < constant(i32, 1000),
                    .updates = {{"u", u * u - v * v + x}, {"v", 2.0 * u * v + y}, {"n", n + 1}},
                    .result = n};
  });
}

hl::Program mandelbrot(const Instance& at) {
  const auto [H, W] = sizes<2>(at);
  const ScalarFunction f = [H = H, W = W](Scalars in) {
    const Term x = let("x", -2.5 + cast(f64, in["j"]) * (3.5 / cast(f64, W)));
    const Term y = let("y", -1.0 + cast(f64, in["i"]) * (2.0 / cast(f64, H)));
    return steps_from(x, y);
  };
  return named("mandelbrot",
               out_view(buffer("Out", i32).at([](Index i, Index j) { return index(i, j); })) *
                   md_hom({{"i", H}, {"j", W}}, f, {cc(), cc()}) * inp_view());
}

int32_t steps(double x, double y) {
  double u = 0, v = 0;
  int32_t n = 0;
  while (u * u + v * v <= 4 && n < 1000) {
    const double next = u * u - v * v + x;
    v = 2 * u * v + y;
    u = next;
    ++n;
  }
  return n;
}

void plain_mandelbrot(const Instance& at, std::span<void* const> buffers) {
  const auto [H, W] = sizes<2>(at);
  const auto out = tensor_at<int32_t>(buffers, 0, H, W);
  const double dx = 3.5 / static_cast<double>(W), dy = 2.0 / static_cast<double>(H);
  for (int64_t i = 0; i < H; ++i) {
    for (int64_t j = 0; j < W; ++j) {
      out(i, j) = steps(-2.5 + static_cast<double>(j) * dx, -1.0 + static_cast<double>(i) * dy);
    }
  }
}

}  // namespace

Entry mandelbrot_entry() {
  return {.name = "mandelbrot",
          .summary = "steps until z = z * z + c leaves the disc, of no inputs at all",
          .types = {scalar::Scalar::i32},
          .sizes = {},
          .build = mandelbrot,
          .plain = plain_mandelbrot};
}

}  // namespace mdh::examples
