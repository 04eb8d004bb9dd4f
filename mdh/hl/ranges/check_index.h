// Index functions that are not affine: do they stay inside of their buffers?
#pragma once

#include "mdh/hl/analysis.h"

namespace mdh::hl {

/// How much work checks may still be: evaluations of nodes of expressions. Shared by all index
/// functions of a program, and enough for some million points, or about a second.
struct CheckBudget {
  int64_t left = int64_t{1} << 26;
};

/// One index function of a buffer.
struct CheckedIndex {
  const BufferView& view;
  const Expr& index;
  size_t number;  // among the index functions of the access, from 0
};

/// Proves, for all points of the index set `over`, that the index lies in [0, extent) and that
/// evaluating it neither divides by zero nor exceeds 64 bits. Affine functions are known to lie
/// inside already.
///
/// First by intervals on the whole index set. Where these are too wide the index set is halved, and
/// so on, down to single points, where they are exact; only dimensions that the function mentions
/// are split. So an index that is far from the ends of its buffer costs little, whatever the size,
/// and one that leaves it is found at the latest when its point is looked at.
///
/// User errors: E130 (division by zero), E235 (outside), E236 (too large for 64 bits); each names
/// the point. Not supported: E237, if the budget ends before there is an answer.
void check_index(const Program& p, const CheckedIndex& what, int64_t extent,
                 const std::vector<int64_t>& over, CheckBudget& budget);

}  // namespace mdh::hl
