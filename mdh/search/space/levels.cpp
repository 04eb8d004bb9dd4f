// Which levels there are, how many parts they have, and how they are nested.
#include <algorithm>
#include <set>

#include "mdh/search/space/context.h"
#include "mdh/support/text.h"

namespace mdh::search::space {
namespace {

using tune::Parameter;
using tune::Point;
using tune::Value;

/// Vectors that one register tile may compute and elements that it stores one by one, together:
/// longer straight code takes compilers seconds and was never faster.
constexpr int64_t longest_tile = 400;

int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// The layers whose parts are parameters, in the order in which they are chosen: from inside out.
std::vector<std::string> chosen_layers(const SpaceContext& c) {
  std::vector<std::string> names;
  for (const std::string& name : {c.layers.lanes, c.layers.registers}) {
    if (!name.empty()) names.push_back(name);
  }
  names.insert(names.end(), c.layers.cores.rbegin(), c.layers.cores.rend());
  if (!c.layers.inner.empty()) names.push_back(c.layers.inner);
  return names;
}

void add_divisors(int64_t number, int64_t limit, std::set<int64_t>& values) {
  for (int64_t d = 1; d * d <= number; ++d) {
    if (number % d != 0) continue;
    if (d <= limit) values.insert(d);
    if (number / d <= limit) values.insert(number / d);
  }
}

void add_powers(int64_t limit, std::set<int64_t>& values) {
  for (int64_t power = 1; power <= limit; power *= 2) values.insert(power);
}

std::vector<Value> listed(const std::set<int64_t>& values) {
  return std::vector<Value>(values.begin(), values.end());
}

/// Parts that a level may have when `rest` of a dimension is left; the product of all dimensions'
/// parts on the layer so far is `used`.
class Candidates {
 public:
  explicit Candidates(const SpaceContext& c) : c_(c) {}

  std::vector<Value> of(const std::string& layer, int64_t rest, int64_t used, bool taken) const {
    if (layer == c_.layers.lanes) return lanes(rest, used, taken);
    if (layer == c_.layers.inner) return memory(rest);
    return cores(layer, rest, used);
  }

  static std::vector<Value> registers(int64_t most) {
    std::set<int64_t> values = {1};
    for (int64_t n = 2; n <= 24 && n <= most; ++n) values.insert(n);
    return listed(values);
  }

 private:
  /// On a grid along two dimensions, and no more than there are results in all.
  std::vector<Value> lanes(int64_t rest, int64_t used, bool taken) const {
    constexpr int64_t most_of_thread = 64;
    std::set<int64_t> values = {1};
    if (!taken && c_.has_lanes) {
      for (const int64_t n : {2, 4, 8, 16}) {
        if (n < 2 * rest && (!c_.is_gpu() || n * used <= most_of_thread)) values.insert(n);
      }
    }
    return listed(values);
  }

  static std::vector<Value> memory(int64_t rest) {
    std::set<int64_t> values;
    add_divisors(rest, rest, values);
    add_powers(rest, values);
    for (int64_t n = 1; n <= std::min<int64_t>(16, rest); ++n) {
      values.insert(n);
      values.insert(ceil_div(rest, n));  // so many rounds of the loop outside, the last one padded
    }
    return listed(values);
  }

  std::vector<Value> cores(const std::string& layer, int64_t rest, int64_t used) const {
    const bool outermost = layer == c_.layers.cores.front();
    const int64_t machine = c_.cores();
    const int64_t threads = c_.layers.cores.size() > 2 ? 32 : 1024;  // with and without warps
    int64_t limit =
        c_.is_gpu() ? (outermost ? 65536 : threads) : std::max<int64_t>(512, 16 * machine);
    limit = std::min(rest, std::max<int64_t>(1, limit / used));
    std::set<int64_t> values;
    add_divisors(rest, limit, values);
    add_powers(limit, values);
    for (const int64_t n : {1, 2, 3, 4, 6, 8, 12, 16, 32, 64}) {
      if (outermost && n * machine <= limit) values.insert(n * machine);
    }
    // Few groups, and few rounds of loops inside of them, whatever divides the size.
    for (int64_t n = 1; c_.is_gpu() && outermost && n <= 16; ++n) {
      if (n <= limit) values.insert(n);
      if (ceil_div(rest, n) <= limit) values.insert(ceil_div(rest, n));
    }
    return listed(values);
  }

