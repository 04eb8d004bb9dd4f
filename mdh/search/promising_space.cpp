#include "mdh/search/promising_space.h"

#include <algorithm>
#include <cmath>

namespace mdh::search {
namespace {

constexpr double tolerated = 2;  // times the least estimate, or that of the point one comes from
constexpr int attempts = 8;

}  // namespace

PromisingSpace::PromisingSpace(const tune::SearchDomain& space, std::vector<tune::Point> good,
                               Estimate estimate, Near near)
    : space_(space),
      good_(std::move(good)),
      estimate_(std::move(estimate)),
      near_(std::move(near)) {
  least_ = HUGE_VAL;
  for (const tune::Point& point : good_) least_ = std::min(least_, this->estimate(point));
}

double PromisingSpace::estimate(const tune::Point& point) const {
  const auto [found, is_new] = estimates_.try_emplace(point.key(), 0);
  if (is_new) found->second = estimate_(point);
  return found->second;
}

bool PromisingSpace::is_promising(const tune::Point& point, double limit) const {
  return estimate(point) <= tolerated * std::max(least_, limit);
}

tune::Point PromisingSpace::sample(Random& random) const {
  tune::Point point = random.pick(good_);
  do {
    point = mutate(point, random);
  } while (random.chance(60));
  return point;
}

std::vector<tune::Point> PromisingSpace::neighbours(const tune::Point& point) const {
  std::vector<tune::Point> all;
  const auto add = [&](std::vector<tune::Point> points) {
    for (tune::Point& near : points) {
      if (is_promising(near, estimate(point))) all.push_back(std::move(near));
    }
  };
  add(space_.neighbours(point));
  if (near_.all) add(near_.all(point));
  return all;
}

tune::Point PromisingSpace::changed(const tune::Point& point, Random& random) const {
  const auto near = near_.one && random.chance(20) ? near_.one(point, random) : std::nullopt;
  return near ? *near : space_.mutate(point, random);
}

tune::Point PromisingSpace::mutate(const tune::Point& point, Random& random) const {
  for (int attempt = 0; attempt < attempts; ++attempt) {
    tune::Point near = changed(point, random);
    if (is_promising(near, 0)) return near;
  }
  return space_.mutate(point, random);
}

std::vector<double> PromisingSpace::coordinates(const tune::Point& point) const {
  return space_.coordinates(point);
}

tune::Point PromisingSpace::nearest(std::span<const double> coordinates) const {
  return space_.nearest(coordinates);
}

std::vector<double> PromisingSpace::features(const tune::Point& point) const {
  std::vector<double> all = space_.features(point);
  all.push_back(std::log(std::max(estimate(point), 1e-9)));
  return all;
}

}  // namespace mdh::search
