// What a search technique sees of a space: points to draw, to change and to place in a cube. A
// constrained space (space.h) and a list of recorded points (listed_space.h) both are domains.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mdh/support/random.h"
#include "mdh/tune/point.h"

namespace mdh::tune {

/// The number of points of a space; 2^128-1 also stands for more than that.
using Count = unsigned __int128;
inline constexpr Count count_limit = ~Count{0};

std::string to_string(Count count);

class SearchDomain {
 public:
  virtual ~SearchDomain() = default;

  /// How many points there are; nothing if they are too many to be counted exactly.
  virtual std::optional<Count> size() const = 0;

  /// The point of this number, below size(). Only where the size is known.
  virtual Point at(Count index) const = 0;

  virtual bool contains(const Point& point) const = 0;

  /// A random point: each is equally likely where the size is known.
  virtual Point sample(Random& random) const = 0;

  /// All points that come from `point` by changing one parameter, itself excluded.
  virtual std::vector<Point> neighbours(const Point& point) const = 0;

  /// A random valid point close to `point`: one parameter is changed, those after it follow where
  /// they must. Equal to `point` only if there is no other.
  virtual Point mutate(const Point& point, Random& random) const = 0;

  /// The place of a point in the unit cube: one coordinate for each parameter that can be chosen.
  virtual std::vector<double> coordinates(const Point& point) const = 0;

  /// A valid point at or close to this place.
  virtual Point nearest(std::span<const double> coordinates) const = 0;

  /// What a model learns from: numbers without scale, one or more for each parameter.
  virtual std::vector<double> features(const Point& point) const = 0;
};

}  // namespace mdh::tune
