// A reasonable configuration without any search.
#include <algorithm>
#include <numeric>

#include "mdh/hl/analysis.h"
#include "mdh/ll/config.h"

namespace mdh::ll {
namespace {

/// How well a dimension serves as the innermost loop: accesses that walk along memory with it,
/// minus those that jump.
int contiguity(const hl::Program& p, int d) {
  int score = 0;
  for (const auto* views : {&p.outputs, &p.inputs}) {
    for (const hl::BufferView& view : *views) {
      for (const hl::Access& access : view.accesses) {
        for (size_t e = 0; e < access.index.size(); ++e) {
          const auto index = hl::find_affine(p, access.index[e]);
          const int64_t step = index ? index->coefficients[d] : 0;
          if (step == 0) continue;
          score += e + 1 == access.index.size() && step == 1 ? 1 : -1;
        }
      }
    }
  }
  return score;
}

/// The dimension dealt to the cores: the least contiguous of those that need no combination across
/// cores; a reduction only if there is nothing else of some size.
int dealt_dimension(const hl::Program& p, const std::vector<int>& from_outside, int cores) {
  const std::vector<int64_t> sizes = hl::sizes(p);
  for (const bool reduced : {false, true}) {
    for (const int d : from_outside) {
      if (hl::is_reduced(p.dimensions[d]) == reduced && sizes[d] >= cores) return d;
    }
  }
  return from_outside.empty() ? -1 : from_outside.front();
}

std::string last_layer(const machine::Machine& m, machine::LayerKind kind) {
  std::string name;
  for (const machine::Layer& layer : m.layers) {
    if (layer.kind == kind) name = layer.name;
  }
  return name;
}

}  // namespace

Config default_config(const hl::Program& p, const machine::Machine& m, int cores) {
  const std::string inner = last_layer(m, machine::LayerKind::loop);
  const std::string outer = last_layer(m, machine::LayerKind::cores);
  if (outer.empty() || cores < 1) cores = 1;
  const std::vector<int64_t> sizes = hl::sizes(p);
  std::vector<int> from_outside(sizes.size());
  std::iota(from_outside.begin(), from_outside.end(), 0);
  std::stable_sort(from_outside.begin(), from_outside.end(),
                   [&](int a, int b) { return contiguity(p, a) < contiguity(p, b); });

  Config config{.program = p.name, .machine = m.name, .layers = {inner}};
  if (!outer.empty()) config.layers.insert(config.layers.begin(), outer);
  const int dealt = dealt_dimension(p, from_outside, cores);
  for (const int d : from_outside) {
    const std::string& name = p.dimensions[d].symbol.name;
    const int64_t parts = d == dealt ? std::min<int64_t>(cores, sizes[d]) : 1;
    if (parts > 1) {
      config.split[name].push_back({outer, parts});
      config.order.insert(config.order.begin(), {outer, name});
    }
    config.split[name].push_back({inner, (sizes[d] + parts - 1) / parts});
    config.order.push_back({inner, name});
  }
  return config;
}

}  // namespace mdh::ll
