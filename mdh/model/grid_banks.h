// Passes of shared memory, by where the threads of a warp find their elements in a copy.
#pragma once

#include "mdh/model/grid_work.h"

namespace mdh::model {

/// Elements that a copy takes, what its lines are padded by included.
double elements_of(const GridWork& work, const ll::Staging& copy);

/// For what a warp reads of a copy at once, so many neighbouring elements each thread.
double passes_to_read(const GridWork& work, const ll::Staging& copy, int64_t at_once);

/// For what a warp has taken of the buffer, so many neighbouring elements each thread, and stores into
/// the copy: at once where they are neighbours there, too, else one by one.
double passes_to_store(const GridWork& work, const ll::Staging& copy, int64_t at_once);

}  // namespace mdh::model
