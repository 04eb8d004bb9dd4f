#include "tests/property/decision_generator.h"

#include <algorithm>
#include <numeric>

#include "mdh/ll/names.h"
#include "mdh/ll/nest.h"
#include "mdh/ll/parameters.h"
#include "mdh/ll/staging.h"
#include "mdh/passes/pipeline.h"
#include "mdh/passes/plan/plan.h"

namespace mdh::test {
namespace {

/// Whether something ends without an error of the user.
template <class Work>
bool is_accepted(const Work& work) {
  try {
    work();
    return true;
  } catch (const Error& e) {
    if (e.diagnostic().kind == DiagnosticKind::internal) throw;
    return false;
  }
}

bool follows_rules(const ll::Config& config, const hl::Program& p,
                   const machine::Machine& machine) {
  return is_accepted([&] { ll::valid_program(config, p, machine); });
}

/// The rules and the passes of all targets accept it. Passes take their time: many decisions are
/// looked at together.
bool is_possible(const ll::Config& config, const hl::Program& p, const machine::Machine& machine) {
  return is_accepted([&] {
    const loop::Program plan = passes::plan(ll::valid_program(config, p, machine), machine);
    for (const auto teams : {machine::Teams::one, machine::Teams::nested}) {
      passes::run_pipeline(plan, {.teams = teams});
    }
  });
}

void draw_edges(ll::Config& config, const hl::Program& p, const machine::Machine& machine,
                Random& random) {
  static const std::vector<ll::Edge> all = {ll::Edge::clamp, ll::Edge::pad, ll::Edge::mask,
                                            ll::Edge::overlap};
  for (const hl::Dimension& d : p.dimensions) {
    if (!random.chance(60)) continue;
    ll::Config candidate = config;
    candidate.code.edge[d.symbol.name] = random.pick(all);
    if (is_possible(candidate, p, machine)) config = std::move(candidate);
  }
}

void rename(ll::LevelName& level, const ll::LevelName& from, const ll::LevelName& to) {
  if (level == from) level = to;
}

/// The same with a digit on another layer, outermost.
ll::Config with_level(ll::Config config, const ll::LevelName& from, const ll::LevelName& to) {
  for (ll::Digit& digit : config.split.at(from.dimension)) {
    if (digit.layer == from.layer) digit.layer = to.layer;
  }
  std::erase(config.order, from);
  config.order.insert(config.order.begin(), to);
  for (auto* places : {&config.stage, &config.acc}) {
    for (auto& [buffer, relocations] : *places) {
      for (ll::Relocation& one : relocations) rename(one.from, from, to);
    }
  }
  return config;
}

/// There are most ways to combine what members of a grid have made: a digit of a scan, or else of a
/// reduction, moves there.
void draw_grids(ll::Config& config, const hl::Program& p, const machine::Machine& machine,
                Random& random) {
  const auto shape_of = [&](const ll::LevelName& level) {
    return p.dimensions[*ll::find_dimension(p, level.dimension)].combine.shape;
  };
  std::vector<ll::LevelName> levels = config.order;
  random.shuffle(levels);
  std::stable_partition(levels.begin(), levels.end(), [&](const ll::LevelName& level) {
    return shape_of(level) == hl::Shape::scan;
  });
  for (const machine::Layer& layer : machine.layers) {
    if (layer.kind != machine::LayerKind::cores || layer.barrier) continue;
    for (const ll::LevelName& level : levels) {
      const hl::Shape shape = shape_of(level);
      const ll::LevelName there{layer.name, level.dimension};
      const bool has_any = std::find(levels.begin(), levels.end(), there) != levels.end();
      const bool is_joined = shape == hl::Shape::pointwise || shape == hl::Shape::scan;
      if (!is_joined || has_any) continue;
      const ll::Config candidate = with_level(config, level, there);
      if (!is_possible(candidate, p, machine)) continue;
      config = candidate;
      return;
    }
  }
}

/// All combinations that the rules allow, also those that some target knows nothing of.
void draw_combinations(ll::Config& config, const hl::Program& p, const machine::Machine& machine,
                       Random& random) {
  static const std::vector<ll::Combination> all = {
      ll::Combination::shuffle,   ll::Combination::team_tree, ll::Combination::partials_kernel,
      ll::Combination::last_core, ll::Combination::cluster,   ll::Combination::atomic,
      ll::Combination::look_back};
  ll::Config result = config;
  for (const ll::LevelName& level : config.order) {
    // What the cores of the layer are best at, or anything.
    const machine::Layer* layer = machine.find_layer(level.layer);
    const hl::Dimension& dimension = p.dimensions[*ll::find_dimension(p, level.dimension)];
    const bool is_scan = dimension.combine.shape == hl::Shape::scan;
    const ll::Combination best_of_reduction = random.pick(
        std::vector{ll::Combination::atomic, ll::Combination::last_core, ll::Combination::last_core,
                    ll::Combination::cluster, ll::Combination::cluster});
    const auto best_of_grid = is_scan ? ll::Combination::look_back : best_of_reduction;
    const auto best = layer && layer->barrier ? ll::Combination::shuffle : best_of_grid;
    for (const ll::Combination how :
         {random.chance(75) ? best : random.pick(all), ll::Combination::team_tree}) {
      ll::Config candidate = result;
      candidate.code.combine[level] = how;
      if (!follows_rules(candidate, p, machine)) continue;
      result = std::move(candidate);
      break;
    }
  }
  if (is_possible(result, p, machine)) config = std::move(result);
}

/// Every dimension on an axis of its own, on some layers.
void draw_tags(ll::Config& config, const hl::Program& p, const machine::Machine& machine,
               Random& random) {
  ll::Config candidate = config;
  for (const machine::Layer& layer : machine.layers) {
    if (layer.kind != machine::LayerKind::cores || random.chance(30)) continue;
    std::vector<int> axes(p.dimensions.size());
    std::iota(axes.begin(), axes.end(), 0);
    random.shuffle(axes);
    for (size_t d = 0; d < axes.size(); ++d) {
      const ll::LevelName level{layer.name, p.dimensions[d].symbol.name};
      candidate.tags[to_string(level)] = ll::machine_axis(axes[d]);
    }
  }
  if (is_possible(candidate, p, machine)) config = std::move(candidate);
}

void draw_swizzles(ll::Config& config, const hl::Program& p, const machine::Machine& machine,
                   Random& random) {
  for (const machine::Layer& layer : machine.layers) {
    if (layer.kind != machine::LayerKind::cores || random.chance(40)) continue;
    ll::Config candidate = config;
    candidate.code.cores[layer.name].swizzle = random.between(2, 5);
    if (follows_rules(candidate, p, machine)) config = std::move(candidate);
  }
}

/// Lines of tiles that are longer, whose pieces change places, and that are copied in small steps.
void draw_lines(ll::Config& config, const hl::Program& p, const machine::Machine& machine,
                Random& random) {
  ll::Config candidate = config;
  for (const auto& [buffer, relocations] : config.stage) {
    std::vector<ll::StageCode>& tiles = candidate.code.stage[buffer];
    tiles.resize(relocations.size());
    for (ll::StageCode& tile : tiles) {
      if (random.chance(50)) tile.pad = random.between(0, 5);
      if (random.chance(50)) tile.line = random.between(1, 3);
      if (random.chance(70)) tile.swizzle = int64_t{1} << random.between(0, 4);
      if (random.chance(30)) tile.width = int64_t{4} << random.between(0, 2);
    }
  }
  if (is_possible(candidate, p, machine)) config = std::move(candidate);
}

void draw_unrolls(ll::Config& config, const hl::Program& p, const machine::Machine& machine,
                  Random& random) {
  ll::Config candidate = config;
  for (const ll::LevelName& level : config.order) {
    if (random.chance(60)) candidate.code.kernel.unroll[level] = random.between(2, 8);
  }
  if (is_possible(candidate, p, machine)) config = std::move(candidate);
}

/// Copies that run ahead into the next iteration of the loop around the one that they stand in.
void draw_crossings(ll::Config& config, const hl::Program& p, const machine::Machine& machine,
                    Random& random) {
  const ll::Program low = ll::program_of(ll::parameters_of(config, p, machine), p, machine);
  const ll::Nest inputs = ll::nest_of(low, low.decompose, machine);
  const auto is_loop = [&](int r) {
    return r >= 0 && inputs.loops[r].layer->kind == machine::LayerKind::loop;
  };
  ll::Config candidate = config;
  for (const ll::Staging& s : ll::stagings(low, inputs, machine)) {
    const bool inside = is_loop(s.filled - 1) && is_loop(s.filled - 2);
    if (!inside || ll::is_register(machine, s.place.region) || random.chance(20)) continue;
    const ll::Level& level = inputs.loops[s.filled - 2].level;
    std::vector<ll::StageCode>& tiles = candidate.code.stage[p.inputs[s.buffer].symbol.name];
    tiles.resize(std::max(tiles.size(), static_cast<size_t>(s.number) + 1));
    ll::StageCode& tile = tiles[static_cast<size_t>(s.number)];
    tile.roll.reset();
    tile.depth = std::max<int64_t>(tile.depth, random.between(2, 4));
    tile.transport = static_cast<ll::Transport>(random.between(0, 2));
    tile.across = ll::LevelName{low.layers[static_cast<size_t>(level.layer)],
                                p.dimensions[static_cast<size_t>(level.dimension)].symbol.name};
  }
  if (candidate != config && is_possible(candidate, p, machine)) config = std::move(candidate);
}

}  // namespace

ll::Config with_decisions(const ll::Config& config, const hl::Program& p,
                          const machine::Machine& machine, Random random) {
  ll::Config result = config;
  if (!result.code.edge.empty() && !is_possible(result, p, machine)) result.code.edge.clear();
  if (random.chance(50)) draw_edges(result, p, machine, random);
  // Tiles are for copies that run ahead across loops.
  if (random.chance(result.stage.empty() ? 90 : 20)) draw_grids(result, p, machine, random);
  if (random.chance(80)) draw_combinations(result, p, machine, random);
  if (random.chance(40)) draw_tags(result, p, machine, random);
  if (random.chance(40)) draw_swizzles(result, p, machine, random);
  if (random.chance(70)) draw_lines(result, p, machine, random);
  if (random.chance(50)) draw_unrolls(result, p, machine, random);
  if (random.chance(90)) draw_crossings(result, p, machine, random);
  return result;
}

}  // namespace mdh::test
