// The digits around a point make up all of its dimensions.
#pragma once

#include "mdh/loop/program.h"

namespace mdh::loop {

/// Of every dimension, each point is reached by one combination of the digits, and only by one.
void verify_cover(const Program& p, const std::vector<Digit>& around);

}  // namespace mdh::loop
