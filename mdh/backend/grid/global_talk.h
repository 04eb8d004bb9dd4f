// What items of a group tell each other through global memory.
#pragma once

#include "mdh/backend/grid/storage.h"

namespace mdh::backend {

/// Whether a kernel reads a result, or both writes and reads the workspace, in which buffers may lie
/// in the same place. In one that does not, items can hear of others only through what their group
/// shares; and no two items store different values to one place, in whatever order: a result that is
/// not read is stored once.
bool talks_through_global(const loop::Program& p, const GridStorage& storage,
                          const loop::Block& kernel);

/// Whether it may read a result that a kernel before it has written: one that the reader has not
/// surely stored itself.
bool reads_results_of_others(const loop::Program& p, const loop::Block& kernel);

/// Whether its items wait for each other anywhere.
bool has_barriers(const loop::Block& kernel);

}  // namespace mdh::backend
