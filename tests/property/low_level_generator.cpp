#include "tests/property/low_level_generator.h"

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "examples/catalogue.h"
#include "mdh/hl/analysis.h"
#include "mdh/hl/parse.h"
#include "mdh/ll/names.h"
#include "mdh/ll/parameters.h"
#include "mdh/ll/roll.h"
#include "mdh/passes/lower/fuse.h"
#include "mdh/support/files.h"
#include "mdh/support/text.h"
#include "tests/property/decision_generator.h"
#include "tests/property/generator.h"

namespace mdh::test {
namespace {

constexpr int64_t most_points = 72;

std::vector<int64_t> small_sizes(Random& random, size_t dimensions) {
  static const std::vector<int64_t> choices = {1, 2, 3, 4, 5, 7, 9};
  std::vector<int64_t> sizes(dimensions);
  for (int64_t& size : sizes) size = random.pick(choices);
  while (scalar::volume(sizes) > most_points) {
    int64_t& size =
        sizes[static_cast<size_t>(random.between(0, static_cast<int64_t>(dimensions) - 1))];
    size = (size + 1) / 2;
  }
  return sizes;
}

/// Operators of the user, mixtures with scans, combine operators on whole MDAs.
hl::Program special_program(Random& random) {
  static const std::vector<std::string> texts = {
      R"(mdh 1
record best { value: i32; at: i64; }
op larger(l, r) = if l.value > r.value || l.value == r.value && l.at <= r.at then l else r;
program argmax<I: size, K: size> =
  out_view( b: best = [i] )
* md_hom( i: I by cc, k: K by pw(larger) ) { b = best { value = x, at = k }; }
* inp_view( x: i32 = [i, k] ))",
      R"(mdh 1
program box<I: size, J: size, K: size> =
  out_view( y: i64 = [i, k] )
* md_hom( i: I by ps(add), j: J by pw(add), k: K by cc ) { y = x * (j + 1); }
* inp_view( x: i64 = [i, j, k] ))",
      R"(mdh 1
program running<J: size, I: size> =
  out_view( y: i32 = [j, i] )
* md_hom( j: J by ps(max), i: I by ps(max) ) { y = x; }
* inp_view( x: i32 = [i, j] ))",
      R"(mdh 1
op both(l, r) { s = l.s + r.s; p = l.p * r.p; }
program sums<K: size, I: size> =
  out_view( s: i64 = [i]; p: i64 = [i] )
* md_hom( k: K by pw(both), i: I by cc ) { s = x; p = x + k; }
* inp_view( x: i64 = [i + k] ))",
      R"(mdh 1
combine beside(x): same { return if in_lhs(x) then lhs[x] else rhs[x]; }
program custom<I: size, K: size> =
  out_view( y: i32 = [i] )
* md_hom( i: I by beside, k: K by pw(add) ) { y = x; }
* inp_view( x: i32 = [2 * i + k] ))"};
  const hl::Program generic = hl::parse(random.pick(texts));
  return hl::instantiate(generic, {.sizes = hl::sizes_by_dimension(
                                       generic, small_sizes(random, generic.dimensions.size()))});
}

// ---- configurations

ll::Split random_split(const hl::Program& p, const std::vector<std::string>& layers,
                       Random& random) {
  ll::Split split;
  const std::vector<int64_t> sizes = hl::sizes(p);
  for (size_t d = 0; d < sizes.size(); ++d) {
    std::vector<int64_t> parts(layers.size(), 1);
    int64_t rest = sizes[d];
    while (rest > 1) {
      const int64_t count = random.between(2, std::min<int64_t>(rest, 5));
      parts[static_cast<size_t>(random.between(0, static_cast<int64_t>(parts.size()) - 1))] *=
          count;
      rest = (rest + count - 1) / count;
    }
    std::vector<ll::Digit>& digits = split[p.dimensions[d].symbol.name];
    for (size_t l = 0; l < layers.size(); ++l) {
      if (parts[l] > 1) digits.push_back({layers[l], parts[l]});
    }
    if (!digits.empty() && random.chance(10)) digits.front().parts = ll::open_parts;
  }
  return split;
}

