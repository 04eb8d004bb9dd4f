// Changes of two decisions at once that leave a tile as large as it was.
#pragma once

#include <vector>

#include "mdh/driver/search_space.h"

namespace mdh::driver {

/// Points that have other parts of one dimension in registers and so many more or fewer in the loop
/// around them: either change alone makes tiles that suit no cache. Valid values, though not
/// everywhere valid configurations.
std::vector<tune::Point> trades(const SearchSpace& space, const machine::Machine& machine,
                                const tune::Point& point);

}  // namespace mdh::driver
