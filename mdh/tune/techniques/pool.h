// The points that a model chooses among.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "mdh/tune/forest.h"
#include "mdh/tune/techniques/strategy.h"

namespace mdh::tune {

struct PoolOptions {
  size_t whole = 4096;  // a space of up to so many points is the pool
  size_t parents = 8;   // else: neighbours of so many of the best points, ...
  size_t samples = 40;  // ... and so many random points
};

class Pool {
 public:
  Pool(const SearchDomain& domain, const PoolOptions& options);

  /// Where the space is too large to be the pool: fills it anew with the neighbours of `parents`
  /// and random points.
  void refill(const std::vector<Point>& parents, size_t samples, Random& random);

  /// Adds some points near others.
  void extend(const std::vector<Point>& parents, Random& random);

  /// The whole space, once and for all.
  bool is_whole() const { return is_whole_; }
  size_t size() const { return points_.size(); }
  const Point& operator[](size_t place) const { return points_[place]; }
  const std::string& key(size_t place) const { return keys_[place]; }
  const Matrix& features() const { return features_; }
  size_t parents() const { return options_.parents; }

 private:
  void add(Point point);
  void add_two_steps(const Point& from, Random& random);

  const SearchDomain& domain_;
  PoolOptions options_;
  bool is_whole_ = false;
  std::vector<Point> points_;
  std::vector<std::string> keys_;
  Matrix features_;
  Seen members_;
  std::unordered_map<std::string, std::vector<Point>> neighbours_;  // of parents, by key
};

}  // namespace mdh::tune
