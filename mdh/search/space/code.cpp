// Decisions about code.
#include <algorithm>

#include "mdh/search/space/context.h"
#include "mdh/support/text.h"

namespace mdh::search::space {
namespace {

using tune::Parameter;
using tune::Point;
using tune::Value;

struct Compiler {
  const char* label;
  const char* compiler;
  std::vector<std::string> flags;
};

/// The first one is what a machine has anyway.
const std::vector<Compiler>& compilers() {
  static const std::vector<Compiler> all = {
      {"default", "", {}},
      {"gcc", "gcc", {"-O3", "-fno-schedule-insns"}},
      {"gcc, default level", "gcc", {"-fno-schedule-insns"}},
      {"gcc, scheduled", "gcc", {"-O3"}},
      {"clang", "clang", {}},
  };
  return all;
}

std::vector<std::string> emissions(const SpaceContext& c) {
  if (!c.options.obeys.emit) return {"program"};
  std::vector<std::string> all = {"program", "serpentine"};
  for (const std::string& buffer : c.inputs) all.push_back("by_operand " + buffer);
  for (const std::string& buffer : c.inputs) {
    if (c.is_gpu()) all.push_back("serpentine " + buffer);
  }
  return all;
}

/// On grids, tiles of registers often have no lanes, without which there is no order.
Parameter emit_parameter(const SpaceContext& c) {
  if (!c.is_gpu()) return tune::labels("emit", emissions(c));
  const auto range = [&c](const Point& p) {
    const SpaceVariant& variant = c.variant(p.label("fuse"));
    const bool lanes = !dimensions_on(c, variant, parts_at(c, p), c.layers.lanes).empty();
    const std::vector<std::string> all = emissions(c);
    return std::vector<Value>(all.begin(), lanes ? all.end() : all.begin() + 1);
  };
  return {"emit", range, parts_and_fuse(c), tune::ParameterKind::categorical};
}

/// A result is finished only behind loops or cores.
bool is_combined_outside(const SpaceContext& c, const Point& p) {
  const LevelParts& parts = parts_at(c, p);
  const SpaceVariant& variant = c.variant(p.label("fuse"));
  std::vector<std::string> layers = c.layers.cores;
  layers.push_back(c.layers.outer);
  return std::any_of(layers.begin(), layers.end(), [&](const std::string& layer) {
    const std::vector<std::string> there = dimensions_on(c, variant, parts, layer);
    return std::any_of(there.begin(), there.end(),
                       [&](const std::string& d) { return !variant.find(d)->is_kept; });
  });
}

/// Finished results may be stored past the caches: whole vectors, or what the threads of a group store
/// side by side.
Parameter store_parameter(const SpaceContext& c) {
  const auto range = [&c](const Point& p) {
    std::vector<Value> values = {name_of(ll::Hint::none)};
    const LevelParts& parts = parts_at(c, p);
    const SpaceVariant& variant = c.variant(p.label("fuse"));
    const std::vector<std::string> lanes = dimensions_on(c, variant, parts, c.layers.lanes);
    const bool along =
        c.is_gpu() || std::any_of(lanes.begin(), lanes.end(),
                                  [&](const std::string& d) { return variant.find(d)->is_kept; });
    if (c.options.obeys.store && along && !is_combined_outside(c, p)) {
      values.emplace_back(name_of(ll::Hint::streaming));
    }
    return values;
  };
  const std::vector<std::string> reads = parts_and_fuse(c);
  return {"store", range, reads, tune::ParameterKind::categorical};
}

bool has_groups(const SpaceContext& c) { return c.is_gpu() && c.options.obeys.launch_bounds; }

/// Threads of one group.
int64_t threads_at(const SpaceContext& c, const Point& p) {
  int64_t threads = 1;
  const LevelParts& parts = parts_at(c, p);
  for (size_t n = 1; n < c.layers.cores.size(); ++n) {
    const auto on = parts.find(c.layers.cores[n]);
    if (on == parts.end()) continue;
    for (const auto& [dimension, count] : on->second) threads *= count;
  }
  return threads;
}

/// Groups that a multiprocessor shall have room for, which bounds the registers of a thread; "0": the
/// compiler decides.
Parameter groups_parameter(const SpaceContext& c) {
  const auto range = [&c](const Point& p) {
    std::vector<Value> values;
    constexpr int64_t threads_of_multiprocessor = 2048;
    const int64_t threads = threads_at(c, p);
    for (const std::string& groups : group_counts) {
      if (threads * std::stol(groups) > threads_of_multiprocessor) break;
      values.emplace_back(groups);
      if (threads == 1) break;
    }
    return values;
  };
  return {"groups", range, parts_and_fuse(c), tune::ParameterKind::categorical};
}

/// The innermost loop may be written out: some rounds of it, or all, as long as the code of all of
/// them together is not too long.
constexpr int64_t most_written_out = 32, longest_written_out = 2048;

/// Elements that one round computes.
int64_t elements_of_tile(const SpaceContext& c, const Point& p) {
  int64_t elements = 1;
  for (const std::string& layer : {c.layers.registers, c.layers.lanes}) {
    const auto on = parts_at(c, p).find(layer);
    if (on == parts_at(c, p).end()) continue;
    for (const auto& [dimension, count] : on->second) elements *= count;
  }
  return elements;
}

Parameter unroll_parameter(const SpaceContext& c) {
  const auto range = [&c](const Point& p) {
    std::vector<Value> values = {std::string("no")};
    const std::vector<ll::LevelName> loops = loops_at(c, p);
    if (loops.empty()) return values;
    const int64_t rounds = parts_at(c, p).at(loops.back().layer).at(loops.back().dimension);
    const int64_t most = std::min(most_written_out, longest_written_out / elements_of_tile(c, p));
    for (const int64_t times : {2, 4, 8}) {
      if (times < rounds && times <= most) values.emplace_back(std::to_string(times));
    }
    if (rounds <= most) values.emplace_back(std::string("all"));
    return values;
  };
  std::vector<std::string> reads = parts_and_fuse(c);
  reads.insert(reads.end(), {"order." + c.layers.inner, "order." + c.layers.outer});
  return {"unroll", range, reads, tune::ParameterKind::categorical};
}

/// What happens where the last tile of registers is not whole. Where tiles can be shifted back or
/// computed whole, they are if nothing is said; asking for it changes no code.
Parameter edge_parameter(const SpaceContext& c, const std::string& dimension) {
  const std::vector<std::string> reads = parts_and_fuse(c);
  std::vector<std::string> tiles;
  for (const std::string& layer : {c.layers.registers, c.layers.lanes}) {
    if (!layer.empty()) tiles.push_back(layer + "." + dimension);
  }
  const auto range = [&c, dimension, tiles](const Point& p) {
    std::vector<Value> values = {name_of(ll::Edge::automatic)};
    const SpaceDimension* d = c.variant(p.label("fuse")).find(dimension);
    int64_t tile = 1;
    for (const std::string& name : tiles) tile *= p.integer(name);
    if (d && d->size % tile != 0) {
      for (const ll::Edge edge : {ll::Edge::clamp, ll::Edge::mask}) {
        values.emplace_back(name_of(edge));
      }
    }
    return values;
  };
  return {"edge." + dimension, range, reads, tune::ParameterKind::categorical};
}

}  // namespace

void add_code(const SpaceContext& c, std::vector<Parameter>& parameters) {
  add_copies(c, parameters);
  for (const std::string& dimension : c.dimensions) {
    parameters.push_back(edge_parameter(c, dimension));
  }
  parameters.push_back(emit_parameter(c));
  parameters.push_back(store_parameter(c));
  if (c.is_gpu()) parameters.push_back(unroll_parameter(c));
  if (has_groups(c)) parameters.push_back(groups_parameter(c));
  add_core_code(c, parameters);
  std::vector<std::string> labels;
  for (const Compiler& compiler : compilers()) labels.emplace_back(compiler.label);
  if (c.is_gpu() || !c.options.obeys.compiler) labels.resize(1);
  parameters.push_back(tune::labels("compiler", labels));
}

namespace {

int64_t parts_in(const ll::Config& config, const ll::LevelName& level) {
  const auto split = config.split.find(level.dimension);
  if (split == config.split.end()) return 1;
  for (const ll::Digit& digit : split->second) {
    if (digit.layer == level.layer) return digit.parts;
  }
  return 1;
}

void decode_unroll(const SpaceContext& c, const Point& p, ll::Config& config) {
  const std::string& times = p.label("unroll");
  const auto last = last_loop(c, config);
  if (times == "no" || !last) return;
  config.code.kernel.unroll[*last] = times == "all" ? parts_in(config, *last) : std::stol(times);
}

}  // namespace

void decode_code(const SpaceContext& c, const Point& p, ll::Config& config) {
  const SpaceVariant& variant = c.variant(p.label("fuse"));
  decode_copies(c, p, config);
  for (const SpaceDimension& d : variant.dimensions) {
    const std::string& edge = p.label("edge." + d.name);
    const ll::Edge chosen = *choice_of<ll::Edge>(edge);
    if (chosen != ll::Edge::automatic) config.code.edge[d.name] = chosen;
  }
  config.code.kernel.emit = p.label("emit");
  config.code.kernel.store = *choice_of<ll::Hint>(p.label("store"));
  if (c.is_gpu()) decode_unroll(c, p, config);
  if (has_groups(c) && p.label("groups") != "0") {
    config.code.kernel.launch_bounds = {threads_at(c, p), std::stol(p.label("groups"))};
  }
  decode_core_code(c, p, config);
  for (const Compiler& compiler : compilers()) {
    if (compiler.label != p.label("compiler")) continue;
    config.code.kernel.compiler = compiler.compiler;
    config.code.kernel.flags = compiler.flags;
  }
}

namespace {

constexpr const char* not_searched = "not searched";  // is the value of no point

std::string unroll_of(const SpaceContext& c, const ll::Config& config) {
  const auto& unroll = config.code.kernel.unroll;
  if (unroll.empty()) return "no";
  const auto& [level, times] = *unroll.begin();
  if (unroll.size() > 1 || level != last_loop(c, config)) return not_searched;
  return times == parts_in(config, level) ? "all" : std::to_string(times);
}

std::string groups_of(const SpaceContext& c, const ll::Config& config) {
  const std::vector<int64_t>& bounds = config.code.kernel.launch_bounds;
  if (bounds.empty()) return "0";
  int64_t threads = 1;
  for (const ll::LevelName& level : config.order) {
    const auto& cores = c.layers.cores;
    const auto at = std::find(cores.begin(), cores.end(), level.layer);
    if (at != cores.end() && at != cores.begin()) threads *= parts_in(config, level);
  }
  return bounds.size() == 2 && bounds[0] == threads ? std::to_string(bounds[1]) : not_searched;
}

}  // namespace

void encode_code(const SpaceContext& c, const ll::Config& config, NamedValues& values) {
  encode_copies(c, config, values);
  for (const std::string& dimension : c.dimensions) {
    const auto edge = config.code.edge.find(dimension);
    // Asking for what happens anyway is the same point.
    const bool says = edge != config.code.edge.end() &&
                      (edge->second == ll::Edge::clamp || edge->second == ll::Edge::mask);
    values["edge." + dimension] = name_of(says ? edge->second : ll::Edge::automatic);
  }
  values["emit"] = config.code.kernel.emit;
  values["store"] = name_of(config.code.kernel.store);
  if (c.is_gpu()) values["unroll"] = unroll_of(c, config);
  if (has_groups(c)) values["groups"] = groups_of(c, config);
  encode_core_code(c, config, values);
  values["compiler"] = "default";
  for (const Compiler& compiler : compilers()) {
    const bool same = compiler.compiler == config.code.kernel.compiler &&
                      compiler.flags == config.code.kernel.flags;
    if (same) values["compiler"] = compiler.label;
  }
}

}  // namespace mdh::search::space
