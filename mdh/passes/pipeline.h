// The ordered table of loop passes: from structured to concrete.
#pragma once

#include <functional>
#include <vector>

#include "mdh/passes/pass.h"

namespace mdh::passes {

const std::vector<Pass>& pipeline(Teams teams = Teams::one);

/// Called after each pass with the verified result.
using Observer = std::function<void(const Pass&, const loop::Program&)>;

/// Runs all passes for a target. After each the program is verified and has what the passes so far
/// give, and before each what it needs; an internal error names the guilty pass.
loop::Program run_pipeline(const loop::Program& structured, const TargetFacts& facts = {},
                           const Observer& observer = {});

}  // namespace mdh::passes
