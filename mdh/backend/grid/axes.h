// The axes of a launch: which of them the members of a grid, and the items of a group, are on.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "mdh/loop/program.h"

namespace mdh::backend {

/// Counters by the axis that their digits are on; the first one where nothing says so.
using OnAxes = std::array<std::vector<loop::Counter>, 3>;
OnAxes on_axes(const loop::Program& p, const std::vector<loop::Counter>& shares);

/// The first one where nothing says so.
size_t axis_of(const loop::Digit& digit);

/// Some digit says on which axis it is.
bool has_axes(const loop::Program& p, const std::vector<loop::Counter>& shares);

std::array<int64_t, 3> extents_of(const OnAxes& axes);

/// Items of groups whose cores own shares: along the axes of digits if all of them are digits and
/// some say on which they are, and as many as without; otherwise along the first axis. There is one
/// for every core that owns something.
struct Items {
  std::array<int64_t, 3> extents = {1, 1, 1};
  bool along_axes = false;

  int64_t count() const { return extents[0] * extents[1] * extents[2]; }
};
/// Items that own nothing are many, so that they need not do one share after the other.
Items items_of(const loop::Program& p, const loop::Block& body, int64_t many_items);

/// Work-items of a group where nothing else says how many.
constexpr int64_t usual_items = 64;

/// rows x columns members, of which `together` rows begin side by side: their members follow each
/// other column by column, so that those that begin at the same time share rows as well as columns.
/// With the last rows there may be fewer. mdh_flat counts from 0 on; mdh_row and mdh_column are
/// defined, of the same type.
std::string swizzled(const std::string& type, int64_t rows, int64_t columns, int64_t together);

}  // namespace mdh::backend
