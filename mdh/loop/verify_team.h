// Rules of statements in which the cores of a warp, or members of a grid, act together.
#pragma once

#include "mdh/loop/program.h"

namespace mdh::loop {

/// Neighbouring cores know each other. Those on several axes are no neighbours in the order of their
/// shares.
bool has_warps(const Program& p);
bool has_axes(const Program& p);

/// All cores that differ in one share only are in one warp, whatever the others are.
bool is_in_one_warp(const std::vector<Counter>& shares, const Symbol& over, int64_t warp);

/// Each core has one share, those that meet are in one warp, and what they show each other is private
/// to them.
void verify_exchange(const Program& p, const Exchange& s);

/// Nobody does anything after having arrived, and all arrive.
void verify_lasts(const Deal& deal);

/// All shares get to where others wait for them, and begin in order.
void verify_follows(const Deal& deal);

/// What is heard is what is told, and both belong to the group.
void verify_hearing(const Program& p, const Follow& s);

/// There is an offset for every total.
void verify_fix(const ScanFix& s);

}  // namespace mdh::loop
