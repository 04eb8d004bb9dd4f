// A search space that is a list of points, e.g. those that were measured and recorded.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "mdh/tune/domain.h"

namespace mdh::tune {

/// Points may lack keys. Neighbours differ in the value, or the absence, of one key.
class ListedSpace : public SearchDomain {
 public:
  /// Points named twice are kept once.
  explicit ListedSpace(const std::vector<std::map<std::string, Value>>& points);
  ~ListedSpace() override;
  ListedSpace(ListedSpace&&) noexcept;
  ListedSpace& operator=(ListedSpace&&) noexcept;

  const std::vector<Point>& points() const;
  std::optional<size_t> index_of(const Point& point) const;

  std::optional<Count> size() const override;
  Point at(Count index) const override;
  bool contains(const Point& point) const override;
  Point sample(Random& random) const override;
  std::vector<Point> neighbours(const Point& point) const override;
  /// Where no point differs in one key only, one of those that differ in the fewest.
  Point mutate(const Point& point, Random& random) const override;
  std::vector<double> coordinates(const Point& point) const override;
  Point nearest(std::span<const double> coordinates) const override;
  std::vector<double> features(const Point& point) const override;

 private:
  struct Parts;
  std::unique_ptr<const Parts> parts_;
};

}  // namespace mdh::tune