std::vector<ll::LevelName> levels_of(const ll::Split& split) {
  std::vector<ll::LevelName> levels;
  for (const auto& [dimension, digits] : split) {
    for (const ll::Digit& digit : digits) levels.push_back({digit.layer, dimension});
  }
  return levels;
}

/// Dimensions in any order, some of them digit by digit.
std::vector<ll::LayoutAxis> random_layout(const hl::Program& p, const hl::BufferView& buffer,
                                          const ll::Config& config, size_t position,
                                          Random& random) {
  std::vector<ll::LayoutAxis> axes;
  for (size_t e = 0; e < buffer.accesses.front().index.size(); ++e) {
    const std::string number = std::to_string(e + 1);
    const auto walks = ll::walking_dimension(p, buffer, e);
    std::vector<ll::LayoutAxis> digits;
    for (size_t q = position; walks && q < config.order.size(); ++q) {
      if (config.order[q].dimension != p.dimensions[*walks].symbol.name) continue;
      digits.push_back({number, config.order[q].layer});
    }
    if (digits.empty() || random.chance(60)) digits = {{number, ""}};
    axes.insert(axes.end(), digits.begin(), digits.end());
  }
  random.shuffle(axes);
  return axes;
}

void add_places(ll::Relocations& relocations, const std::vector<hl::BufferView>& buffers,
                const hl::Program& p, const machine::Machine& machine, const ll::Config& config,
                Random& random) {
  for (const hl::BufferView& buffer : buffers) {
    int64_t region = 0;
    const auto last = static_cast<int64_t>(config.order.size());
    for (int64_t q = random.between(0, last); q <= last && random.chance(60);
         q = random.between(q + 1, last + 1)) {
      region = random.between(region, static_cast<int64_t>(machine.regions.size()) - 1);
      ll::Relocation one;
      one.from = q == last ? ll::LevelName{"f", ""} : config.order[static_cast<size_t>(q)];
      one.region = machine.regions[static_cast<size_t>(region)].name;
      if (random.chance(50)) {
        one.layout = random_layout(p, buffer, config, static_cast<size_t>(q), random);
      }
      relocations[buffer.symbol.name].push_back(std::move(one));
    }
  }
}

/// Other orders, and the digits of some dimensions on other layers.
void add_phases(ll::Config& config, const machine::Machine& machine, Random& random) {
  for (const std::string& name : ll::phase_names()) {
    if (random.chance(30)) continue;
    ll::PhaseOverride phase;
    phase.order = config.order;
    random.shuffle(phase.order);
    for (const auto& [dimension, digits] : config.split) {
      if (random.chance(50)) continue;
      std::vector<std::string> layers;
      for (const machine::Layer& layer : machine.layers) layers.push_back(layer.name);
      random.shuffle(layers);
      std::vector<ll::Digit>& mine = phase.split[dimension];
      for (size_t n = 0; n < digits.size(); ++n) mine.push_back({layers[n], digits[n].parts});
    }
    config.phases[name] = std::move(phase);
  }
}

ll::Config drawn(const hl::Program& p, const machine::Machine& machine, Style style,
                 Random& random) {
  ll::Config config{.program = p.name, .machine = machine.name};
  for (const machine::Layer& layer : machine.layers) config.layers.push_back(layer.name);
  random.shuffle(config.layers);
  config.split = random_split(p, config.layers, random);
  config.order = levels_of(config.split);
  random.shuffle(config.order);
  if (style == Style::arbitrary) add_phases(config, machine, random);
  ll::Config described = config;
  const auto along = [&](const char* phase) {
    described.order = config.order;
    if (config.phases.contains(phase)) described.order = config.phases.at(phase).order;
    return described;
  };
  add_places(config.stage, p.inputs, p, machine, along("decomposition"), random);
  add_places(config.acc, p.outputs, p, machine, along("recomposition"), random);
  return config;
}

bool is_valid(const ll::Config& config, const hl::Program& p, const machine::Machine& machine) {
  try {
    validate(config, p, machine);
    return true;
  } catch (const Error& e) {
    if (e.diagnostic().kind != DiagnosticKind::user) throw;
    return false;
  }
}

