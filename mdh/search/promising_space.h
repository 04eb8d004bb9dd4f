// The part of a search space that is worth measuring.
//
// Most points of a space are slow, and some take long to compile. Points are drawn near those that
// are estimated to be good, and changes for the much worse are left out. The estimate of a point is
// also one of its features, so that what is learned from measurements is how estimates err.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "mdh/tune/domain.h"

namespace mdh::search {

class PromisingSpace : public tune::SearchDomain {
 public:
  using Estimate = std::function<double(const tune::Point&)>;
  /// Points that are near in other ways than by the change of one parameter.
  struct Near {
    std::function<std::vector<tune::Point>(const tune::Point&)> all = nullptr;
    std::function<std::optional<tune::Point>(const tune::Point&, Random&)> one = nullptr;
  };

  /// The space must outlive this one. There is at least one good point.
  PromisingSpace(const tune::SearchDomain& space, std::vector<tune::Point> good, Estimate estimate,
                 Near near);
  PromisingSpace(const tune::SearchDomain& space, std::vector<tune::Point> good, Estimate estimate)
      : PromisingSpace(space, std::move(good), std::move(estimate), Near{}) {}

  /// Unknown: it cannot be listed.
  std::optional<tune::Count> size() const override { return std::nullopt; }
  tune::Point at(tune::Count index) const override { return space_.at(index); }
  bool contains(const tune::Point& point) const override { return space_.contains(point); }

  /// Some changes away from a good point.
  tune::Point sample(Random& random) const override;
  std::vector<tune::Point> neighbours(const tune::Point& point) const override;
  tune::Point mutate(const tune::Point& point, Random& random) const override;
  std::vector<double> coordinates(const tune::Point& point) const override;
  tune::Point nearest(std::span<const double> coordinates) const override;
  std::vector<double> features(const tune::Point& point) const override;

  double estimate(const tune::Point& point) const;

 private:
  bool is_promising(const tune::Point& point, double limit) const;
  tune::Point changed(const tune::Point& point, Random& random) const;

  const tune::SearchDomain& space_;
  std::vector<tune::Point> good_;
  Estimate estimate_;
  Near near_;
  double least_ = 0;
  mutable std::map<std::string, double> estimates_;  // by key
};

}  // namespace mdh::search
