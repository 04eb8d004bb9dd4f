// Input data for checks.
#pragma once

#include <cstdint>
#include <vector>

#include "mdh/hl/program.h"
#include "mdh/scalar/array.h"

namespace mdh::driver {

/// Inputs drawn from few small values, so that ties and cancellations occur: integers from -9 to 9
/// (0 to 9 if unsigned), floats from -5.0 to 5.0 in steps of a tenth, most of which are not exact.
std::vector<scalar::Array> random_inputs(const hl::Program& program, uint64_t seed);

/// Inputs on which plain arithmetic does not round: floats from -1, 0, 1.
std::vector<scalar::Array> whole_inputs(const hl::Program& program, uint64_t seed);

}  // namespace mdh::driver
