#include "mdh/model/grid_union.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace mdh::model {
namespace {

constexpr size_t most_accesses = 16, most_axes = 6;
constexpr double most_pieces = 16384;  // between the borders of all accesses along all axes but one

/// Boxes of accesses, without a single allocation: estimates ask for them thousands of times.
class Boxes {
 public:
  Boxes(const Shape& shape, const Loops& loops, const BufferShape& buffer)
      : axes_(buffer.extents.size()), count_(buffer.accesses.size()) {
    for (size_t d = 0; d < shape.dimensions.size(); ++d) {
      const int n = static_cast<int>(d);
      const int64_t far = spread(shape, loops, n, 0);
      // Points of a dimension may lie apart.
      are_whole_ = are_whole_ && far <= points(loops, n, 0);
      for (size_t a = 0; a < count_; ++a) widen(buffer.accesses[a], a, d, far);
    }
    for (size_t a = 0; a < count_; ++a) {
      for (size_t e = 0; e < axes_; ++e) {
        const int64_t begin = buffer.accesses[a].index[e].constant;
        at(a, e) = {begin, begin + at(a, e).end + 1};
      }
    }
  }

  bool are_whole() const { return are_whole_; }

  /// Points along the first few axes.
  double points_of_all(size_t axes) const { return points_of((1U << count_) - 1, 0, axes); }

 private:
  struct Range {
    int64_t begin = 0, end = 0;
  };

  Range& at(size_t access, size_t axis) { return ranges_[access * most_axes + axis]; }
  const Range& at(size_t access, size_t axis) const { return ranges_[access * most_axes + axis]; }

  void widen(const AccessShape& access, size_t number, size_t dimension, int64_t far) {
    for (size_t e = 0; e < axes_; ++e) {
      const int64_t step = std::abs(access.index[e].coefficients[dimension]);
      if (step > 1 && far > 1) are_whole_ = false;
      at(number, e).end += step * (far - 1);
    }
  }

  /// Between two neighbouring borders all points are alike.
  double points_of(unsigned boxes, size_t axis, size_t axes) const {
    if (boxes == 0) return 0;
    if (axis == axes) return 1;
    std::array<int64_t, 2 * most_accesses> borders;
    size_t size = 0;
    for (size_t a = 0; a < count_; ++a) {
      if ((boxes >> a & 1U) == 0) continue;
      borders[size++] = at(a, axis).begin;
      borders[size++] = at(a, axis).end;
    }
    std::sort(borders.begin(), borders.begin() + static_cast<long>(size));
    double points = 0;
    for (size_t n = 0; n + 1 < size; ++n) {
      if (borders[n] == borders[n + 1]) continue;
      const unsigned here = inside(boxes, axis, borders[n], borders[n + 1]);
      points += static_cast<double>(borders[n + 1] - borders[n]) * points_of(here, axis + 1, axes);
    }
    return points;
  }

  unsigned inside(unsigned boxes, size_t axis, int64_t begin, int64_t end) const {
    unsigned here = 0;
    for (size_t a = 0; a < count_; ++a) {
      const Range& range = at(a, axis);
      if ((boxes >> a & 1U) != 0 && range.begin <= begin && end <= range.end) here |= 1U << a;
    }
    return here;
  }

  size_t axes_, count_;
  bool are_whole_ = true;
  std::array<Range, most_accesses* most_axes> ranges_ = {};
};

}  // namespace

Union union_of(const Shape& shape, const Loops& loops, const BufferShape& buffer) {
  Union all{touched(shape, loops, buffer, 0)};
  for (size_t e = 0; e + 1 < all.counts.size(); ++e) {
    all.rows *= static_cast<double>(all.counts[e]);
  }
  const size_t count = buffer.accesses.size(), axes = buffer.extents.size();
  if (count < 2 || count > most_accesses || axes == 0 || axes > most_axes) return all;
  const double pieces = std::pow(2.0 * static_cast<double>(count), static_cast<double>(axes) - 1);
  if (pieces > most_pieces) return all;
  const Boxes boxes(shape, loops, buffer);
  if (!boxes.are_whole()) return all;
  all.rows = std::min(all.rows, boxes.points_of_all(axes - 1));
  all.elements = std::min(all.elements, static_cast<int64_t>(boxes.points_of_all(axes)));
  return all;
}

}  // namespace mdh::model
