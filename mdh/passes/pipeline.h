// The ordered table of loop passes: from structured to concrete.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "mdh/loop/program.h"
#include "mdh/machine/target_facts.h"
#include "mdh/passes/properties.h"

namespace mdh::passes {

struct Pass {
  std::string name;  // as on the command line
  std::string summary;
  loop::Program (*run)(const loop::Program&);
  std::set<Property> needs = {};  // of what it is given
  std::set<Property> gives = {};  // no later pass takes it away
};

using machine::TargetFacts;
using machine::Teams;

const std::vector<Pass>& pipeline(Teams teams = Teams::one);

/// Called after each pass with the verified result.
using Observer = std::function<void(const Pass&, const loop::Program&)>;

/// Runs all passes. After each the program is verified and has what the passes so far give, and
/// before each what it needs; an internal error names the guilty pass.
loop::Program run_pipeline(const loop::Program& structured, const TargetFacts& facts = {},
                           const Observer& observer = {});

}  // namespace mdh::passes