/// Tiles that compilers do not know, and results that go past the caches where they are never read
/// again: whatever the rules allow.
ll::Config with_hints(const ll::Config& config, const hl::Program& p,
                      const machine::Machine& machine, Random& random) {
  ll::Config hidden = config;
  for (const auto& [buffer, relocations] : config.stage) {
    if (!random.chance(50)) continue;
    std::vector<ll::StageCode>& tiles = hidden.code.stage[buffer];
    tiles.resize(relocations.size());
    for (ll::StageCode& tile : tiles) tile.opaque = true;
  }
  if (!is_valid(hidden, p, machine)) hidden = config;
  ll::Config streaming = hidden;
  if (random.chance(60)) streaming.code.kernel.store = ll::Hint::streaming;
  return is_valid(streaming, p, machine) ? streaming : hidden;
}

/// Copies in flight and straight code in other orders, if the rules allow them. Drawn from a copy
/// of the numbers, so that what is drawn later does not depend on it.
ll::Config with_orders(const ll::Config& config, const hl::Program& p,
                       const machine::Machine& machine, Random random) {
  ll::Config result = config;
  Random other(Random(random).next());
  for (const auto& [buffer, relocations] : config.stage) {
    const bool flies = random.chance(40), is_held = !flies && other.chance(40);
    if (!flies && !is_held) continue;
    std::vector<ll::StageCode>& tiles = result.code.stage[buffer];
    tiles.resize(relocations.size());
    for (ll::StageCode& tile : tiles) {
      tile.transport = flies ? ll::Transport::async : ll::Transport::registers;
      if (is_held) {
        tile.depth = other.between(2, 4);
      } else if (random.chance(50)) {
        tile.depth = random.between(2, 3);
      }
    }
  }
  for (const auto& [buffer, relocations] : config.stage) {
    if (config.order.empty() || !random.chance(30)) continue;
    std::vector<ll::StageCode>& tiles = result.code.stage[buffer];
    tiles.resize(relocations.size());
    for (ll::StageCode& tile : tiles) {
      tile.prefetch = ll::Prefetch{random.between(1, 20), random.pick(config.order)};
      if (random.chance(50)) tile.copy_order = {{"1", random.between(1, 4)}};
    }
  }
  if (random.chance(80)) {  // only vector code on registers has orders, so most cases do not
    const bool serpentine = p.inputs.empty() || random.chance(40);
    const std::string by = random.chance(50) ? "by_operand " : "serpentine ";
    result.code.kernel.emit = serpentine ? "serpentine" : by + random.pick(p.inputs).symbol.name;
  }
  return with_hints(is_valid(result, p, machine) ? result : config, p, machine, random);
}

/// Parts of some layers are dealt in other ways, to fewer cores, or to more than there are parts.
void deal_cores(ll::Config& config, const hl::Program& p, const machine::Machine& machine,
                Random& random) {
  for (const machine::Layer& layer : machine.layers) {
    if (layer.kind != machine::LayerKind::cores || random.chance(50)) continue;
    ll::Config dealt = config;
    dealt.code.cores[layer.name] = {.count = random.between(0, 4),
                                    .deal = random.pick(std::vector<ll::Deal>{
                                        ll::Deal::block, ll::Deal::cyclic, ll::Deal::dynamic})};
    if (is_valid(dealt, p, machine)) config = std::move(dealt);
  }
}

/// Most tiles that can roll do; whether there are any.
bool roll_tiles(ll::Config& config, const hl::Program& p, const machine::Machine& machine,
                Random& random) {
  bool found = false;
  const ll::Program low = ll::program_of(ll::parameters_of(config, p, machine), p, machine);
  const ll::Nest inputs = ll::nest_of(low, low.decompose, machine);
  for (const ll::Staging& s : ll::stagings(low, inputs, machine)) {
    if (s.filled == 0 || random.chance(30)) continue;
    const ll::Level& level = inputs.loops[static_cast<size_t>(s.filled) - 1].level;
    if (!std::holds_alternative<ll::Roll>(ll::roll_of(low, inputs, s, level))) continue;
    ll::Config rolling = config;
    std::vector<ll::StageCode>& tiles = rolling.code.stage[p.inputs[s.buffer].symbol.name];
    tiles.resize(std::max(tiles.size(), static_cast<size_t>(s.number) + 1));
    ll::StageCode& tile = tiles[static_cast<size_t>(s.number)];
    tile.depth = 1;
    tile.roll = ll::LevelName{low.layers[static_cast<size_t>(level.layer)],
                              p.dimensions[static_cast<size_t>(level.dimension)].symbol.name};
    if (!is_valid(rolling, p, machine)) continue;
    config = std::move(rolling);
    found = true;
  }
  return found;
}

