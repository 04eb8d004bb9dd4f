// The ordered table of loop passes: from structured to concrete.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "mdh/loop/program.h"

namespace mdh::passes {

struct Pass {
  std::string name;  // as on the command line
  std::string summary;
  loop::Program (*run)(const loop::Program&);
};

const std::vector<Pass>& pipeline();

/// Called after each pass with the verified result.
using Observer = std::function<void(const Pass&, const loop::Program&)>;

/// Runs all passes, verifying after each; an internal error names the guilty pass.
loop::Program run_pipeline(const loop::Program& structured, const Observer& observer = {});

}  // namespace mdh::passes
