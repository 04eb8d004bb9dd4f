// What several accesses of a buffer touch together: a star of boxes is less than the box around it.
#pragma once

#include "mdh/model/structure.h"

namespace mdh::model {

/// As of `touched`, with the elements that the boxes of all accesses have together.
struct Union : Touched {
  double rows = 1;  // lines along the last axis
};

Union union_of(const Shape& shape, const Loops& loops, const BufferShape& buffer);

}  // namespace mdh::model
