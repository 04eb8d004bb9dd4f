#include "mdh/search/grid_walk.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "mdh/model/grid_cost.h"
#include "mdh/support/random.h"

namespace mdh::search {
namespace {

constexpr int64_t most_threads = 1024, most_lanes = 4, most_lanes_of_all = 16;
constexpr int64_t most_side_by_side = 256;  // points of a thread, in straight code
constexpr size_t estimates_of_walk = 600;

int64_t smallest_factor(int64_t n) {
  for (int64_t p = 2; p * p <= n; ++p) {
    if (n % p == 0) return p;
  }
  return n;
}

class GridWalk {
 public:
  GridWalk(const machine::Machine& machine, const model::GridRates& rates, uint64_t seed)
      : machine_(machine), rates_(rates), random_(seed) {}

  std::vector<GridCandidate> run(GridSketch s) {
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
    return std::move(found_);
  }

 private:
  // ---- what is allowed

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
    const bool has_warps = !s.layer_of(GridRole::warps).empty();
    if (has_warps && s.count(GridRole::threads) > rates_.warp) return false;
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
      const model::GridCost cost =
          model::estimate(*s.shape, s.variant->program, machine_, config_of(s), rates_);
      if (cost.fits) known->second = cost.total();
    } catch (const Error& e) {
      if (e.diagnostic().kind == DiagnosticKind::internal) throw;
    }
    return known->second;
  }

  // ---- changes

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
      next.settle();
      if (is_allowed(next)) all.push_back(std::move(next));
    };
    for (size_t d = 0; d < s.dimensions(); ++d) {
      const int n = static_cast<int>(d);
      for (const GridRole role : grid_roles) {
        if (!s.is_open(role, n) && !s.layer_of(role).empty()) change_parts(s, role, n, add);
      }
    }
    change_copies(s, add);
    for (size_t n = 0; n < s.context->significance.size(); ++n) {
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
      for (const GridRole other : grid_roles) {
        if (other == role || s.is_open(other, d) || s.at(other, d) % 2 != 0) continue;
        GridSketch moved = next;
        moved.at(other, d) /= 2;
        add(moved);
      }
      for (size_t e = 0; e < s.dimensions(); ++e) {
        const int other = static_cast<int>(e);
        if (other == d || s.is_open(role, other) || s.at(role, other) < 2) continue;
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
    // Where there are no warps, nobody knows what groups can do besides ending.
    if (s.layer_of(GridRole::warps).empty()) return;
    for (const ll::Combination how : {automatic, last_core, look_back}) {
      if (how == s.groups_meet || (how == look_back) > scans) continue;
      GridSketch next = s;
      next.groups_meet = how;
      add(next);
    }
  }

  const machine::Machine& machine_;
  const model::GridRates& rates_;
  std::map<std::string, double> costs_;
  std::vector<GridCandidate> found_;
  Random random_;
};

}  // namespace

std::vector<GridCandidate> grid_walk(GridSketch start, const machine::Machine& machine,
                                     const model::GridRates& rates, uint64_t seed) {
  return GridWalk(machine, rates, seed).run(std::move(start));
}

}  // namespace mdh::search
