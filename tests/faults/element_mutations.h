// Mutations of loop programs that read or write another element than they should.
#pragma once

#include "tests/faults/mutation.h"

namespace mdh::test {

/// A load from an input, always or at one point.
std::optional<loop::Program> input_elsewhere(const loop::Program& p, const Mutation& m);
std::optional<loop::Program> input_elsewhere_once(const loop::Program& p, const Mutation& m);

/// A load from a tile, an accumulator or the slots of other cores.
std::optional<loop::Program> slot_elsewhere(const loop::Program& p, const Mutation& m);

/// A store into one of those.
std::optional<loop::Program> tile_filled_elsewhere(const loop::Program& p, const Mutation& m);

std::optional<loop::Program> output_elsewhere(const loop::Program& p, const Mutation& m);

}  // namespace mdh::test
