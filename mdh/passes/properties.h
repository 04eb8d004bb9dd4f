// What a program of loops has left behind on its way down. Passes need some of it and give some of
// it; all of it can be seen in the program, so that it is checked and not believed.
#pragma once

#include <set>
#include <string>

#include "mdh/loop/program.h"

namespace mdh::passes {

enum class Property {
  rolled,       // no copy says that its tile rolls
  staggered,    // no tile asks for room for several iterations
  dealt,        // no copy, combination or scan waits for the team that does it together
  copied,       // no structured copies
  scanned,      // no structured scans
  accumulated,  // no structured accumulations, write-ups and combinations of teams
  counted,      // no structured loops: loops count the parts that hold points
};

/// "copied"
const std::string& to_string(Property property);

/// All that hold.
std::set<Property> properties_of(const loop::Program& program);

}  // namespace mdh::passes
