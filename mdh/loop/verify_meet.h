// Rules of members of a grid that wait for each other and read what each of them keeps.
#pragma once

#include "mdh/loop/program.h"

namespace mdh::loop {

/// All shares of a Deal get to where they meet, each of them by itself.
void verify_meets(const Deal& deal);

/// Elements that members of a grid keep are written by their own member, and those of others are
/// read by members that have met and will meet again.
void verify_across(const Program& p);

}  // namespace mdh::loop
