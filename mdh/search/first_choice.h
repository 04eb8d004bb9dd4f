// Good configurations without measuring anything.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "mdh/model/rates.h"
#include "mdh/model/shape.h"
#include "mdh/search/search_space.h"

namespace mdh::search {

struct FirstChoiceOptions {
  size_t steps = 3000;  // configurations that are estimated
  size_t count = 1;     // how many are wanted
  uint64_t seed = 1;
  std::vector<tune::Point> starts;  // known points to begin with; not needed where sketches are
};

struct EstimatedPoint {
  tune::Point point;
  double cost = 0;  // nanoseconds, estimated
};

/// What points are estimated to cost, in nanoseconds.
class PointEstimate {
 public:
  /// Both must outlive it.
  PointEstimate(const machine::Machine& machine, const model::Rates& rates)
      : machine_(machine), rates_(rates) {}

  double operator()(const SearchSpace& space, const tune::Point& point);

 private:
  const machine::Machine& machine_;
  const model::Rates& rates_;
  std::map<std::string, model::Shape> shapes_;  // by what is fused
};

/// What a valid configuration is estimated to cost, in nanoseconds.
double estimated_cost(const hl::Program& program, const machine::Machine& machine,
                      const ll::Config& config, const model::Rates& rates);

/// Valid points, those with the least estimated cost first.
std::vector<EstimatedPoint> first_choice(const SearchSpace& space, const machine::Machine& machine,
                                         const model::Rates& rates,
                                         const FirstChoiceOptions& options);

}  // namespace mdh::search
