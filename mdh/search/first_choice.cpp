#include "mdh/search/first_choice.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "mdh/ll/roles.h"
#include "mdh/model/cost.h"
#include "mdh/passes/lower/fuse.h"
#include "mdh/search/sketches.h"

namespace mdh::search {
namespace {

class Chooser {
 public:
  Chooser(const SearchSpace& space, const machine::Machine& machine, const model::Rates& rates,
          const FirstChoiceOptions& options)
      : space_(space),
        machine_(machine),
        options_(options),
        random_(options.seed),
        estimate_(machine, rates) {}

  std::vector<EstimatedPoint> run() {
    for (const tune::Point& start : options_.starts) note(start);
    const size_t walks = 6;
    const size_t length = options_.steps / walks;
    for (size_t n = 0; n < walks; ++n) walk(start(length / 5), length - length / 5);
    polish();
    return valid_ones();
  }

 private:
  /// The best point so far, improved until no single change helps.
  void polish() {
    for (int round = 0; round < 20; ++round) {
      const EstimatedPoint best = *least();
      for (const tune::Point& near : space_.parameters().neighbours(best.point)) cost_of(near);
      if (least()->cost >= best.cost) return;
    }
  }

  const EstimatedPoint* least() const {
    const EstimatedPoint* best = nullptr;
    for (const auto& [key, estimated] : costs_) {
      if (!best || estimated.cost < best->cost) best = &estimated;
    }
    return best;
  }

  double cost_of(const tune::Point& point) {
    const auto known = costs_.find(point.key());
    if (known != costs_.end()) return known->second.cost;
    return note(point);
  }

  double note(const tune::Point& point) {
    const double cost = estimate_(space_, point);
    costs_.emplace(point.key(), EstimatedPoint{point, cost});
    return cost;
  }

  /// The best of some random points.
  tune::Point start(size_t tries) {
    tune::Point best = space_.parameters().sample(random_);
    double least = cost_of(best);
    for (size_t n = 1; n < tries; ++n) {
      const tune::Point other = space_.parameters().sample(random_);
      const double cost = cost_of(other);
      if (cost < least) {
        least = cost;
        best = other;
      }
    }
    return best;
  }

  /// Annealing: worse points are accepted less and less often.
  void walk(tune::Point at, size_t steps) {
    double here = cost_of(at);
    for (size_t n = 0; n < steps; ++n) {
      const double left = 1.0 - static_cast<double>(n) / static_cast<double>(steps);
      const double heat = 0.3 * std::max(0.0, left - 0.3);
      tune::Point next = space_.parameters().mutate(at, random_);
      while (random_.chance(30)) next = space_.parameters().mutate(next, random_);
      const double cost = cost_of(next);
      const double worse = std::log(cost / here);
      const double luck = static_cast<double>(random_.between(1, 1000)) / 1000;
      if (worse <= 0 || luck < std::exp(-worse / std::max(heat, 1e-3))) {
        at = next;
        here = cost;
      }
    }
  }

  std::vector<EstimatedPoint> valid_ones() const {
    std::vector<const EstimatedPoint*> ranked;
    for (const auto& [key, estimated] : costs_) ranked.push_back(&estimated);
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const auto* a, const auto* b) { return a->cost < b->cost; });
    std::vector<EstimatedPoint> result;
    std::map<std::string, int> alike;
    for (const EstimatedPoint* e : ranked) {
      if (result.size() == options_.count) break;
      if (alike[kind_of(e->point)] >= 2 || !space_.is_valid(e->point)) continue;
      ++alike[kind_of(e->point)];
      result.push_back(*e);
    }
    return result;
  }

  /// What is estimated wrongly for one is so for all with the same tile of registers, the same
  /// innermost loops and the same copies: only few of a kind are worth a try.
  std::string kind_of(const tune::Point& point) const {
    const ll::Roles layers = ll::roles_of(machine_);
    std::string kind;
    for (size_t n = 0; n < point.size(); ++n) {
      const std::string& name = point.names()[n];
      const bool matters = name.starts_with(layers.registers + ".") ||
                           name.starts_with(layers.lanes + ".") || name.starts_with("pack.") ||
                           name.starts_with("acc.") || name == "late" ||
                           name == "order." + layers.inner;
      if (matters) kind += tune::to_string(point[n]) + " ";
    }
    return kind;
  }

  const SearchSpace& space_;
  const machine::Machine& machine_;
  const FirstChoiceOptions& options_;
  Random random_;
  std::map<std::string, EstimatedPoint> costs_;
  PointEstimate estimate_;
};

}  // namespace

double PointEstimate::operator()(const SearchSpace& space, const tune::Point& point) {
  const std::string& fuse = point.label("fuse");
  auto found = shapes_.find(fuse);
  if (found == shapes_.end()) {
    found = shapes_.emplace(fuse, model::shape_of(space.fused(point))).first;
  }
  return model::estimated_time(found->second, space.fused(point), machine_, space.config(point),
                               rates_);
}

double estimated_cost(const hl::Program& program, const machine::Machine& machine,
                      const ll::Config& config, const model::Rates& rates) {
  const hl::Program fused = passes::fuse(program, config.fuse);
  return model::estimated_time(model::shape_of(fused), fused, machine, config, rates);
}

namespace {

/// Sketches, changed as little as the space asks for.
std::vector<EstimatedPoint> sketched(const SearchSpace& space, const machine::Machine& machine,
                                     const model::Rates& rates, size_t count) {
  std::vector<EstimatedPoint> result;
  std::set<std::string> known;
  for (const EstimatedConfig& sketch : sketches(space.program(), machine, rates, count)) {
    auto point = space.point(sketch.config);
    if (!point) point = space.nearest_to(sketch.config);
    if (point && known.insert(point->key()).second) result.push_back({*point, sketch.cost});
  }
  return result;
}

}  // namespace

std::vector<EstimatedPoint> first_choice(const SearchSpace& space, const machine::Machine& machine,
                                         const model::Rates& rates,
                                         const FirstChoiceOptions& options) {
  std::vector<EstimatedPoint> found = sketched(space, machine, rates, options.count);
  if (!found.empty()) return found;
  return Chooser(space, machine, rates, options).run();
}

}  // namespace mdh::search
