// Decisions about cores: how parts are dealt, combined, and launched.
#include <algorithm>
#include <functional>

#include "mdh/ll/parameters.h"
#include "mdh/search/space/context.h"

namespace mdh::search::space {
namespace {

using tune::Parameter;
using tune::Point;
using tune::Value;

std::vector<std::string> counts_of_cores(const SpaceContext& c) {
  std::vector<std::string> all = {"0"};
  const std::vector<int64_t> times =
      c.is_gpu() ? std::vector<int64_t>{1, 2, 4, 8, 16} : std::vector<int64_t>{1, 2};
  for (const int64_t n : times) all.push_back(std::to_string(n * c.cores()));
  return all;
}

/// Cores that wait for one another inside of a part take the parts as they come.
Parameter dealt_parameter(const SpaceContext& c, const std::string& name,
                          std::vector<std::string> choices) {
  const auto range = [&c, choices](const Point& p) {
    const LevelParts& parts = parts_at(c, p);
    const SpaceVariant& variant = c.variant(p.label("fuse"));
    const auto there = dimensions_on(c, variant, parts, c.layers.cores.front());
    const bool waits = there.size() > 1 &&
                       std::any_of(there.begin(), there.end(),
                                   [&](const std::string& d) { return !variant.find(d)->is_kept; });
    std::vector<Value> values = {choices.front()};
    for (size_t n = 1; !waits && n < choices.size(); ++n) values.emplace_back(choices[n]);
    return values;
  };
  const std::vector<std::string> reads = parts_and_fuse(c);
  return {name, range, reads, tune::ParameterKind::categorical};
}

/// Parameters that depend on where parts are.
Parameter parts_parameter(const SpaceContext& c, const std::string& name,
                          std::function<std::vector<Value>(const Point&)> range) {
  const std::vector<std::string> reads = parts_and_fuse(c);
  return {name, std::move(range), reads, tune::ParameterKind::categorical};
}

/// Ways to combine besides the usual one: cores that can wait for one another do it in steps, those
/// of a warp by exchanges, and of members of a grid the last one, or all of them. Those that join
/// parts of a scan look back, or exchange. Atomics are left out on purpose: they were never the
/// fastest, and give other bits each time.
std::vector<ll::Combination> combinations_of(const SpaceContext& c, const std::string& layer) {
  const machine::Layer& cores = *c.machine.find_layer(layer);
  const ll::Obeys& obeys = c.options.obeys;
  std::vector<ll::Combination> all;
  if (cores.barrier && obeys.team_tree) all.push_back(ll::Combination::team_tree);
  if (cores.barrier && obeys.shuffle && machine::combines_privately(c.machine, cores)) {
    all.push_back(ll::Combination::shuffle);
  }
  if (!cores.barrier && obeys.last_core) all.push_back(ll::Combination::last_core);
  if (!cores.barrier && obeys.cluster) all.push_back(ll::Combination::cluster);
  if (!cores.barrier && obeys.look_back) all.push_back(ll::Combination::look_back);
  return all;
}

/// What joins parts of scans, and what combines those of reductions.
bool is_of_scans(ll::Combination how) {
  return how == ll::Combination::shuffle || how == ll::Combination::look_back;
}

bool is_of_reductions(ll::Combination how) { return how != ll::Combination::look_back; }

Parameter combine_parameter(const SpaceContext& c, const std::string& layer) {
  const std::vector<ll::Combination> all = combinations_of(c, layer);
  return parts_parameter(c, "combine." + layer, [&c, layer, all](const Point& p) {
    std::vector<Value> values = {name_of(ll::Combination::automatic)};
    const SpaceVariant& variant = c.variant(p.label("fuse"));
    const auto there = dimensions_on(c, variant, parts_at(c, p), layer);
    const auto any = [&](bool SpaceDimension::*property) {
      return std::any_of(there.begin(), there.end(),
                         [&](const std::string& d) { return variant.find(d)->*property; });
    };
    const bool reduces = any(&SpaceDimension::is_reduced);
    if (!reduces && !any(&SpaceDimension::is_scanned)) return values;
    for (const ll::Combination how : all) {
      if (reduces ? is_of_reductions(how) : is_of_scans(how)) values.emplace_back(name_of(how));
    }
    return values;
  });
}

/// Dimensions with parts on cores, in the order of the program.
std::vector<std::string> dealt_dimensions(const SpaceContext& c, const SpaceVariant& variant,
                                          const LevelParts& parts) {
  std::vector<std::string> found;
  for (const SpaceDimension& d : variant.dimensions) {
    const auto has = [&](const std::string& layer) {
      const auto there = dimensions_on(c, variant, parts, layer);
      return std::find(there.begin(), there.end(), d.name) != there.end();
    };
    if (std::any_of(c.layers.cores.begin(), c.layers.cores.end(), has)) found.push_back(d.name);
  }
  return found;
}

/// The dimension on the first axis of a launch; the others follow in the order of the program.
Parameter tags_parameter(const SpaceContext& c) {
  return parts_parameter(c, "tags", [&c](const Point& p) {
    std::vector<Value> values = {std::string("none")};
    const auto dealt = dealt_dimensions(c, c.variant(p.label("fuse")), parts_at(c, p));
    for (const std::string& d : dealt) {
      if (dealt.size() > 1) values.emplace_back(d);
    }
    return values;
  });
}

/// Members of a grid of several dimensions begin row by row, or several rows side by side.
Parameter swizzle_parameter(const SpaceContext& c) {
  return parts_parameter(c, "swizzle", [&c](const Point& p) {
    std::vector<Value> values = {swizzles.front()};
    const auto there =
        dimensions_on(c, c.variant(p.label("fuse")), parts_at(c, p), c.layers.cores.front());
    if (there.size() > 1) {
      values.insert(values.end(), swizzles.begin() + 1, swizzles.end());
    }
    return values;
  });
}

/// The level on a layer of cores for which a combination is chosen: the outermost reduced one, or
/// scanned one.
std::optional<ll::LevelName> combined_level(const SpaceVariant& variant, const ll::Config& config,
                                            const std::string& layer) {
  for (const auto property : {&SpaceDimension::is_reduced, &SpaceDimension::is_scanned}) {
    for (const ll::LevelName& level : levels_on(config, layer)) {
      if (variant.find(level.dimension)->*property) return level;
    }
  }
  return std::nullopt;
}

bool has_tags(const SpaceContext& c) { return c.options.obeys.tags && !c.layers.cores.empty(); }

bool has_swizzle(const SpaceContext& c) {
  return c.options.obeys.swizzle && !c.layers.cores.empty() &&
         !c.machine.find_layer(c.layers.cores.front())->barrier;
}

}  // namespace

void add_core_code(const SpaceContext& c, std::vector<Parameter>& parameters) {
  // A group has one part, or several in turns; no group takes parts as they come.
  const std::vector<std::string> of_groups = {name_of(ll::Deal::block), name_of(ll::Deal::cyclic)};
  parameters.push_back(dealt_parameter(c, "deal", c.is_gpu() ? of_groups : names_of(ll::Deal{})));
  parameters.push_back(dealt_parameter(c, "cores", counts_of_cores(c)));
  for (const std::string& layer : c.layers.cores) {
    parameters.push_back(combine_parameter(c, layer));
  }
  if (has_tags(c)) parameters.push_back(tags_parameter(c));
  if (has_swizzle(c)) parameters.push_back(swizzle_parameter(c));
}

namespace {

/// Levels of one dimension are on the same axis, whatever their layer.
void decode_tags(const SpaceContext& c, const Point& p, ll::Config& config) {
  const std::string& first = p.label("tags");
  if (first == "none") return;
  std::vector<std::string> dimensions =
      dealt_dimensions(c, c.variant(p.label("fuse")), parts_at(c, p));
  std::stable_partition(dimensions.begin(), dimensions.end(),
                        [&](const std::string& d) { return d == first; });
  for (const ll::LevelName& level : config.order) {
    const auto& cores = c.layers.cores;
    if (std::find(cores.begin(), cores.end(), level.layer) == cores.end()) continue;
    const auto axis = std::find(dimensions.begin(), dimensions.end(), level.dimension);
    if (axis == dimensions.end()) continue;
    config.tags[to_string(level)] = ll::machine_axis(static_cast<int>(axis - dimensions.begin()));
  }
}

}  // namespace

void decode_core_code(const SpaceContext& c, const Point& p, ll::Config& config) {
  const SpaceVariant& variant = c.variant(p.label("fuse"));
  ll::CoresCode cores{std::stol(p.label("cores")), *choice_of<ll::Deal>(p.label("deal")),
                      has_swizzle(c) ? std::stol(p.label("swizzle")) : 1};
  if (c.is_gpu() && cores.count == 0) cores.deal = ll::Deal::block;  // one part each
  if (!c.layers.cores.empty() && cores != ll::CoresCode{}) {
    config.code.cores[c.layers.cores.front()] = cores;
  }
  for (const std::string& layer : c.layers.cores) {
    const auto kind = choice_of<ll::Combination>(p.label("combine." + layer));
    const auto level = combined_level(variant, config, layer);
    if (*kind != ll::Combination::automatic && level) config.code.combine[*level] = *kind;
  }
  if (has_tags(c)) decode_tags(c, p, config);
}

namespace {

/// The dimension on the first axis.
std::string first_on_axes(const SpaceContext& c, const ll::Config& config) {
  for (const ll::LevelName& level : config.order) {
    const auto& cores = c.layers.cores;
    const auto tag = config.tags.find(to_string(level));
    const bool first = tag != config.tags.end() && tag->second == ll::machine_axis(0);
    if (first && std::find(cores.begin(), cores.end(), level.layer) != cores.end()) {
      return level.dimension;
    }
  }
  return "none";
}

}  // namespace

void encode_core_code(const SpaceContext& c, const ll::Config& config, NamedValues& values) {
  const auto cores =
      config.code.cores.empty() ? ll::CoresCode{} : config.code.cores.begin()->second;
  values["cores"] = std::to_string(cores.count);
  values["deal"] = name_of(cores.deal);
  for (const std::string& layer : c.layers.cores) {
    values["combine." + layer] = name_of(ll::Combination::automatic);
    const std::vector<ll::Combination> all = combinations_of(c, layer);
    for (const auto& [level, kind] : config.code.combine) {
      const bool says =
          level.layer == layer && std::find(all.begin(), all.end(), kind) != all.end();
      if (says) values["combine." + layer] = name_of(kind);
    }
  }
  if (has_swizzle(c)) values["swizzle"] = std::to_string(cores.swizzle);
  if (has_tags(c)) values["tags"] = first_on_axes(c, config);
}

}  // namespace mdh::search::space
