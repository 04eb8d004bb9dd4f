#include "mdh/search/grid_sketches.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "mdh/ll/grid_config.h"
#include "mdh/model/grid_cost.h"
#include "mdh/search/grid_sketch.h"
#include "mdh/support/random.h"

namespace mdh::search {
namespace {

constexpr int64_t most_threads = 1024, most_lanes = 4, most_lanes_of_all = 16;
constexpr int64_t most_side_by_side = 256;  // points of a thread, in straight code
constexpr size_t walks = 10, estimates_of_walk = 400;

constexpr GridRole closed_roles[] = {GridRole::groups, GridRole::warps, GridRole::threads,
                                     GridRole::outer,  GridRole::inner, GridRole::registers,
                                     GridRole::lanes};

int64_t smallest_factor(int64_t n) {
  for (int64_t p = 2; p * p <= n; ++p) {
    if (n % p == 0) return p;
  }
  return n;
}

struct Candidate {
  GridSketch sketch;
  double cost = HUGE_VAL;
};

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
    for (size_t v = 0; v < context_.variants.size(); ++v) {
      for (GridSketch& start : starts(v)) walk(std::move(start));
    }
    return best_valid(count);
  }

 private:
  // ---- what is allowed

  static bool is_open(const GridSketch& s, GridRole role, int d) {
    return role == (s.is_kept(d) ? GridRole::groups : GridRole::outer);
  }

  bool may_be_lanes(const GridSketch& s, int d, int64_t parts) const {
    if (s.layer_of(GridRole::lanes).empty()) return parts == 1;
    if (parts == 1) return true;
    if (parts != 2 && parts != most_lanes) return false;
    const int64_t bytes = s.shape->buffers.back().element_bytes;
    if ((bytes != 4 && bytes != 8) || parts * bytes > 16 || !s.shape->has_lanes) return false;
    return std::any_of(s.shape->buffers.begin(), s.shape->buffers.end(),
                       [&](const auto& b) { return model::depends_on(b, d); });
  }

  bool is_allowed(const GridSketch& s) const {
    if (s.count(GridRole::threads) > rates_.warp) return false;
    if (s.count(GridRole::threads) * s.count(GridRole::warps) > most_threads) return false;
    if (s.layer_of(GridRole::warps).empty() && s.count(GridRole::warps) > 1) return false;
    if (s.count(GridRole::lanes) > most_lanes_of_all) return false;
    const int64_t side = s.count(GridRole::registers) * s.count(GridRole::lanes);
    if (side > most_side_by_side) return false;
    for (size_t d = 0; d < s.dimensions(); ++d) {
      const int n = static_cast<int>(d);
      if (!may_be_lanes(s, n, s.at(GridRole::lanes, n))) return false;
      if (s.is_kept(n) && s.at(GridRole::inner, n) * s.at(GridRole::outer, n) > 16) return false;
    }
    return true;
  }

  // ---- what it costs

  double cost_of(const GridSketch& s) {
    if (!is_allowed(s)) return HUGE_VAL;
    const auto [known, is_new] = costs_.try_emplace(s.key(), HUGE_VAL);
    if (!is_new) return known->second;
    try {
      known->second =
          model::estimate(*s.shape, s.variant->program, machine_, config_of(s), rates_).total();
    } catch (const Error& e) {
      if (e.diagnostic().kind == DiagnosticKind::internal) throw;
    }
    return known->second;
  }

  // ---- where walks begin

  std::vector<GridSketch> starts(size_t variant) {
    std::vector<GridSketch> all;
    const size_t orders = context_.significance.size();
    for (size_t n = 0; n < walks; ++n) {
      GridSketch s(context_, context_.variants[variant], shapes_[variant]);
      s.significance = n % orders;
      begin(s, n);
      all.push_back(std::move(s));
    }
    return all;
  }

  /// Threads along the dimension that lies along most bytes; every second walk computes tiles of
  /// results from copies, the others share sums.
  void begin(GridSketch& s, size_t n) {
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
    if (along >= 0) s.at(GridRole::threads, along) = std::min<int64_t>(rates_.warp, s.size(along));
    if (along >= 0) s.at(GridRole::warps, along) = 4;
    if (!shares && reduced >= 0) {
      s.at(GridRole::inner, reduced) = std::min<int64_t>(16, s.size(reduced));
      for (GridCopy& copy : s.copies) copy = n % 4 == 0 ? GridCopy::piece : GridCopy::none;
    }
    settle(s);
  }

  static void settle(GridSketch& s) {
    for (size_t d = 0; d < s.dimensions(); ++d) s.settle(static_cast<int>(d));
  }

  // ---- walks

