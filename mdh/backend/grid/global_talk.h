// What items of a group tell each other through global memory.
#pragma once

#include "mdh/backend/grid/storage.h"

namespace mdh::backend {

/// Whether a kernel both writes and reads a result, or the workspace, in which buffers may lie in
/// the same place. Items that do not can hear of others only through what their group shares.
bool talks_through_global(const loop::Program& p, const GridStorage& storage,
                          const loop::Block& kernel);

/// Whether its items wait for each other anywhere.
bool has_barriers(const loop::Block& kernel);

}  // namespace mdh::backend
