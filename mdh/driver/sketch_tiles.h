// Tiles of registers that are worth a try.
#pragma once

#include <vector>

#include "mdh/driver/sketch.h"
#include "mdh/model/rates.h"

namespace mdh::driver {

/// All loops are inner ones, copies stand before the cores: loops are not yet thought about.
std::vector<Sketch> sketch_tiles(const SketchBase& base, const model::Rates& rates);

}  // namespace mdh::driver
