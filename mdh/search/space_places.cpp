// Where inputs are staged and results accumulated.
#include <algorithm>

#include "mdh/hl/analysis.h"
#include "mdh/scalar/simplify.h"
#include "mdh/search/space_context.h"
#include "mdh/search/space_layouts.h"
#include "mdh/support/text.h"

namespace mdh::search::space {
namespace {

using tune::Parameter;
using tune::Point;
using tune::Value;

std::string place_label(const std::string& layer, size_t number) {
  return layer + "+" + std::to_string(number);
}

/// "L1+2": the layer, and which of its levels.
std::pair<std::string, size_t> place_of(const std::string& label) {
  const size_t plus = label.rfind('+');
  return {label.substr(0, plus), std::stoul(label.substr(plus + 1))};
}

size_t count_on(const SpaceContext& c, const Point& p, const std::string& layer) {
  const LevelParts& parts = parts_at(c, p);
  return dimensions_on(c, c.variant(p.label("fuse")), parts, layer).size();
}

/// The first level of every layer of cores, and every level of the memory layers; with the
/// restriction to whole tiles the first ones only.
std::vector<Value> memory_places(const SpaceContext& c, const Point& p) {
  std::vector<Value> values = {std::string("none")};
  for (const std::string& layer : c.layers.cores) {
    if (count_on(c, p, layer) > 0) values.emplace_back(place_label(layer, 0));
  }
  for (const std::string& layer : {c.layers.outer, c.layers.inner}) {
    const size_t count = count_on(c, p, layer);
    for (size_t n = 0; n < (c.options.restricted ? std::min<size_t>(count, 1) : count); ++n) {
      values.emplace_back(place_label(layer, n));
    }
  }
  return values;
}

/// Regions that hold a copy which begins at a place: those of the cores around it, or shared ones
/// where no core is around.
std::vector<Value> regions_at(const SpaceContext& c, const std::string& place) {
  if (place == "none") return {std::string("-")};
  const std::string layer = place_of(place).first;
  const bool outside = layer == c.layers.cores.front();
  std::vector<Value> values;
  for (size_t n = 1; n < c.machine.regions.size(); ++n) {
    const machine::Region& region = c.machine.regions[n];
    if (region.name == c.layers.register_region) continue;
    const auto owner = std::find(c.layers.cores.begin(), c.layers.cores.end(), region.owner);
    const auto at = std::find(c.layers.cores.begin(), c.layers.cores.end(), layer);
    const bool inside_owner = owner != c.layers.cores.end() && owner < at;
    if (outside ? region.owner.empty() : inside_owner) values.emplace_back(region.name);
  }
  if (values.empty()) values.emplace_back(std::string("-"));
  return values;
}

std::vector<Value> layouts_in(const SpaceContext& c, const std::string& region) {
  const machine::Region* r = c.machine.find_region(region);
  if (!r) return {std::string("-")};
  // In a cache, a copy that keeps the layout would be no copy.
  std::vector<Value> values = {std::string("walk"), std::string("digits"),
                               std::string("dimensions"), std::string("inside last")};
  if (r->is_explicit) values.emplace_back(std::string("kept"));
  return values;
}

bool moves_along(const SpaceVariant& variant, const std::string& buffer,
                 const std::string& dimension) {
  for (const hl::BufferView& view : variant.program.inputs) {
    if (view.symbol.name != buffer) continue;
    for (const hl::Access& access : view.accesses) {
      for (const hl::Expr& index : access.index) {
        for (const hl::Dimension& d : variant.program.dimensions) {
          if (d.symbol.name == dimension && scalar::mentions(index, d.symbol)) return true;
        }
      }
    }
  }
  return false;
}

/// Registers begin inside of the copy, if there is one.
std::vector<Value> register_places(const SpaceContext& c, const Point& p,
                                   const std::string& buffer) {
  const std::string& pack = p.label("pack." + buffer);
  std::vector<Value> values = {std::string("none")};
  const bool any = count_on(c, p, c.layers.registers) + count_on(c, p, c.layers.lanes) > 0;
  if (any) values.emplace_back(place_label(c.layers.registers, 0));
  if (c.options.restricted) return values;
  const auto [layer, number] = pack == "none" ? std::pair<std::string, size_t>{} : place_of(pack);
  const size_t first = layer == c.layers.inner ? number + 1 : 0;
  const std::vector<std::string> order = words_of(p.label("order." + c.layers.inner));
  for (size_t n = order.size(); n > first; --n) {
    // What a loop inside walks along would be an array in memory.
    if (moves_along(c.variant(p.label("fuse")), buffer, order[n - 1])) break;
    values.emplace_back(place_label(c.layers.inner, n - 1));
  }
  return values;
}

void add_input(const SpaceContext& c, const std::string& buffer,
               std::vector<Parameter>& parameters) {
  const auto kind = tune::ParameterKind::categorical;
  const std::string pack = "pack." + buffer;
  parameters.push_back(
      {pack, [&c](const Point& p) { return memory_places(c, p); }, parts_and_fuse(c), kind});
  parameters.push_back({pack + ".region",
                        [&c, pack](const Point& p) { return regions_at(c, p.label(pack)); },
                        {pack},
                        kind});
  parameters.push_back(
      {pack + ".layout",
       [&c, pack](const Point& p) { return layouts_in(c, p.label(pack + ".region")); },
       {pack + ".region"},
       kind});
  std::vector<std::string> reads = parts_and_fuse(c);
  reads.insert(reads.end(), {pack, "order." + c.layers.inner});
  parameters.push_back({"registers." + buffer,
                        [&c, buffer](const Point& p) { return register_places(c, p, buffer); },
                        reads, kind});
}

/// Layers on which there is a level.
std::vector<Value> used_layers(const SpaceContext& c, const Point& p,
                               std::vector<std::string> layers) {
  std::vector<Value> values = {std::string("none")};
  for (const std::string& layer : layers) {
    if (!layer.empty() && count_on(c, p, layer) > 0) values.emplace_back(layer);
  }
  return values;
}

bool reduces_on(const SpaceContext& c, const Point& p, const std::string& layer) {
  const SpaceVariant& variant = c.variant(p.label("fuse"));
  const std::vector<std::string> there = dimensions_on(c, variant, parts_at(c, p), layer);
  return std::any_of(there.begin(), there.end(),
                     [&](const std::string& d) { return variant.find(d)->is_reduced; });
}

/// Where results are kept between registers and the user's buffers.
const machine::Region& middle_region(const SpaceContext& c) {
  return c.machine.regions[c.machine.regions.size() - 2];
}

/// Layers around the one inside of which results are in registers.
std::vector<Value> middle_layers(const SpaceContext& c, const Point& p, const std::string& buffer) {
  // A cache is no place of its own: what is kept "there" is in the user's buffer.
  if (!middle_region(c).is_explicit) return {std::string("none")};
  std::string inside = p.label("acc." + buffer);
  const bool replicated = inside == c.layers.registers || inside == c.layers.lanes;
  if (replicated && p.label("late") != "none") inside = p.label("late");
  std::vector<std::string> around;
  for (const std::string& layer : c.layers.nested()) {
    if (inside == "none" || layer == inside) break;
    if (layer != c.layers.cores.front() && reduces_on(c, p, layer)) around.push_back(layer);
  }
  return used_layers(c, p, around);
}

/// There is a reduction, and nothing but reductions inside of the first one.
bool ends_reducing(const SpaceVariant& variant, const std::vector<std::string>& order) {
  const auto reduced = [&](const std::string& d) { return variant.find(d)->is_reduced; };
  const auto first = std::find_if(order.begin(), order.end(), reduced);
  return first != order.end() && std::all_of(first, order.end(), reduced);
}

/// Results may be kept in registers from the first reduction on a layer inwards. Where replicated
/// parts are combined late, from those on: anything inside of them would be one for each.
/// Nor is anything of use that other loops walk along: it would be an array in memory.
std::vector<Value> result_layers(const SpaceContext& c, const Point& p) {
  if (p.label("late") != "none" && !c.is_gpu()) return {std::string("none"), c.layers.registers};
  std::vector<std::string> layers;
  if (!c.layers.cores.empty()) layers.assign(c.layers.cores.begin() + 1, c.layers.cores.end());
  std::vector<Value> values = used_layers(c, p, layers);
  const SpaceVariant& variant = c.variant(p.label("fuse"));
  const std::vector<std::string> inner = words_of(p.label("order." + c.layers.inner));
  const std::vector<std::string> outer = words_of(p.label("order." + c.layers.outer));
  if (ends_reducing(variant, inner)) values.emplace_back(c.layers.inner);
  const bool all = std::all_of(inner.begin(), inner.end(),
                               [&](const auto& d) { return variant.find(d)->is_reduced; });
  if (all && ends_reducing(variant, outer)) values.emplace_back(c.layers.outer);
  if (count_on(c, p, c.layers.registers) + count_on(c, p, c.layers.lanes) > 0) {
    values.emplace_back(c.layers.registers);
  }
  return values;
}

void add_output(const SpaceContext& c, const std::string& buffer,
                std::vector<Parameter>& parameters) {
  const auto kind = tune::ParameterKind::categorical;
  std::vector<std::string> reads = parts_and_fuse(c);
  reads.insert(reads.end(), {"late", "order." + c.layers.inner, "order." + c.layers.outer});
  parameters.push_back(
      {"acc." + buffer, [&c](const Point& p) { return result_layers(c, p); }, reads, kind});
  reads.push_back("acc." + buffer);
  parameters.push_back({"mid." + buffer,
                        [&c, buffer](const Point& p) { return middle_layers(c, p, buffer); }, reads,
                        kind});
}

// ---- configurations

/// The level that a place stands for: replicated levels that are combined late do not count.
std::optional<ll::LevelName> level_at(const SpaceContext& c, const ll::Config& config,
                                      const std::string& place) {
  const auto [layer, number] = place_of(place);
  if (layer != c.layers.registers) {
    const std::vector<ll::LevelName> levels = levels_on(config, layer);
    return number < levels.size() ? std::optional(levels[number]) : std::nullopt;
  }
  std::optional<ll::LevelName> first;
  for (auto l = config.order.rbegin(); l != config.order.rend(); ++l) {
    if (l->layer != c.layers.registers && l->layer != c.layers.lanes) break;
    first = *l;
  }
  return first;
}

/// The first reduced level on a layer, or the first one. Of registers and lanes always the first
/// one, so that all of them are computed before anything is written.
std::optional<ll::LevelName> result_level(const SpaceContext& c, const SpaceVariant& variant,
                                          const ll::Config& config, const std::string& layer) {
  std::vector<ll::LevelName> levels;
  for (const ll::LevelName& level : config.order) {
    const bool lanes = layer == c.layers.registers && level.layer == c.layers.lanes;
    if (level.layer == layer || lanes) levels.push_back(level);
  }
  for (const ll::LevelName& level : levels) {
    if (layer == c.layers.registers || variant.find(level.dimension)->is_reduced) return level;
  }
  return levels.empty() ? std::nullopt : std::optional(levels.front());
}

}  // namespace

void add_places(const SpaceContext& c, std::vector<Parameter>& parameters) {
  for (const std::string& buffer : c.inputs) add_input(c, buffer, parameters);
  for (const std::string& buffer : c.outputs) add_output(c, buffer, parameters);
}

void decode_places(const SpaceContext& c, const Point& point, ll::Config& config) {
  const SpaceVariant& variant = c.variant(point.label("fuse"));
  for (const std::string& buffer : c.inputs) {
    const std::string pack = "pack." + buffer;
    const std::string place = point.label(pack), region = point.label(pack + ".region");
    const hl::BufferView* view = view_of(variant, buffer);
    const auto level = place == "none" ? std::nullopt : level_at(c, config, place);
    if (level && region != "-") {
      ll::Relocation r{*level, region, {}};
      const std::string& layout = point.label(pack + ".layout");
      if (layout == "walk") r.layout = by_walk(variant, config, *view, *level);
      if (layout == "digits") r.layout = by_digits(variant, config, *view, *level);
      if (layout == "dimensions") r.layout = by_dimensions(variant, config, *view);
      if (layout == "inside last") r.layout = inside_last(c, variant, config, *view);
      config.stage[buffer].push_back(r);
    }
    const std::string registers = point.label("registers." + buffer);
    const auto inside = registers == "none" ? std::nullopt : level_at(c, config, registers);
    if (inside) config.stage[buffer].push_back({*inside, c.layers.register_region, {}});
  }
  for (const std::string& buffer : c.outputs) {
    const std::string middle = point.label("mid." + buffer), inside = point.label("acc." + buffer);
    if (middle != "none") {
      config.acc[buffer].push_back(
          {*result_level(c, variant, config, middle), middle_region(c).name, {}});
    }
    if (inside != "none") {
      config.acc[buffer].push_back(
          {*result_level(c, variant, config, inside), c.layers.register_region, {}});
    }
  }
}

namespace {

std::string label_of(const SpaceContext& c, const ll::Config& config, const ll::LevelName& level) {
  if (level.layer == c.layers.registers || level.layer == c.layers.lanes) {
    return place_label(c.layers.registers, 0);
  }
  const std::vector<ll::LevelName> levels = levels_on(config, level.layer);
  const auto found = std::find(levels.begin(), levels.end(), level);
  return place_label(level.layer, static_cast<size_t>(found - levels.begin()));
}

/// Axes by name where one dimension walks along them.
Layout with_names(const SpaceVariant& variant, const hl::BufferView& view, Layout layout) {
  const std::vector<std::string> names = walkers(variant, view);
  for (ll::LayoutAxis& axis : layout) {
    for (size_t e = 0; e < names.size(); ++e) {
      if (axis.dimension == std::to_string(e + 1) && !names[e].empty()) axis.dimension = names[e];
    }
  }
  return layout;
}

std::string layout_label(const SpaceContext& c, const ll::Config& config, const std::string& buffer,
                         const ll::Relocation& place) {
  const Layout& layout = place.layout;
  if (layout.empty()) return "kept";
  std::vector<std::string> groups;
  for (const auto& group : config.fuse) groups.push_back(join(group, ","));
  const SpaceVariant& variant = c.variant(groups.empty() ? "none" : join(groups, " "));
  const hl::BufferView* view = view_of(variant, buffer);
  const Layout named = with_names(variant, *view, layout);
  if (std::any_of(layout.begin(), layout.end(), [](const auto& a) { return !a.layer.empty(); })) {
    return named == by_walk(variant, config, *view, place.from) ? "walk" : "digits";
  }
  const bool sorted = named == by_dimensions(variant, config, *view);
  return sorted ? "dimensions" : "inside last";
}

void encode_input(const SpaceContext& c, const ll::Config& config, const std::string& buffer,
                  NamedValues& values) {
  const std::string pack = "pack." + buffer;
  values[pack] = "none";
  values[pack + ".region"] = values[pack + ".layout"] = "-";
  values["registers." + buffer] = "none";
  const auto staged = config.stage.find(buffer);
  if (staged == config.stage.end()) return;
  for (const ll::Relocation& r : staged->second) {
    if (r.region == c.layers.register_region) {
      values["registers." + buffer] = label_of(c, config, r.from);
      continue;
    }
    values[pack] = label_of(c, config, r.from);
    values[pack + ".region"] = r.region;
    values[pack + ".layout"] = layout_label(c, config, buffer, r);
  }
}

}  // namespace

void encode_places(const SpaceContext& c, const ll::Config& config, NamedValues& values) {
  for (const std::string& buffer : c.inputs) encode_input(c, config, buffer, values);
  for (const std::string& buffer : c.outputs) {
    values["acc." + buffer] = values["mid." + buffer] = "none";
    const auto places = config.acc.find(buffer);
    if (places == config.acc.end()) continue;
    for (const ll::Relocation& r : places->second) {
      const bool registers = r.region == c.layers.register_region;
      if (!registers && !middle_region(c).is_explicit) continue;  // it decides nothing
      const bool lanes = r.from.layer == c.layers.lanes;
      values[(registers ? "acc." : "mid.") + buffer] = lanes ? c.layers.registers : r.from.layer;
    }
  }
}

}  // namespace mdh::search::space
