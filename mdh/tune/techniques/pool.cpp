#include "mdh/tune/techniques/pool.h"

namespace mdh::tune {

namespace {

constexpr size_t one_step = 16, two_steps = 8;  // random ones, tried from each parent

}  // namespace

Pool::Pool(const SearchDomain& domain, const PoolOptions& options)
    : domain_(domain), options_(options) {
  const std::optional<Count> size = domain.size();
  is_whole_ = size && *size <= options.whole;
  for (Count n = 0; is_whole_ && n < *size; ++n) add(domain.at(n));
}

void Pool::refill(const std::vector<Point>& parents, size_t samples, Random& random) {
  if (is_whole_) return;
  points_.clear();
  keys_.clear();
  features_.clear();
  members_ = {};
  for (const Point& parent : parents) {
    const auto [found, is_new] = neighbours_.try_emplace(parent.key());
    if (is_new) found->second = domain_.neighbours(parent);
    for (const Point& point : found->second) add(point);
    add_two_steps(parent, random);
  }
  for (size_t n = 0; n < samples; ++n) add(domain_.sample(random));
}

void Pool::extend(const std::vector<Point>& parents, Random& random) {
  if (is_whole_) return;
  for (const Point& parent : parents) {
    for (size_t n = 0; n < one_step; ++n) add(domain_.mutate(parent, random));
    add_two_steps(parent, random);
  }
}

// Where a change of one parameter alone does not pay.
void Pool::add_two_steps(const Point& from, Random& random) {
  for (size_t n = 0; n < two_steps; ++n) {
    add(domain_.mutate(domain_.mutate(from, random), random));
  }
}

void Pool::add(Point point) {
  std::string key = point.key();
  if (!members_.add(key)) return;
  features_.add(domain_.features(point));
  keys_.push_back(std::move(key));
  points_.push_back(std::move(point));
}

}  // namespace mdh::tune