  /// Takes every change that helps, in an order of its own, until none does.
  void walk(GridSketch s) {
    double cost = cost_of(s);
    note(s, cost);
    size_t estimates = 0;
    bool goes_on = true;
    while (goes_on && estimates < estimates_of_walk) {
      goes_on = false;
      std::vector<GridSketch> near = neighbours(s);
      shuffle(near);
      for (GridSketch& next : near) {
        if (estimates++ >= estimates_of_walk) break;
        const double there = cost_of(next);
        if (there >= cost * 0.999) continue;
        note(next, there);
        s = std::move(next);
        cost = there;
        goes_on = true;
        break;
      }
    }
  }

  void shuffle(std::vector<GridSketch>& all) {
    for (size_t n = all.size(); n > 1; --n) {
      std::swap(all[n - 1],
                all[static_cast<size_t>(random_.between(0, static_cast<int64_t>(n) - 1))]);
    }
  }

  void note(const GridSketch& s, double cost) {
    if (cost < HUGE_VAL) found_.push_back({s, cost});
  }

  std::vector<GridSketch> neighbours(const GridSketch& s) const {
    std::vector<GridSketch> all;
    const auto add = [&](GridSketch next) {
      settle(next);
      if (is_allowed(next)) all.push_back(std::move(next));
    };
    for (size_t d = 0; d < s.dimensions(); ++d) {
      const int n = static_cast<int>(d);
      for (const GridRole role : closed_roles) {
        if (!is_open(s, role, n) && !s.layer_of(role).empty()) change_parts(s, role, n, add);
      }
    }
    change_copies(s, add);
    for (size_t n = 0; n < context_.significance.size(); ++n) {
      if (n == s.significance) continue;
      GridSketch next = s;
      next.significance = n;
      add(next);
    }
    change_meeting(s, add);
    return all;
  }

  /// More or fewer of them; also taken from another role of the dimension, or from another dimension
  /// of the role.
  template <class Add>
  static void change_parts(const GridSketch& s, GridRole role, int d, const Add& add) {
    const int64_t parts = s.at(role, d);
    std::set<int64_t> values = {2 * parts, parts / 2, 1};
    if (parts > 1) values.insert(parts / smallest_factor(parts));
    if (s.size(d) <= 32) values.insert(s.size(d));
    values.erase(parts);
    values.erase(0);
    for (const int64_t value : values) {
      GridSketch next = s;
      next.at(role, d) = value;
      add(next);
      if (value != 2 * parts) continue;
      for (const GridRole other : closed_roles) {
        if (other == role || is_open(s, other, d) || s.at(other, d) % 2 != 0) continue;
        GridSketch moved = next;
        moved.at(other, d) /= 2;
        add(moved);
      }
      for (size_t e = 0; e < s.dimensions(); ++e) {
        const int other = static_cast<int>(e);
        if (other == d || is_open(s, role, other) || s.at(role, other) < 2) continue;
        GridSketch moved = next;
        moved.at(role, other) /= smallest_factor(s.at(role, other));
        add(moved);
      }
    }
  }

  template <class Add>
  static void change_copies(const GridSketch& s, const Add& add) {
    for (size_t n = 0; n < s.copies.size(); ++n) {
      for (const GridCopy copy : {GridCopy::none, GridCopy::piece, GridCopy::whole}) {
        if (copy == s.copies[n]) continue;
        GridSketch next = s;
        next.copies[n] = copy;
        add(next);
      }
    }
  }

  template <class Add>
  static void change_meeting(const GridSketch& s, const Add& add) {
    using enum ll::Combination;
    const bool scans = std::any_of(
        s.shape->dimensions.begin(), s.shape->dimensions.end(),
        [](const model::DimensionShape& d) { return d.kind == model::DimensionKind::scanned; });
    for (const ll::Combination how : {automatic, last_core, look_back}) {
      if (how == s.groups_meet || (how == look_back) > scans) continue;
      GridSketch next = s;
      next.groups_meet = how;
      add(next);
    }
  }

  // ---- the best of them

  /// What two have in common apart from numbers.
  static std::string kind_of(const GridSketch& s) {
    std::string kind = s.variant->label;
    for (const GridRole role : closed_roles) {
      for (size_t d = 0; d < s.dimensions(); ++d) {
        const int n = static_cast<int>(d);
        kind += is_open(s, role, n) ? '.' : s.at(role, n) > 1 ? '+' : '-';
      }
    }
    for (const GridCopy copy : s.copies) kind += std::to_string(static_cast<int>(copy));
    return kind;
  }

  std::vector<EstimatedConfig> best_valid(size_t count) {
    std::stable_sort(found_.begin(), found_.end(),
                     [](const Candidate& a, const Candidate& b) { return a.cost < b.cost; });
    std::map<std::string, int> alike;
    std::vector<EstimatedConfig> result;
    for (const Candidate& candidate : found_) {
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
  std::map<std::string, double> costs_;
  std::vector<Candidate> found_;
  Random random_{1};
};

}  // namespace

std::vector<EstimatedConfig> grid_sketches(const hl::Program& program,
                                           const machine::Machine& machine,
                                           const model::GridRates& rates, size_t count) {
  return GridSearch(program, machine, rates).run(count);
}

}  // namespace mdh::search
