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

scalar::Value drawn_whole(Scalar type, Random& random) {
  return scalar::is_floating(type) ? scalar::from_integer(type, random.between(-1, 1))
                                   : drawn(type, random);
}

std::vector<scalar::Array> drawn_inputs(const hl::Program& program, uint64_t seed,
                                        scalar::Value (*draw)(Scalar, Random&)) {
  Random random(seed);
  std::vector<scalar::Array> inputs;
  for (const hl::BufferView& view : program.inputs) {
    scalar::Array array = scalar::Array::undefined(view.type, hl::extents(program, view));
    const std::vector<scalar::Leaf> leaves = leaves_of(view.type);
    for (size_t n = 0; n < array.cells.size(); ++n) {
      array.cells[n] = draw(leaves[n % leaves.size()].type, random);
    }
    std::fill(array.defined.begin(), array.defined.end(), uint8_t{1});
    inputs.push_back(std::move(array));
  }
  return inputs;
}

/// Long products of anything but -1, 0 and 1 leave the range of every type.
bool multiplies(const hl::Program& program) {
  for (const hl::Dimension& d : program.dimensions) {
    for (const std::string& name : d.combine.operators) {
      if (name == "mul") return true;
    }
  }
  return false;
}

}  // namespace

std::vector<scalar::Array> random_inputs(const hl::Program& program, uint64_t seed) {
  return drawn_inputs(program, seed, multiplies(program) ? drawn_whole : drawn);
}

std::vector<scalar::Array> whole_inputs(const hl::Program& program, uint64_t seed) {
  return drawn_inputs(program, seed, drawn_whole);
}

}  // namespace mdh::driver
