// Where inputs are staged and results accumulated.
#include <algorithm>

#include "mdh/hl/analysis.h"
#include "mdh/ll/names.h"
#include "mdh/scalar/simplify.h"
#include "mdh/search/space/context.h"
#include "mdh/search/space/layouts.h"
#include "mdh/support/text.h"

namespace mdh::search::space {
namespace {

using tune::Parameter;
using tune::Point;
using tune::Value;

std::string place_label(const std::string& layer, size_t number) {
  return layer + "+" + std::to_string(number);
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
    for (size_t n = 0; n < (c.options.restricted.tiles ? std::min<size_t>(count, 1) : count); ++n) {
      values.emplace_back(place_label(layer, n));
    }
  }
  return values;
}

/// Bytes that a group has beside the copies of the first few inputs.
int64_t room_beside_copies(const SpaceContext& c, const Point& p, size_t inputs) {
  int64_t room = capacity_of_groups(c);
  for (size_t n = 0; n < inputs; ++n) room -= copy_bytes(c, p, c.inputs[n]);
  return room;
}

/// On grids: places of copies for groups that there is room for beside those of earlier buffers.
std::vector<Value> places_with_room(const SpaceContext& c, const Point& p, size_t buffer) {
  const int64_t room = room_beside_copies(c, p, buffer);
  std::vector<Value> values;
  for (const Value& place : memory_places(c, p)) {
    const std::string& label = std::get<std::string>(place);
    const bool is_outside = label == place_label(c.layers.cores.front(), 0);
    if (!is_outside && tile_bytes(c, p, c.inputs[buffer], label, Shared::by_group) <= room)
      values.push_back(place);
  }
  return values;
}

Parameter place_parameter(const SpaceContext& c, size_t buffer) {
  const std::string name = "pack." + c.inputs[buffer];
  const auto kind = tune::ParameterKind::categorical;
  if (!c.is_gpu()) {
    return {name, [&c](const Point& p) { return memory_places(c, p); }, parts_and_fuse(c), kind};
  }
  std::vector<std::string> reads = parts_and_loops(c);
  for (size_t n = 0; n < buffer; ++n) {
    reads.insert(reads.end(), {"pack." + c.inputs[n], "pack." + c.inputs[n] + ".layout"});
  }
  return {name, [&c, buffer](const Point& p) { return places_with_room(c, p, buffer); }, reads,
          kind};
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

std::vector<Value> layouts_in(const SpaceContext& c, const std::string& region, bool digits) {
  const machine::Region* r = c.machine.find_region(region);
  if (!r) return {std::string("-")};
  std::vector<Value> values;
  if (digits) values.insert(values.end(), {std::string("walk"), std::string("digits")});
  values.insert(values.end(), {std::string("dimensions"), std::string("inside last")});
  // In a cache, a copy that keeps the layout would be no copy.
  if (r->is_explicit) values.emplace_back(std::string("kept"));
  if (c.is_gpu()) values.emplace_back(std::string("loops first"));
  return values;
}

/// Layouts digit by digit only where there is room for a copy of each thread.
Parameter layout_parameter(const SpaceContext& c, size_t number) {
  const std::string buffer = c.inputs[number], pack = "pack." + buffer;
  const auto range = [&c, number, buffer, pack](const Point& p) {
    const bool digits = !c.is_gpu() || tile_bytes(c, p, buffer, p.label(pack), Shared::by_none) <=
                                           room_beside_copies(c, p, number);
    return layouts_in(c, p.label(pack + ".region"), digits);
  };
  std::vector<std::string> reads = {pack + ".region"};
  if (c.is_gpu()) {
    reads = parts_and_loops(c);
    reads.insert(reads.end(), {pack, pack + ".region"});
    for (size_t n = 0; n < number; ++n) {
      reads.insert(reads.end(), {"pack." + c.inputs[n], "pack." + c.inputs[n] + ".layout"});
    }
  }
  return {pack + ".layout", range, reads, tune::ParameterKind::categorical};
}

/// Of axes in the order of their innermost levels, a block may come to the front: "1-3" are the second
/// and the third. The last one stays where it is.
std::vector<Value> fronts_of(const SpaceVariant& variant, const std::string& buffer) {
  std::vector<Value> values = {std::string("-")};
  const hl::BufferView* view = view_of(variant, buffer);
  const size_t axes = view == nullptr ? 0 : view->accesses.front().index.size();
  for (size_t begin = 1; begin + 1 < axes; ++begin) {
    for (size_t end = begin + 1; end < axes; ++end) {
      values.emplace_back(std::to_string(begin) + "-" + std::to_string(end));
    }
  }
  return values;
}

Parameter front_parameter(const SpaceContext& c, const std::string& buffer) {
  const std::string pack = "pack." + buffer;
  const auto range = [&c, pack, buffer](const Point& p) {
    if (p.label(pack + ".layout") != "dimensions") return std::vector<Value>{std::string("-")};
    return fronts_of(c.variant(p.label("fuse")), buffer);
  };
  return {pack + ".front", range, {"fuse", pack + ".layout"}, tune::ParameterKind::categorical};
}

/// So many levels of a tile of registers may begin one of another buffer.
constexpr size_t most_tiles = 3;

/// Levels side by side in one core; on grids without those that are combined late, outside of loops.
size_t levels_of_tile(const SpaceContext& c, const Point& p) {
  const SpaceVariant& variant = c.variant(p.label("fuse"));
  const bool late = c.is_gpu() && p.label("late") != "none";
  size_t count = 0;
  for (const std::string& layer : {c.layers.registers, c.layers.lanes}) {
    for (const std::string& d : dimensions_on(c, variant, parts_at(c, p), layer)) {
      count += late && variant.find(d)->is_reduced ? 0 : 1;
    }
  }
  return count;
}

/// Registers begin inside of the copy, if there is one.
std::vector<Value> register_places(const SpaceContext& c, const Point& p,
                                   const std::string& buffer) {
  const std::string& pack = p.label("pack." + buffer);
  std::vector<Value> values = {std::string("none")};
  const size_t tiles = levels_of_tile(c, p);
  const size_t most = c.is_gpu() && !c.options.restricted.tiles ? most_tiles : 1;
  for (size_t n = 0; n < std::min(tiles, most); ++n) {
    values.emplace_back(place_label(c.layers.registers, n));
  }
  if (c.options.restricted.tiles) return values;
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

void add_input(const SpaceContext& c, size_t number, std::vector<Parameter>& parameters) {
  const auto kind = tune::ParameterKind::categorical;
  const std::string buffer = c.inputs[number], pack = "pack." + buffer;
  parameters.push_back(place_parameter(c, number));
  parameters.push_back({pack + ".region",
                        [&c, pack](const Point& p) { return regions_at(c, p.label(pack)); },
                        {pack},
                        kind});
  parameters.push_back(layout_parameter(c, number));

  if (c.is_gpu()) parameters.push_back(front_parameter(c, buffer));
  std::vector<std::string> reads = parts_and_fuse(c);
  reads.insert(reads.end(), {pack, "late", "order." + c.layers.inner});
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
  if (c.is_gpu()) {
    const int64_t room = room_beside_copies(c, p, c.inputs.size());
    std::erase_if(around, [&](const std::string& layer) {
      return bytes_of_results(c, p, buffer, layer) > room;
    });
  }
  return used_layers(c, p, around);
}

/// There is a reduction, and nothing but reductions inside of the first one.
bool ends_reducing(const SpaceVariant& variant, const std::vector<std::string>& order) {
  const auto reduced = [&](const std::string& d) { return variant.find(d)->is_reduced; };
  const auto first = std::find_if(order.begin(), order.end(), reduced);
  return first != order.end() && std::all_of(first, order.end(), reduced);
}

/// The cores of a layer may combine what each of them has in registers, with nothing but reductions
/// inside of them: other cores would share what is no core's own.
bool combines_in_registers(const SpaceContext& c, const Point& p, const std::string& layer) {
  return machine::combines_privately(c.machine, *c.machine.find_layer(layer)) &&
         ends_reducing(c.variant(p.label("fuse")), words_of(p.label("order." + layer)));
}

/// Results may be kept in registers from the first reduction on a layer inwards. Where replicated
/// parts are combined late, from those on: anything inside of them would be one for each.
/// Nor is anything of use that other loops walk along: it would be an array in memory.
std::vector<Value> result_layers(const SpaceContext& c, const Point& p) {
  if (p.label("late") != "none" && !c.is_gpu()) return {std::string("none"), c.layers.registers};
  std::vector<std::string> layers;
  for (size_t n = 1; n < c.layers.cores.size(); ++n) {
    if (combines_in_registers(c, p, c.layers.cores[n])) layers.push_back(c.layers.cores[n]);
  }
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
  for (size_t n = 1; n < c.layers.cores.size(); ++n) {
    reads.push_back("order." + c.layers.cores[n]);
  }
  parameters.push_back(
      {"acc." + buffer, [&c](const Point& p) { return result_layers(c, p); }, reads, kind});
  reads.push_back("acc." + buffer);
  for (const std::string& input : c.inputs) {
    if (c.is_gpu()) reads.insert(reads.end(), {"pack." + input, "pack." + input + ".layout"});
  }
  parameters.push_back({"mid." + buffer,
                        [&c, buffer](const Point& p) { return middle_layers(c, p, buffer); }, reads,
                        kind});
}

// ---- configurations

/// Levels side by side in one core, the innermost ones: those that are combined late do not count.
std::vector<ll::LevelName> tile_levels(const SpaceContext& c, const ll::Config& config) {
  const std::vector<ll::LevelName> order = ll::order_of(config, "decomposition");
  auto begin = order.end();
  while (begin != order.begin() &&
         ((begin - 1)->layer == c.layers.registers || (begin - 1)->layer == c.layers.lanes)) {
    --begin;
  }
  return {begin, order.end()};
}

/// The level that a place stands for.
std::optional<ll::LevelName> level_at(const SpaceContext& c, const ll::Config& config,
                                      const std::string& place) {
  const auto [layer, number] = place_of(place);
  const std::vector<ll::LevelName> levels =
      layer == c.layers.registers ? tile_levels(c, config) : levels_on(config, layer);
  return number < levels.size() ? std::optional(levels[number]) : std::nullopt;
}

/// The first reduced level on a layer, or the first one. Of registers and lanes always the first
/// one, so that all of them are computed before anything is written.
std::optional<ll::LevelName> result_level(const SpaceContext& c, const SpaceVariant& variant,
                                          const ll::Config& config, const std::string& layer) {
  std::vector<ll::LevelName> levels;
  for (const ll::LevelName& level : ll::order_of(config, "recomposition")) {
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
  for (size_t n = 0; n < c.inputs.size(); ++n) add_input(c, n, parameters);
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
      if (layout == "loops first") r.layout = loops_first(c, variant, config, *view);
      if (c.is_gpu()) r.layout = with_front(point.label(pack + ".front"), r.layout);
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
    const std::vector<ll::LevelName> tile = tile_levels(c, config);
    const auto at = std::find(tile.begin(), tile.end(), level);
    const bool known = c.is_gpu() && at != tile.end();
    return place_label(c.layers.registers, known ? static_cast<size_t>(at - tile.begin()) : 0);
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

/// The rules that say where the axes of a copy are: the one that a configuration follows, and what
/// it puts in front.
struct LayoutRule {
  std::string layout, front = "-";
};

LayoutRule rule_of_dimensions(const SpaceContext& c, const SpaceVariant& variant,
                              const ll::Config& config, const std::string& buffer,
                              const Layout& named) {
  const hl::BufferView* view = view_of(variant, buffer);
  const Layout sorted = by_dimensions(variant, config, *view);
  if (named == sorted) return {"dimensions"};
  if (!c.is_gpu() || named == inside_last(c, variant, config, *view)) return {"inside last"};
  if (named == loops_first(c, variant, config, *view)) return {"loops first"};
  for (const Value& front : fronts_of(variant, buffer)) {
    const std::string& label = std::get<std::string>(front);
    if (named == with_front(label, sorted)) return {"dimensions", label};
  }
  return {"inside last"};
}

LayoutRule rule_of(const SpaceContext& c, const ll::Config& config, const std::string& buffer,
                   const ll::Relocation& place) {
  const Layout& layout = place.layout;
  if (layout.empty()) return {"kept"};
  std::vector<std::string> groups;
  for (const auto& group : config.fuse) groups.push_back(join(group, ","));
  const SpaceVariant& variant = c.variant(groups.empty() ? "none" : join(groups, " "));
  const hl::BufferView* view = view_of(variant, buffer);
  const Layout named = with_names(variant, *view, layout);
  if (std::any_of(layout.begin(), layout.end(), [](const auto& a) { return !a.layer.empty(); })) {
    return {named == by_walk(variant, config, *view, place.from) ? "walk" : "digits"};
  }
  return rule_of_dimensions(c, variant, config, buffer, named);
}

void encode_input(const SpaceContext& c, const ll::Config& config, const std::string& buffer,
                  NamedValues& values) {
  const std::string pack = "pack." + buffer;
  values[pack] = "none";
  values[pack + ".region"] = values[pack + ".layout"] = values[pack + ".front"] = "-";
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
    const LayoutRule rule = rule_of(c, config, buffer, r);
    values[pack + ".layout"] = rule.layout;
    values[pack + ".front"] = rule.front;
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
