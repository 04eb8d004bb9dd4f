#include "examples/catalogue.h"
#include "examples/plain.h"

namespace mdh::examples {
namespace {

/// The C++ form has no loops, so the program is read from its text.
hl::Program mandelbrot(const Instance& at) {
  const hl::Program generic = find_entry("mandelbrot")->generic();
  return hl::instantiate(generic, {.sizes = hl::sizes_by_dimension(generic, at.sizes)});
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

void plain(const Instance& at, std::span<void* const> buffers) {
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
          .plain = plain};
}

}  // namespace mdh::examples