  const SpaceContext& c_;
};

std::string level_name(const std::string& layer, const std::string& dimension) {
  return layer + "." + dimension;
}

const SpaceDimension* dimension_at(const SpaceContext& c, const Point& point,
                                   const std::string& dimension) {
  return c.variant(point.label("fuse")).find(dimension);
}

std::vector<std::string> lane_names(const SpaceContext& c) {
  std::vector<std::string> names;
  if (c.layers.lanes.empty()) return names;
  for (const std::string& d : c.dimensions) names.push_back(level_name(c.layers.lanes, d));
  return names;
}

int64_t bytes_of_result(const SpaceContext& c) {
  int64_t bytes = 1;
  for (const hl::BufferView& out : c.variants.front().program.outputs) {
    bytes = std::max<int64_t>(bytes, scalar::bytes_of(out.type));
  }
  return bytes;
}

/// Registers that the lanes of one result take.
int64_t vectors_of_lanes(const SpaceContext& c, const Point& p) {
  int64_t bytes = bytes_of_result(c);
  for (const std::string& name : lane_names(c)) bytes *= p.integer(name);
  return std::max<int64_t>(1, bytes / std::max<int64_t>(1, c.options.vectors.bytes));
}

/// Elements of one result that are stored one by one.
int64_t scattered_lanes(const SpaceContext& c, const Point& p) {
  for (const std::string& name : lane_names(c)) {
    const SpaceDimension* d = dimension_at(c, p, name.substr(name.find('.') + 1));
    if (d && d->is_scattered && p.integer(name) > 1) return p.integer(name);
  }
  return 0;
}

/// The same on a grid, where threads have no vectors: lanes are elements one by one.
constexpr int64_t longest_thread = 3 * longest_tile;

struct ThreadTile {
  int64_t all = 1, results = 1;
};

ThreadTile thread_tile(const SpaceContext& c, const Point& p,
                       const std::vector<std::string>& before) {
  ThreadTile tile;
  std::vector<std::string> names = lane_names(c);
  names.insert(names.end(), before.begin(), before.end());
  for (const std::string& name : names) {
    const SpaceDimension* d = dimension_at(c, p, name.substr(name.find('.') + 1));
    tile.all *= p.integer(name);
    if (d && !d->is_reduced) tile.results *= p.integer(name);
  }
  return tile;
}

/// A thread has half as many results as it has registers, at most: the others are for what it computes
/// them of.
int64_t most_results(const SpaceContext& c) {
  const machine::Region* registers = c.machine.find_region(c.layers.register_region);
  const int64_t bytes = registers != nullptr ? registers->capacity.value_or(1020) : 1020;
  return std::max<int64_t>(1, (bytes + 4) / 2 / bytes_of_result(c));
}

int64_t most_in_thread(const SpaceContext& c, const Point& p, const SpaceDimension& dimension,
                       const std::vector<std::string>& before) {
  const ThreadTile tile = thread_tile(c, p, before);
  const int64_t most = longest_thread / tile.all;
  return dimension.is_reduced ? most : std::min(most, most_results(c) / tile.results);
}

/// The most parts of a dimension in a tile of registers: its results are in registers, if there are
/// not more than those, and its code is not too long.
int64_t most_in_tile(const SpaceContext& c, const Point& p, const SpaceDimension& dimension,
                     const std::vector<std::string>& before) {
  if (c.is_gpu()) return most_in_thread(c, p, dimension, before);
  const int64_t lanes = vectors_of_lanes(c, p);
  int64_t results = lanes, all = lanes + scattered_lanes(c, p);
  for (const std::string& name : before) {
    const SpaceDimension* d = dimension_at(c, p, name.substr(name.find('.') + 1));
    all *= p.integer(name);
    if (d && !d->is_reduced) results *= p.integer(name);
  }
  const int64_t most = longest_tile / all;
  return dimension.is_reduced ? most : std::min(most, c.options.vectors.registers / results);
}

/// The parts of one level. Dimensions that are not there, or wholly used up, have one part.
Parameter parts_parameter(const SpaceContext& c, const std::string& layer, size_t number) {
  const std::vector<std::string> layers = chosen_layers(c);
  const std::string dimension = c.dimensions[number];
  std::vector<std::string> inside, before;
  for (const std::string& other : layers) {
    if (other == layer) break;
    inside.push_back(level_name(other, dimension));
  }
  for (size_t d = 0; d < number; ++d) before.push_back(level_name(layer, c.dimensions[d]));
  std::vector<std::string> reads = {"fuse"};
  reads.insert(reads.end(), inside.begin(), inside.end());
  if (layer != c.layers.inner) reads.insert(reads.end(), before.begin(), before.end());
  const bool is_tile = layer == c.layers.registers;
  for (const std::string& name : is_tile ? lane_names(c) : std::vector<std::string>()) {
    if (std::find(reads.begin(), reads.end(), name) == reads.end()) reads.push_back(name);
  }
  const auto range = [&c, layer, dimension, inside, before,
                      is_tile](const Point& p) -> std::vector<Value> {
    const SpaceDimension* d = dimension_at(c, p, dimension);
    int64_t rest = d ? d->size : 1;
    for (const std::string& name : inside) rest = ceil_div(rest, p.integer(name));
    if (rest == 1) return {int64_t{1}};
    if (is_tile) return Candidates::registers(std::min(rest, most_in_tile(c, p, *d, before)));
    int64_t used = 1, taken = 0;
    if (layer != c.layers.inner) {
      for (const std::string& name : before) {
        used *= p.integer(name);
        taken += p.integer(name) > 1 ? 1 : 0;
      }
    }
    return Candidates(c).of(layer, rest, used, taken >= (c.is_gpu() ? 2 : 1));
  };
  return {level_name(layer, dimension), range, reads, tune::ParameterKind::ordinal};
}

/// All orders of some words.
std::vector<Value> permutations(std::vector<std::string> words) {
  std::vector<size_t> order(words.size());
  for (size_t n = 0; n < order.size(); ++n) order[n] = n;
  std::vector<Value> all;
  do {
    std::vector<std::string> permuted;
    for (const size_t n : order) permuted.push_back(words[n]);
    all.emplace_back(join(permuted, ","));
  } while (all.size() < 5040 && std::next_permutation(order.begin(), order.end()));
  return all;
}

Parameter order_parameter(const SpaceContext& c, const std::string& layer) {
  const auto range = [&c, layer](const Point& p) {
    const SpaceVariant& variant = c.variant(p.label("fuse"));
    return permutations(dimensions_on(c, variant, parts_at(c, p), layer));
  };
  return {"order." + layer, range, parts_and_fuse(c), tune::ParameterKind::categorical};
}

bool is_reduced_on(const SpaceContext& c, const Point& p, const LevelParts& parts,
                   const std::string& layer) {
  const SpaceVariant& variant = c.variant(p.label("fuse"));
  const std::vector<std::string> there = dimensions_on(c, variant, parts, layer);
  return std::any_of(there.begin(), there.end(),
                     [&](const std::string& d) { return variant.find(d)->is_reduced; });
}

/// Replicated parts of reductions may be combined behind the loops of a memory layer.
Parameter late_parameter(const SpaceContext& c) {
  const auto range = [&c](const Point& p) {
    const LevelParts& parts = parts_at(c, p);
    std::vector<Value> values = {std::string("none")};
    if (!is_reduced_on(c, p, parts, c.layers.registers) &&
        !is_reduced_on(c, p, parts, c.layers.lanes)) {
      return values;
    }
    for (const std::string& layer : {c.layers.inner, c.layers.outer}) {
      if (is_reduced_on(c, p, parts, layer)) values.emplace_back(layer);
    }
    return values;
  };
  return {"late", range, parts_and_fuse(c), tune::ParameterKind::categorical};
}

bool is_replicated(const SpaceContext& c, const std::string& layer) {
  return layer == c.layers.registers || layer == c.layers.lanes;
}

/// Replicated levels of reductions that are combined behind loops on `late`.
std::vector<ll::LevelName> late_levels(const SpaceContext& c, const Point& p,
                                       const SpaceVariant& variant) {
  std::vector<ll::LevelName> levels;
  for (const std::string& layer : {c.layers.registers, c.layers.lanes}) {
    if (layer.empty()) continue;
    for (const std::string& d : words_of(p.label("order." + layer))) {
      if (variant.find(d)->is_reduced) levels.push_back({layer, d});
    }
  }
  return levels;
}

void add_order(const SpaceContext& c, const Point& p, const SpaceVariant& variant,
               ll::Config& config) {
  const std::string late = p.label("late");
  for (const std::string& layer : c.layers.nested()) {
    bool waiting = layer == late;
    for (const std::string& d : words_of(p.label("order." + layer))) {
      const bool reduced = variant.find(d)->is_reduced;
      if (late != "none" && is_replicated(c, layer) && reduced) continue;
      if (waiting && reduced) {
        for (const ll::LevelName& level : late_levels(c, p, variant)) config.order.push_back(level);
        waiting = false;
      }
      config.order.push_back({layer, d});
    }
  }
}

}  // namespace

std::vector<std::string> words_of(const std::string& list) {
  return list.empty() ? std::vector<std::string>() : split(list, ',');
}

std::vector<std::string> parts_names(const SpaceContext& c) {
  std::vector<std::string> names;
  for (const std::string& layer : chosen_layers(c)) {
    for (const std::string& dimension : c.dimensions) names.push_back(level_name(layer, dimension));
  }
  return names;
}

namespace {

LevelParts computed_parts(const SpaceContext& c, const Point& point) {
  LevelParts parts;
  const SpaceVariant& variant = c.variant(point.label("fuse"));
  for (const SpaceDimension& d : variant.dimensions) {
    int64_t rest = d.size;
    for (const std::string& layer : chosen_layers(c)) {
      const int64_t count = point.integer(level_name(layer, d.name));
      if (count > 1) parts[layer][d.name] = count;
      rest = ceil_div(rest, count);
    }
    if (rest > 1) parts[c.layers.outer][d.name] = rest;
  }
  return parts;
}

}  // namespace

const LevelParts& parts_at(const SpaceContext& c, const Point& point) {
  std::vector<int64_t> counts;
  counts.reserve(c.parts_names.size());
  for (const std::string& name : c.parts_names) counts.push_back(point.integer(name));
  if (c.last.counts != counts || c.last.fuse != point.label("fuse")) {
    c.last = {point.label("fuse"), std::move(counts), computed_parts(c, point)};
  }
  return c.last.parts;
}

std::vector<std::string> dimensions_on(const SpaceContext&, const SpaceVariant& variant,
                                       const LevelParts& parts, const std::string& layer) {
  std::vector<std::string> names;
  const auto on = parts.find(layer);
  if (on == parts.end()) return names;
  for (const SpaceDimension& d : variant.dimensions) {
    if (on->second.contains(d.name)) names.push_back(d.name);
  }
  return names;
}

std::vector<ll::LevelName> levels_on(const ll::Config& config, const std::string& layer) {
  std::vector<ll::LevelName> levels;
  for (const ll::LevelName& level : config.order) {
    if (level.layer == layer) levels.push_back(level);
  }
  return levels;
}

void add_levels(const SpaceContext& c, std::vector<Parameter>& parameters) {
  std::vector<std::string> variants, significance;
  for (const SpaceVariant& variant : c.variants) variants.push_back(variant.label);
  for (const auto& layers : c.significance) significance.push_back(join(layers, " "));
  parameters.push_back(tune::labels("fuse", variants));
  parameters.push_back(tune::labels("layers", significance));
  for (const std::string& layer : chosen_layers(c)) {
    for (size_t d = 0; d < c.dimensions.size(); ++d) {
      parameters.push_back(parts_parameter(c, layer, d));
    }
  }
  for (const std::string& layer : c.layers.nested()) {
    parameters.push_back(order_parameter(c, layer));
  }
  parameters.push_back(late_parameter(c));
}

void decode_levels(const SpaceContext& c, const Point& point, ll::Config& config) {
  const SpaceVariant& variant = c.variant(point.label("fuse"));
  config.fuse = variant.fuse;
  const LevelParts parts = parts_at(c, point);
  for (const auto& layers : c.significance) {
    if (join(layers, " ") == point.label("layers")) config.layers = layers;
  }
  for (const SpaceDimension& d : variant.dimensions) {
    for (const std::string& layer : config.layers) {
      const auto on = parts.find(layer);
      if (on == parts.end() || !on->second.contains(d.name)) continue;
      config.split[d.name].push_back({layer, on->second.at(d.name)});
    }
  }
  add_order(c, point, variant, config);
}

namespace {

/// The digits of all dimensions appear in the order of these layers.
bool agrees(const std::vector<std::string>& layers, const ll::Split& split) {
  return std::all_of(split.begin(), split.end(), [&](const auto& entry) {
    size_t at = 0;
    for (const ll::Digit& digit : entry.second) {
      if (digit.parts == 1) continue;
      while (at < layers.size() && layers[at] != digit.layer) ++at;
      if (at == layers.size()) return false;
    }
    return true;
  });
}

/// The memory layer before whose reductions the first replicated level stands.
std::string late_of(const SpaceContext& c, const SpaceVariant& variant, const ll::Config& config) {
  bool waiting = false;
  for (const ll::LevelName& level : config.order) {
    const SpaceDimension* d = variant.find(level.dimension);
    if (!d || !d->is_reduced) continue;
    if (is_replicated(c, level.layer)) waiting = true;
    if (waiting && (level.layer == c.layers.inner || level.layer == c.layers.outer)) {
      return level.layer;
    }
  }
  return "none";
}

}  // namespace

void encode_levels(const SpaceContext& c, const ll::Config& config, NamedValues& values) {
  std::vector<std::string> groups;
  for (const auto& group : config.fuse) groups.push_back(join(group, ","));
  const std::string fuse = groups.empty() ? "none" : join(groups, " ");
  values["fuse"] = fuse;
  for (const auto& layers : c.significance) {
    if (!values.contains("layers") && agrees(layers, config.split)) {
      values["layers"] = join(layers, " ");
    }
  }
  for (const std::string& name : parts_names(c)) values[name] = int64_t{1};
  for (const auto& [dimension, digits] : config.split) {
    for (const ll::Digit& digit : digits) {
      const std::string name = level_name(digit.layer, dimension);
      if (digit.layer != c.layers.outer) values[name] = digit.parts;
    }
  }
  for (const std::string& layer : c.layers.nested()) {
    std::vector<std::string> words;
    for (const ll::LevelName& level : levels_on(config, layer)) words.push_back(level.dimension);
    values["order." + layer] = join(words, ",");
  }
  values["late"] = late_of(c, c.variant(fuse), config);
}

}  // namespace mdh::search::space
