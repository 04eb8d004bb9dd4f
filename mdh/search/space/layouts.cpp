#include "mdh/search/space/layouts.h"

#include <algorithm>

#include "mdh/hl/analysis.h"
#include "mdh/ll/names.h"

namespace mdh::search::space {

const hl::BufferView* view_of(const SpaceVariant& variant, const std::string& buffer) {
  for (const hl::BufferView& view : variant.program.inputs) {
    if (view.symbol.name == buffer) return &view;
  }
  return nullptr;
}

std::vector<std::string> walkers(const SpaceVariant& variant, const hl::BufferView& view) {
  std::vector<std::string> names(view.accesses.front().index.size());
  for (const hl::Access& access : view.accesses) {
    for (size_t e = 0; e < names.size(); ++e) {
      const auto affine = hl::find_affine(variant.program, access.index[e]);
      std::string alone;
      int moving = 0;
      for (size_t d = 0; affine && d < affine->coefficients.size(); ++d) {
        if (affine->coefficients[d] == 0) continue;
        ++moving;
        if (affine->coefficients[d] == 1) alone = variant.program.dimensions[d].symbol.name;
      }
      names[e] = moving == 1 && view.accesses.size() == 1 ? alone : "";
    }
  }
  return names;
}

namespace {

/// The order of the loops around copies.
std::vector<ll::LevelName> copied_in(const ll::Config& config) {
  return ll::order_of(config, "decomposition");
}

/// Position in the order of the innermost level of what moves along a buffer dimension.
int innermost(const SpaceVariant& variant, const ll::Config& config, const hl::BufferView& view,
              size_t e) {
  const std::vector<ll::LevelName> order = copied_in(config);
  int last = -1;
  for (const hl::Access& access : view.accesses) {
    const auto affine = hl::find_affine(variant.program, access.index[e]);
    for (size_t n = 0; n < order.size(); ++n) {
      for (size_t d = 0; affine && d < affine->coefficients.size(); ++d) {
        const bool moves = affine->coefficients[d] != 0 &&
                           variant.program.dimensions[d].symbol.name == order[n].dimension;
        if (moves) last = std::max(last, static_cast<int>(n));
      }
    }
  }
  return last;
}

/// Buffer dimensions by their innermost levels; those that move no deeper than `begin` stay in
/// front, as they are.
Layout sorted_from(const SpaceVariant& variant, const ll::Config& config,
                   const hl::BufferView& view, size_t begin) {
  const std::vector<std::string> names = walkers(variant, view);
  std::vector<std::pair<int, size_t>> sorted;
  for (size_t e = 0; e < names.size(); ++e) {
    const int last = innermost(variant, config, view, e);
    sorted.emplace_back(last >= static_cast<int>(begin) ? last : -1, e);
  }
  std::stable_sort(sorted.begin(), sorted.end());
  Layout layout;
  for (const auto& [position, e] : sorted) {
    layout.push_back({names[e].empty() ? std::to_string(e + 1) : names[e], ""});
  }
  return layout;
}

/// A dimension all of whose digits lie side by side is one axis.
Layout merged(const ll::Config& config, const Layout& layout) {
  Layout result;
  for (size_t n = 0; n < layout.size();) {
    size_t end = n + 1;
    while (end < layout.size() && layout[end].dimension == layout[n].dimension) ++end;
    const auto split = config.split.find(layout[n].dimension);
    bool whole = split != config.split.end() && split->second.size() == end - n;
    for (size_t d = 0; whole && d < split->second.size(); ++d) {
      whole = split->second[d].layer == layout[n + d].layer;
    }
    if (whole) {
      result.push_back({layout[n].dimension, ""});
    } else {
      result.insert(result.end(), layout.begin() + static_cast<long>(n),
                    layout.begin() + static_cast<long>(end));
    }
    n = end;
  }
  return result;
}

}  // namespace

Layout by_dimensions(const SpaceVariant& variant, const ll::Config& config,
                     const hl::BufferView& view) {
  return sorted_from(variant, config, view, 0);
}

Layout inside_last(const SpaceContext& c, const SpaceVariant& variant, const ll::Config& config,
                   const hl::BufferView& view) {
  const std::vector<ll::LevelName> order = copied_in(config);
  size_t begin = order.size();
  while (begin > 0 && (order[begin - 1].layer == c.layers.registers ||
                       order[begin - 1].layer == c.layers.lanes)) {
    --begin;
  }
  return sorted_from(variant, config, view, begin > 0 ? begin - 1 : 0);
}

namespace {

/// Not only loops walk along the dimension inside of a group.
bool is_shared(const SpaceContext& c, const SpaceVariant& variant, const ll::Config& config,
               const std::string& dimension) {
  if (variant.find(dimension) == nullptr) return true;  // several walk along the axis
  const auto split = config.split.find(dimension);
  if (split == config.split.end()) return false;
  return std::any_of(split->second.begin(), split->second.end(), [&](const ll::Digit& digit) {
    const auto& names = c.layers.cores;
    const bool inner_core = std::find(names.begin() + 1, names.end(), digit.layer) != names.end();
    const bool tile = digit.layer == c.layers.registers || digit.layer == c.layers.lanes;
    return digit.parts > 1 && (inner_core || tile);
  });
}

}  // namespace

Layout loops_first(const SpaceContext& c, const SpaceVariant& variant, const ll::Config& config,
                   const hl::BufferView& view) {
  Layout layout = by_dimensions(variant, config, view);
  std::stable_partition(layout.begin(), layout.end(), [&](const ll::LayoutAxis& axis) {
    return !is_shared(c, variant, config, axis.dimension);
  });
  return layout;
}

Layout with_front(const std::string& front, const Layout& layout) {
  if (front == "-" || layout.empty()) return layout;
  const long begin = std::stol(front), end = std::stol(front.substr(front.find('-') + 1));
  Layout result = layout;
  std::rotate(result.begin(), result.begin() + begin, result.begin() + end);
  return result;
}

Layout by_digits(const SpaceVariant& variant, const ll::Config& config, const hl::BufferView& view,
                 const ll::LevelName& from) {
  const std::vector<std::string> names = walkers(variant, view);
  size_t begin = 0;
  const std::vector<ll::LevelName> order = copied_in(config);
  while (begin < order.size() && order[begin] != from) ++begin;
  Layout layout;
  for (size_t e = 0; e < names.size(); ++e) {  // what stands still inside
    const bool moves = innermost(variant, config, view, e) >= static_cast<int>(begin);
    if (!moves) layout.push_back({names[e].empty() ? std::to_string(e + 1) : names[e], ""});
  }
  for (size_t n = begin; n < order.size(); ++n) {
    const ll::LevelName& level = order[n];
    const auto alone = std::find(names.begin(), names.end(), level.dimension);
    if (alone != names.end()) layout.push_back({level.dimension, level.layer});
    for (size_t e = 0; e < names.size(); ++e) {
      if (names[e].empty() && innermost(variant, config, view, e) == static_cast<int>(n)) {
        layout.push_back({std::to_string(e + 1), ""});
      }
    }
  }
  return layout;
}

Layout by_walk(const SpaceVariant& variant, const ll::Config& config, const hl::BufferView& view,
               const ll::LevelName& from) {
  return merged(config, by_digits(variant, config, view, from));
}

bool is_kept(const SpaceVariant& variant, const hl::BufferView& view, const Layout& layout) {
  return ll::layout_of(variant.program, view, layout) == ll::row_major(view);
}

}  // namespace mdh::search::space
