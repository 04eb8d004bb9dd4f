// Complete results are stored past the caches, where that is asked for.
#pragma once

#include "mdh/loop/program.h"

namespace mdh::passes {

/// rewrite:  lanes a < 4 { ...; store y[i + a] = x; }              (y is streaming, never loaded)
///       ->  lanes a < 4 { ...; store y[i + a] = x streaming; }
///
/// Only whole vectors: single elements would fill lines piece by piece, each of them in memory.
loop::Program stream_stores(const loop::Program& program);

}  // namespace mdh::passes
