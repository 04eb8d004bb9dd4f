#include "mdh/driver/data.h"

#include "mdh/hl/analysis.h"
#include "mdh/support/random.h"

namespace mdh::driver {
namespace {

using scalar::Scalar;

scalar::Value drawn(Scalar type, Random& random) {
  if (type == Scalar::boolean) return scalar::from_integer(type, random.between(0, 1));
  if (scalar::is_floating(type)) {
    return scalar::from_floating(type, static_cast<double>(random.between(-50, 50)) / 10);
  }
  return scalar::from_integer(type, random.between(scalar::is_signed(type) ? -9 : 0, 9));
}

}  // namespace

std::vector<scalar::Array> random_inputs(const hl::Program& program, uint64_t seed) {
  Random random(seed);
  std::vector<scalar::Array> inputs;
  for (const hl::BufferView& view : program.inputs) {
    scalar::Array array =
        scalar::Array::undefined(scalar_of(view.type), hl::extents(program, view));
    for (scalar::Value& cell : array.cells) cell = drawn(array.type, random);
    std::fill(array.defined.begin(), array.defined.end(), uint8_t{1});
    inputs.push_back(std::move(array));
  }
  return inputs;
}

}  // namespace mdh::driver
