// Levels of a configuration for grids while it is put together (grid_config.h).
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "mdh/ll/config.h"
#include "mdh/ll/grid_shape.h"
#include "mdh/ll/roles.h"

namespace mdh::ll {

constexpr int64_t lanes_of_warp = 32;

inline int64_t ceil_of(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// The greatest power of two that is at most that.
inline int64_t power_below(int64_t n) {
  int64_t power = 1;
  while (2 * power <= n) power *= 2;
  return power;
}

/// Parts of levels, taken from dimensions until nothing is left of them.
class GridLevels {
 public:
  GridLevels(const GridShape& shape, const Roles& roles) : shape_(shape), roles_(roles) {
    rest_ = shape.sizes;
  }

  int64_t rest(int d) const { return rest_[static_cast<size_t>(d)]; }

  void take(const std::string& layer, int d, int64_t parts) {
    parts = std::min(parts, rest(d));
    if (parts <= 1) return;
    levels_[layer].emplace_back(d, parts);
    rest_[static_cast<size_t>(d)] = ceil_of(rest(d), parts);
  }

  /// Threads along a dimension: lanes of a warp first, then warps.
  void take_threads(int d, int64_t parts) {
    parts = std::min(parts, power_below(rest(d)));
    const std::string warps = warp_layer();
    const int64_t lanes =
        warps.empty() ? parts : std::min(parts, lanes_of_warp / count_on(roles_.threads));
    take(roles_.threads, d, lanes);
    if (!warps.empty()) take(warps, d, parts / std::max<int64_t>(1, lanes));
  }

  void take_all(const std::string& layer, int d) { take(layer, d, rest(d)); }

  /// Neighbouring threads have neighbouring parts, and not every so manieth element of one.
  void keep_parts_whole() { parts_are_whole_ = true; }

  int64_t count_on(const std::string& layer) const {
    int64_t count = 1;
    const auto found = levels_.find(layer);
    if (found == levels_.end()) return 1;
    for (const auto& [d, parts] : found->second) count *= parts;
    return count;
  }

  /// Indices of a dimension that a group has at the same time.
  int64_t tile(int d) const {
    int64_t product = 1;
    for (const auto& [layer, levels] : levels_) {
      if (layer == roles_.groups || layer == roles_.outer) continue;
      for (const auto& [dimension, parts] : levels) {
        if (dimension == d) product *= parts;
      }
    }
    return std::min(product, shape_.size(d));
  }

  std::string warp_layer() const { return roles_.cores.size() > 2 ? roles_.cores[1] : ""; }

  bool has(const std::string& layer, int d) const {
    const auto found = levels_.find(layer);
    return found != levels_.end() &&
           std::any_of(found->second.begin(), found->second.end(),
                       [&](const auto& level) { return level.first == d; });
  }

  /// Loops are nested by layers; those of a layer as they were taken, but threads the other way
  /// round: what was taken first is to be fastest. Digits of threads are the least significant, unless
  /// parts are whole.
  Config config(const std::string& machine) const {
    Config c{.program = shape_.program.name, .machine = machine};
    for (const std::string& layer : nest()) {
      const auto found = levels_.find(layer);
      if (found == levels_.end()) continue;
      std::vector<std::pair<int, int64_t>> levels = found->second;
      const bool is_team = layer == roles_.threads || layer == warp_layer();
      if (is_team) std::reverse(levels.begin(), levels.end());
      for (const auto& [d, parts] : levels) c.order.push_back({layer, name(d)});
    }
    for (const std::string& layer : significance()) {
      const auto found = levels_.find(layer);
      if (found == levels_.end()) continue;
      c.layers.push_back(layer);
      for (const auto& [d, parts] : found->second) c.split[name(d)].push_back({layer, parts});
    }
    return c;
  }

  std::string name(int d) const {
    return shape_.program.dimensions[static_cast<size_t>(d)].symbol.name;
  }

 private:
  std::vector<std::string> nest() const {
    std::vector<std::string> layers = roles_.cores;
    for (const std::string& layer : {roles_.outer, roles_.inner, roles_.registers, roles_.lanes}) {
      if (layer.empty()) continue;
      if (std::find(layers.begin(), layers.end(), layer) == layers.end()) layers.push_back(layer);
    }
    return layers;
  }

  std::vector<std::string> significance() const {
    std::vector<std::string> layers = nest();
    if (parts_are_whole_) return layers;
    layers.erase(std::find(layers.begin(), layers.end(), roles_.threads));
    layers.push_back(roles_.threads);
    if (!roles_.lanes.empty()) {
      std::erase(layers, roles_.lanes);
      layers.push_back(roles_.lanes);
    }
    return layers;
  }

  const GridShape& shape_;
  const Roles& roles_;
  std::vector<int64_t> rest_;
  bool parts_are_whole_ = false;
  std::map<std::string, std::vector<std::pair<int, int64_t>>> levels_;
};

}  // namespace mdh::ll
