// Which rules of the planner a triple makes use of.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "mdh/ll/program.h"
#include "mdh/loop/program.h"

namespace mdh::test {

/// The names of all rules.
const std::vector<std::string>& rule_names();

/// Those that the planned loops show.
std::vector<std::string> rules_of(const ll::Program& low, const loop::Program& planned);

using RuleCounts = std::map<std::string, int>;

}  // namespace mdh::test