/// Neighbours along a dimension of the buffer: x[i + k], or x[i] and x[i + 1].
bool has_windows(const hl::Program& p, const hl::BufferView& buffer) {
  for (size_t e = 0; e < buffer.accesses.front().index.size(); ++e) {
    const auto index = hl::find_affine(p, buffer.accesses.front().index[e]);
    const bool several =
        index && std::count(index->coefficients.begin(), index->coefficients.end(), 0) + 1 <
                     std::ssize(index->coefficients);
    if (several || buffer.accesses.size() > 1) return true;
  }
  return false;
}

/// Cores outside, then loops, and tiles of all windows right inside of one of them.
ll::Config with_windows(ll::Config config, const hl::Program& p, const machine::Machine& machine,
                        Random& random) {
  random.shuffle(config.order);
  const auto is_core = [&](const ll::LevelName& level) {
    return machine.find_layer(level.layer)->kind == machine::LayerKind::cores;
  };
  std::stable_partition(config.order.begin(), config.order.end(), is_core);
  config.phases.clear();
  config.stage.clear();
  config.code.stage.clear();
  const auto last = static_cast<int64_t>(config.order.size());
  for (const hl::BufferView& buffer : p.inputs) {
    if (!has_windows(p, buffer)) continue;
    const auto q = static_cast<size_t>(random.between(std::min<int64_t>(1, last - 1), last - 1));
    // What lies where the user's buffers do, in another layout, is shared by most teams.
    const bool shared = random.chance(50);
    const machine::Region& region = shared ? machine.regions.front() : random.pick(machine.regions);
    ll::Relocation tile{config.order[q], region.name, {}};
    if (shared || random.chance(30)) tile.layout = random_layout(p, buffer, config, q, random);
    config.stage[buffer.symbol.name] = {tile};
  }
  return config;
}

/// Where windows could roll, they mostly do, if need be with other loops around them.
void roll_windows(ll::Config& config, const hl::Program& p, const machine::Machine& machine,
                  Random& random) {
  if (roll_tiles(config, p, machine, random)) return;
  const bool possible = std::any_of(p.inputs.begin(), p.inputs.end(),
                                    [&](const auto& buffer) { return has_windows(p, buffer); });
  if (!possible || config.order.empty() || random.chance(30)) return;
  for (int attempt = 0; attempt < 12; ++attempt) {
    ll::Config candidate = with_windows(config, p, machine, random);
    if (!is_valid(candidate, p, machine)) continue;
    if (!roll_tiles(candidate, p, machine, random)) continue;
    config = std::move(candidate);
    return;
  }
}

/// Other numbers than those that orders are drawn from.
Random decisions_of(Random random) { return Random(random.next() ^ 0x0ed6e5); }

// ---- mutations of known configurations

const std::vector<ll::Config>& known_configs() {
  static const std::vector<ll::Config> all = [] {
    std::vector<std::string> files;
    const std::filesystem::path folder = MDH_SOURCE_DIR "/tests/golden/configs";
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.path().extension() == ".json") files.push_back(entry.path().string());
    }
    std::sort(files.begin(), files.end());
    std::vector<ll::Config> configs;
    for (const std::string& file : files) {
      configs.push_back(ll::parse_config(read_file(file), file));
    }
    return configs;
  }();
  return all;
}

/// Counts for the digits that are there, so that they cover the small size.
void shrink(ll::Config& config, const hl::Program& p, Random& random) {
  const std::vector<int64_t> sizes = hl::sizes(p);
  for (size_t d = 0; d < sizes.size(); ++d) {
    const auto found = config.split.find(p.dimensions[d].symbol.name);
    if (found == config.split.end()) continue;
    std::vector<ll::Digit>& digits = found->second;
    for (ll::Digit& digit : digits) digit.parts = 1;
    int64_t product = 1;
    while (product < sizes[d]) {
      const auto last = static_cast<int64_t>(digits.size()) - 1;
      ++digits[static_cast<size_t>(random.between(0, last))].parts;
      product = 1;
      for (const ll::Digit& digit : digits) product *= digit.parts;
    }
  }
}

