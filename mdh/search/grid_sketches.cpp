#include "mdh/search/grid_sketches.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "mdh/ll/grid_config.h"
#include "mdh/model/grid_cost.h"
#include "mdh/search/grid_sketch.h"
#include "mdh/search/grid_walk.h"
#include "mdh/support/threads.h"

namespace mdh::search {
namespace {

constexpr size_t walks = 16;

class GridSearch {
 public:
  GridSearch(const hl::Program& program, const machine::Machine& machine,
             const model::GridRates& rates)
      : program_(program),
        machine_(machine),
        rates_(rates),
        context_(space::space_context(program, machine, {.cores = 1})) {}

  std::vector<EstimatedConfig> run(size_t count) {
    const ll::Roles& l = context_.layers;
    if (l.groups.empty() || l.threads.empty() || l.registers.empty() || l.inner.empty()) return {};
    if (program_.dimensions.empty()) return {};
    for (const space::SpaceVariant& variant : context_.variants) {
      shapes_.push_back(model::shape_of(variant.program));
    }
    std::vector<GridSketch> from;
    for (size_t v = 0; v < context_.variants.size(); ++v) add_starts(v, from);
    std::vector<std::vector<GridCandidate>> found(from.size());
    each_on_cores(from.size(),
                  [&](size_t n) { found[n] = grid_walk(from[n], machine_, rates_, n + 1); });
    for (std::vector<GridCandidate>& of_walk : found) {
      std::move(of_walk.begin(), of_walk.end(), std::back_inserter(found_));
    }
    return best_valid(count);
  }

 private:
  // ---- where walks begin

  void add_starts(size_t variant, std::vector<GridSketch>& all) const {
    const size_t orders = context_.significance.size();
    for (size_t n = 0; n < walks; ++n) {
      GridSketch s(context_, context_.variants[variant], shapes_[variant]);
      s.significance = n % orders;
      begin(s, n);
      all.push_back(std::move(s));
    }
  }

  /// Threads along the dimension that lies along most bytes; every second walk computes tiles of
  /// results from copies, the others share sums.
  void begin(GridSketch& s, size_t n) const {
    const auto nearest = [&](bool kept) {
      int best = -1, most = -1;
      for (size_t d = 0; d < s.dimensions(); ++d) {
        const int i = static_cast<int>(d);
        if (s.is_kept(i) != kept || s.size(i) == 1) continue;
        int bytes = 0;
        for (const auto& b : s.shape->buffers) bytes += model::stride_along(b, i) == 1 ? 2 : 0;
        if (bytes >= most) {
          most = bytes;
          best = i;
        }
      }
      return best;
    };
    const int kept = nearest(true), reduced = nearest(false);
    const bool shares = n % 2 == 1 && reduced >= 0;
    const int along = shares || kept < 0 ? reduced : kept;
    constexpr int64_t warps_of_group = 4;
    const bool has_warps = !s.layer_of(GridRole::warps).empty();
    const int64_t together = has_warps ? rates_.warp : warps_of_group * rates_.warp;
    if (along >= 0) s.at(GridRole::threads, along) = std::min<int64_t>(together, s.size(along));
    if (along >= 0 && has_warps) s.at(GridRole::warps, along) = warps_of_group;
    if (!shares && reduced >= 0) {
      s.at(GridRole::inner, reduced) = std::min<int64_t>(16, s.size(reduced));
      for (GridCopy& copy : s.copies) copy = n % 4 == 0 ? GridCopy::piece : GridCopy::none;
    }
    s.settle();
  }

  // ---- the best of them

  /// What two have in common apart from numbers.
  static std::string kind_of(const GridSketch& s) {
    std::string kind = s.variant->label;
    for (const GridRole role : grid_roles) {
      for (size_t d = 0; d < s.dimensions(); ++d) {
        const int n = static_cast<int>(d);
        kind += s.is_open(role, n) ? '.' : s.at(role, n) > 1 ? '+' : '-';
      }
    }
    for (const GridCopy copy : s.copies) kind += std::to_string(static_cast<int>(copy));
    return kind;
  }

  std::vector<EstimatedConfig> best_valid(size_t count) {
    std::stable_sort(
        found_.begin(), found_.end(),
        [](const GridCandidate& a, const GridCandidate& b) { return a.cost < b.cost; });
    std::map<std::string, int> alike;
    std::vector<EstimatedConfig> result;
    for (const GridCandidate& candidate : found_) {
      if (result.size() >= count) break;
      if (alike[kind_of(candidate.sketch)] >= 3) continue;
      ll::Config config = config_of(candidate.sketch);
      config.program = program_.name;
      config.machine = machine_.name;
      if (!is_valid(program_, machine_, config)) continue;
      ++alike[kind_of(candidate.sketch)];
      result.push_back({std::move(config), candidate.cost});
    }
    add_usual(result);
    if (result.size() > count) result.pop_back();
    return result;
  }

  /// What rules of thumb say is as good as any sketch.
  void add_usual(std::vector<EstimatedConfig>& best) const {
    std::optional<ll::Config> usual = ll::grid_config(program_, machine_);
    if (!usual) return;
    usual->program = program_.name;
    const double cost =
        model::estimate(shapes_.front(), program_, machine_, *usual, rates_).total();
    const auto at = std::find_if(best.begin(), best.end(),
                                 [&](const EstimatedConfig& e) { return e.cost > cost; });
    best.insert(at, {std::move(*usual), cost});
  }

  const hl::Program& program_;
  const machine::Machine& machine_;
  const model::GridRates& rates_;
  space::SpaceContext context_;
  std::vector<model::Shape> shapes_;  // by variant
  std::vector<GridCandidate> found_;
};

}  // namespace

std::vector<EstimatedConfig> grid_sketches(const hl::Program& program,
                                           const machine::Machine& machine,
                                           const model::GridRates& rates, size_t count) {
  return GridSearch(program, machine, rates).run(count);
}

}  // namespace mdh::search
