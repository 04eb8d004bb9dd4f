// Tiles of registers that are worth a try.
#pragma once

#include <vector>

#include "mdh/model/rates.h"
#include "mdh/search/sketch.h"

namespace mdh::search {

/// All loops are inner ones, copies stand before the cores: loops are not yet thought about.
std::vector<Sketch> sketch_tiles(const SketchBase& base, const model::Rates& rates);

}  // namespace mdh::search
