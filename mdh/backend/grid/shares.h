// Fewer numbers to take apart: shares that code uses as one.
#pragma once

#include <functional>

#include "mdh/loop/program.h"

namespace mdh::backend {

/// rewrite:  deal cores (i < 117, j < 3) { load a = x[i, j]; store y[i, j] = a; }  (rows of 3)
///       ->  deal cores (j < 351) { load a = x[0, j]; store y[0, j] = a; }
///
/// Two shares are one where all places and values depend on 3 · i + j alone. What is left has the
/// same places, but indices beyond their axes: it is good for printing, and for nothing else. Digits
/// that instances of a buffer are found by stay as they are.
loop::Deal with_joined_shares(const loop::Program& p, const loop::Deal& deal,
                              const std::function<bool(const loop::Buffer&)>& has_instances);

}  // namespace mdh::backend
