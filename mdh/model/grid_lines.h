// Lines of a cache, by where the threads of a warp find what they read of memory.
#pragma once

#include "mdh/model/grid_work.h"

namespace mdh::model {

/// Cycles for which the cache of a multiprocessor is busy when each thread of a warp reads so many
/// bytes at once: it finds one line in a cycle, for as many threads as want a line's bytes together. On
/// average over the accesses.
double cycles_of_cache(const GridWork& work, const BufferShape& buffer, int64_t bytes);

/// Sectors that one store of a warp goes to, wholly or in part, when each thread writes so many bytes.
double sectors_of_store(const GridWork& work, const BufferShape& buffer, int64_t bytes);

/// Bytes that such a store writes side by side, on average; at most a line.
double bytes_of_store(const GridWork& work, const BufferShape& buffer, int64_t bytes);

}  // namespace mdh::model
