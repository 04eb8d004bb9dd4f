// Changes of two decisions at once that leave a tile as large as it was.
#pragma once

#include <optional>
#include <vector>

#include "mdh/search/search_space.h"

namespace mdh::search {

/// Points that have other parts of one dimension in registers and so many more or fewer in the loop
/// around them: either change alone makes tiles that suit no cache. Values are valid,
/// configurations not everywhere.
std::vector<tune::Point> trades(const SearchSpace& space, const machine::Machine& machine,
                                const tune::Point& point);

/// One of them, drawn at random; nothing if the drawn dimension and number of parts allow none.
std::optional<tune::Point> trade(const SearchSpace& space, const machine::Machine& machine,
                                 const tune::Point& point, Random& random);

}  // namespace mdh::search
