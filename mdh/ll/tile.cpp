#include "mdh/ll/tile.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "mdh/hl/analysis.h"

namespace mdh::ll {
namespace {

/// Linear parts of all index functions of an access; an empty one where a function is not affine.
std::vector<std::vector<int64_t>> linear_parts(const hl::Program& program,
                                               const hl::Access& access) {
  std::vector<std::vector<int64_t>> parts;
  for (const scalar::Expr& index : access.index) {
    const auto affine = hl::find_affine(program, index);
    parts.push_back(affine ? affine->coefficients : std::vector<int64_t>{});
  }
  return parts;
}

/// The constants of the accesses spread an axis as if there were one more loop.
Term spread(const hl::Program& program, const hl::BufferView& buffer, const Family& family,
            size_t axis) {
  std::vector<int64_t> constants;
  for (const int a : family) {
    constants.push_back(hl::find_affine(program, buffer.accesses[a].index[axis])->constant);
  }
  const int64_t least = *std::min_element(constants.begin(), constants.end());
  int64_t step = 0, greatest = 0;
  for (const int64_t c : constants) {
    step = std::gcd(step, c - least);
    greatest = std::max(greatest, c - least);
  }
  return step == 0 ? Term{1, 1} : Term{step, greatest / step + 1};
}

std::vector<Band> axis_of(const Nest& nest, const hl::Program& program,
                          const hl::BufferView& buffer, const Family& family,
                          const std::set<int>& free, size_t axis) {
  const auto index = hl::find_affine(program, buffer.accesses[family.front()].index[axis]);
  if (!index) return {{1, hl::extents(program, buffer)[axis]}};
  std::vector<Term> terms = {spread(program, buffer, family, axis)};
  for (const int q : free) {
    const NestLoop& loop = nest.loops[q];
    const int64_t step = std::abs(index->coefficients[loop.level.dimension]);
    terms.push_back({saturating_product(step, loop.chunk), loop.parts});
  }
  return bands(std::move(terms));
}

}  // namespace

std::vector<Band> bands(std::vector<Term> terms) {
  for (Term& term : terms) term.stride = std::abs(term.stride);
  terms.erase(std::remove_if(terms.begin(), terms.end(),
                             [](const Term& t) { return t.stride == 0 || t.count < 2; }),
              terms.end());
  std::sort(terms.begin(), terms.end(),
            [](const Term& a, const Term& b) { return a.stride < b.stride; });
  std::vector<Band> result;
  int64_t reach = 0, band_start = 0;
  for (size_t n = 0; n < terms.size(); ++n) {
    int64_t coarser = 0;
    for (size_t m = n; m < terms.size(); ++m) coarser = std::gcd(coarser, terms[m].stride);
    if (n == 0 || coarser > reach) {
      result.push_back({0, 1});
      band_start = static_cast<int64_t>(n);
    }
    reach = saturating_sum(reach, saturating_product(terms[n].stride, terms[n].count - 1));
    Band& band = result.back();
    band.stride = std::gcd(band.stride, terms[n].stride);
    band.extent = 1;
    for (size_t m = static_cast<size_t>(band_start); m <= n; ++m) {
      band.extent = saturating_sum(
          band.extent, saturating_product(terms[m].stride / band.stride, terms[m].count - 1));
    }
  }
  return result;
}

std::vector<Family> families(const hl::Program& program, const hl::BufferView& buffer) {
  std::map<std::vector<std::vector<int64_t>>, Family> by_linear_part;
  std::vector<Family> alone;
  for (size_t a = 0; a < buffer.accesses.size(); ++a) {
    const auto parts = linear_parts(program, buffer.accesses[a]);
    const bool affine =
        std::none_of(parts.begin(), parts.end(), [](const auto& part) { return part.empty(); });
    if (affine || program.dimensions.empty()) {
      by_linear_part[parts].push_back(static_cast<int>(a));
    } else {
      alone.push_back({static_cast<int>(a)});
    }
  }
  for (auto& [parts, family] : by_linear_part) alone.push_back(family);
  std::sort(alone.begin(), alone.end());
  return alone;
}

Tile tile_of(const Nest& nest, const hl::Program& program, const hl::BufferView& buffer,
             const Family& family, const std::set<int>& free) {
  Tile tile;
  for (size_t e = 0; e < buffer.accesses.front().index.size(); ++e) {
    tile.axes.push_back(axis_of(nest, program, buffer, family, free, e));
    for (const Band& band : tile.axes.back()) {
      tile.elements = saturating_product(tile.elements, band.extent);
    }
  }
  return tile;
}

std::optional<int64_t> exact_elements(const Nest& nest, const hl::Program& program,
                                      const hl::BufferView& buffer, const Family& family,
                                      const std::set<int>& free, int64_t limit) {
  std::vector<std::vector<hl::Affine>> accesses;
  for (const int a : family) {
    accesses.emplace_back();
    for (const scalar::Expr& index : buffer.accesses[a].index) {
      const auto affine = hl::find_affine(program, index);
      if (!affine) return std::nullopt;
      accesses.back().push_back(*affine);
    }
  }
  int64_t points = 1;
  for (const int q : free) points = saturating_product(points, nest.loops[q].parts);
  if (saturating_product(points, static_cast<int64_t>(family.size())) > limit) return std::nullopt;
  std::set<std::vector<int64_t>> seen;
  for (int64_t n = 0; n < points; ++n) {
    int64_t rest = n;
    std::vector<int64_t> point(program.dimensions.size(), 0);
    for (const int q : free) {
      point[nest.loops[q].level.dimension] += rest % nest.loops[q].parts * nest.loops[q].chunk;
      rest /= nest.loops[q].parts;
    }
    for (const std::vector<hl::Affine>& access : accesses) {
      std::vector<int64_t> element;
      for (const hl::Affine& index : access) element.push_back(index.at(point));
      seen.insert(std::move(element));
    }
  }
  return static_cast<int64_t>(seen.size());
}

bool uses(const hl::Program& program, const hl::BufferView& buffer, const Family& family,
          int dimension) {
  for (const int a : family) {
    for (const scalar::Expr& index : buffer.accesses[a].index) {
      const auto affine = hl::find_affine(program, index);
      if (!affine || affine->coefficients[dimension] != 0) return true;
    }
  }
  return false;
}

}  // namespace mdh::ll
