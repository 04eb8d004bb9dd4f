// Layouts of copies, named by what they are good for (see search_space.h).
#pragma once

#include <string>
#include <vector>

#include "mdh/search/space/context.h"

namespace mdh::search::space {

using Layout = std::vector<ll::LayoutAxis>;

/// The view of an input; nothing if there is no such input.
const hl::BufferView* view_of(const SpaceVariant& variant, const std::string& buffer);

/// For every dimension of a buffer the dimension of the program that alone walks along it; empty
/// where several do.
std::vector<std::string> walkers(const SpaceVariant& variant, const hl::BufferView& view);

/// Buffer dimensions by their innermost levels.
Layout by_dimensions(const SpaceVariant& variant, const ll::Config& config,
                     const hl::BufferView& view);

/// As in the buffer, but what the innermost loop and the registers walk along comes last.
Layout inside_last(const SpaceContext& c, const SpaceVariant& variant, const ll::Config& config,
                   const hl::BufferView& view);

/// What stands still, or what only loops walk along, comes first; then what threads, registers and
/// lanes share: in one round of the loops the threads of a group read what lies side by side.
Layout loops_first(const SpaceContext& c, const SpaceVariant& variant, const ll::Config& config,
                   const hl::BufferView& view);

/// The block of axes "1-3", from the second to before the fourth, in front of the others; "-": as
/// they are.
Layout with_front(const std::string& front, const Layout& layout);

/// As the loops inside of the place walk: split dimensions digit by digit, others whole where they
/// move innermost. What parts of a dimension reach beyond its end is there, too.
Layout by_digits(const SpaceVariant& variant, const ll::Config& config, const hl::BufferView& view,
                 const ll::LevelName& from);

/// The same, but a dimension all of whose digits lie side by side is one axis, and ends where the
/// buffer does. Where that leaves the order of the buffer, it is no copy in a cache.
Layout by_walk(const SpaceVariant& variant, const ll::Config& config, const hl::BufferView& view,
               const ll::LevelName& from);

/// The order of the buffer itself.
bool is_kept(const SpaceVariant& variant, const hl::BufferView& view, const Layout& layout);

}  // namespace mdh::search::space
