// Search spaces of parameters whose values depend on each other.
//
// A space is a list of parameters; the range of each is a function of parameters before it. Read as
// a tree, a level for each parameter, its leaves are exactly the valid points. Two observations
// keep the tree small enough to be counted:
//
//   - Parameters that do not depend on each other, not even through a third, are in different
//     groups, each with a tree of its own. The number of points is the product of the trees'.
//   - What lies below a node depends only on those values above it that some parameter below it
//     declares to read. Nodes that agree in them are one node.
//
// For the MatMul of 16x1000x2048 on 5 layers, one group for each dimension: 117,048,750 points from
// trees of 70, 1225 and 1365 leaves.
//
// Every node knows how many points lie below it, and nodes without any are not kept, so the i-th
// point is found by walking down once, a sample is the point of a random number, and no walk ever
// meets a dead end. A group with too many nodes (`max_nodes`) is not kept as a tree: its points are
// found by descending with backtracking, and it is not counted.
#pragma once

#include <memory>
#include <vector>

#include "mdh/tune/domain.h"
#include "mdh/tune/parameter.h"

namespace mdh::tune {

struct SpaceOptions {
  size_t max_nodes = 2'000'000;  // in one group
};

class Space : public SearchDomain {
 public:
  /// Calls the ranges. A parameter that depends on a later or an unknown one, and two of one name,
  /// are bugs of the caller.
  explicit Space(std::vector<Parameter> parameters, SpaceOptions options = {});
  ~Space() override;
  Space(Space&&) noexcept;
  Space& operator=(Space&&) noexcept;

  const std::vector<Parameter>& parameters() const;

  /// The number of groups of parameters that are independent of each other.
  size_t groups() const;

  /// No point at all.
  bool empty() const;

  std::optional<Count> size() const override;
  Point at(Count index) const override;
  /// The number of a point: index_of(at(i)) == i. Nothing if the point is not valid.
  std::optional<Count> index_of(const Point& point) const;
  bool contains(const Point& point) const override;
  Point sample(Random& random) const override;
  std::vector<Point> neighbours(const Point& point) const override;
  Point mutate(const Point& point, Random& random) const override;
  std::vector<double> coordinates(const Point& point) const override;
  Point nearest(std::span<const double> coordinates) const override;
  std::vector<double> features(const Point& point) const override;

  /// The point with these values, given in any order by name; nothing if it is not valid. Derived
  /// parameters may be left out. Configurations from elsewhere enter the space here.
  std::optional<Point> point(const std::map<std::string, Value>& values) const;

  /// As `point`, with values that are not valid, or not given, replaced by the nearest valid ones.
  Point repair(const std::map<std::string, Value>& values) const;

 private:
  struct Parts;
  std::unique_ptr<const Parts> parts_;
};

}  // namespace mdh::tune