void change_something(ll::Config& config, Random& random) {
  const auto any = [&](size_t count) {
    return static_cast<size_t>(random.between(0, static_cast<int64_t>(count) - 1));
  };
  if (config.order.size() > 1 && random.chance(50)) {
    std::swap(config.order[any(config.order.size())], config.order[any(config.order.size())]);
  }
  if (!config.stage.empty() && random.chance(30)) {
    const auto gone =
        std::next(config.stage.begin(), static_cast<int64_t>(any(config.stage.size())));
    config.code.stage.erase(gone->first);
    config.stage.erase(gone);
  }
  if (random.chance(20)) config.acc.clear();
}

}  // namespace

hl::Program catalogue_instance(const examples::Entry& entry, Random& random) {
  return entry.build(
      {random.pick(entry.types), small_sizes(random, entry.generic().dimensions.size())});
}

hl::Program small_program(Random& random) {
  const int64_t kind = random.between(0, 9);
  if (kind < 5) return catalogue_instance(random.pick(examples::catalogue()), random);
  if (kind < 7) return special_program(random);
  for (;;) {
    hl::Program p = random_program(random);
    if (hl::points(p) <= most_points) return p;
  }
}

machine::Machine any_machine(Random& random) {
  if (random.chance(70)) {
    for (;;) {
      const machine::Machine& m = random.pick(machine::machines());
      if (m.name != "host") return m;  // what it is like differs from host to host
    }
  }
  machine::Machine m{.name = "any", .summary = "made for a test"};
  const int64_t memories = random.between(1, 7), teams = random.between(1, 5);
  for (int64_t n = 0; n < memories; ++n) {
    m.layers.push_back({.name = fmt::format("M{}", n), .region = fmt::format("M{}", n)});
    m.regions.push_back({.name = fmt::format("M{}", n), .is_explicit = random.chance(50)});
    const int64_t owner = random.between(0, teams);
    if (n > 0 && owner < teams) m.regions.back().owner = fmt::format("C{}", owner);
  }
  for (int64_t n = 0; n < teams; ++n) {
    m.layers.push_back({.name = fmt::format("C{}", n),
                        .kind = machine::LayerKind::cores,
                        .region = "M0",
                        .barrier = random.chance(60)});
  }
  return m;
}

ll::Config any_config(const hl::Program& program, const machine::Machine& machine, Style style,
                      Random& random) {
  for (int attempt = 0; attempt < 60; ++attempt) {
    ll::Config config = drawn(program, machine, style, random);
    if (attempt > 40) config.stage.clear();
    if (!is_valid(config, program, machine)) continue;
    const Random before = random;
    deal_cores(config, program, machine, random);
    roll_windows(config, program, machine, random);
    const ll::Config ordered = with_orders(config, program, machine, before);
    return with_decisions(ordered, program, machine, decisions_of(before));
  }
  return ll::default_config(program, machine, static_cast<int>(random.between(1, 4)));
}

Mutated mutated_config(Random& random) {
  for (;;) {
    ll::Config config = random.pick(known_configs());
    const examples::Entry* entry = examples::find_entry(config.program);
    internal_check(entry != nullptr, "'{}' is not in the catalogue", config.program);
    const hl::Program program = catalogue_instance(*entry, random);
    config.sizes.clear();
    config.types.clear();
    const machine::Machine& machine = machine::find_machine(config.machine);
    const hl::Program fused = passes::fuse(program, config.fuse);
    shrink(config, fused, random);
    change_something(config, random);
    if (!is_valid(config, fused, machine)) continue;
    const Random before = random;
    deal_cores(config, fused, machine, random);
    roll_windows(config, fused, machine, random);
    const ll::Config ordered = with_orders(config, fused, machine, before);
    return {program, machine, with_decisions(ordered, fused, machine, decisions_of(before))};
  }
}

}  // namespace mdh::test
