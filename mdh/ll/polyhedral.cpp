#include "mdh/ll/polyhedral.h"

#include <algorithm>

#include "mdh/hl/analysis.h"
#include "mdh/ll/footprint.h"
#include "mdh/ll/parameters.h"
#include "mdh/ll/roles.h"
#include "mdh/support/text.h"

namespace mdh::ll {
namespace {

int64_t ceiling(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// Results that a thread may keep in registers.
constexpr int64_t few_results = 64;

/// Both styles add levels one by one; those with one part are left out.
class Generator {
 public:
  Generator(const hl::Program& program, const machine::Machine& machine,
            const std::vector<int64_t>& tiles)
      : program_(program),
        machine_(machine),
        roles_(roles_of(machine)),
        sizes_(hl::sizes(program)),
        tiles_(tiles) {
    check("tiles", tiles, sizes_.size(), sizes_.size());
    if (roles_.memory.size() < 2) {
      user_error("E367", {}, fmt::format("machine '{}' has one memory layer", machine.name),
                 "tiles need two: one for the loops over tiles, one for those inside");
    }
    for (size_t d = 0; d < sizes_.size(); ++d) tiles_[d] = std::min(tiles_[d], sizes_[d]);
    config_ = {.program = program.name, .machine = machine.name};
  }

 protected:
  static void check(const char* what, const std::vector<int64_t>& numbers, size_t least,
                    size_t most) {
    const bool positive =
        std::all_of(numbers.begin(), numbers.end(), [](int64_t n) { return n >= 1; });
    if (positive && numbers.size() >= least && numbers.size() <= most) return;
    const std::string count =
        least == most ? std::to_string(least) : fmt::format("{} to {}", least, most);
    user_error("E367", {}, fmt::format("{}: expected {} numbers from 1 upwards", what, count),
               "one for each dimension");
  }

  int dimensions() const { return static_cast<int>(sizes_.size()); }
  const std::string& name(int d) const { return program_.dimensions[d].symbol.name; }
  int64_t tile_count(int d) const { return ceiling(sizes_[d], tiles_[d]); }

  /// Concatenated dimensions, at most so many.
  std::vector<int> parallel(size_t most) const {
    std::vector<int> found;
    for (int d = 0; d < dimensions() && found.size() < most; ++d) {
      if (program_.dimensions[d].combine.shape == hl::Shape::concatenate) found.push_back(d);
    }
    return found;
  }

  void add_digit(const std::string& layer, int d, int64_t parts) {
    if (parts > 1) config_.split[name(d)].push_back({layer, parts});
  }

  /// The level comes next in the order, if it has parts.
  void add_loop(const std::string& layer, int d) {
    for (const Digit& digit : digits(d)) {
      if (digit.layer == layer) config_.order.push_back({layer, name(d)});
    }
  }

  std::vector<Digit> digits(int d) const {
    const auto found = config_.split.find(name(d));
    return found == config_.split.end() ? std::vector<Digit>{} : found->second;
  }

  const hl::Program& program_;
  const machine::Machine& machine_;
  Roles roles_;
  std::vector<int64_t> sizes_, tiles_;
  Config config_;
};

class Pluto : Generator {
 public:
  using Generator::Generator;

  Config run() {
    const std::string cores = first_cores();
    config_.layers = roles_.memory;
    config_.layers.insert(config_.layers.begin(), cores);
    const std::vector<int> outermost = parallel(1);
    const auto is_dealt = [&](int d) { return !outermost.empty() && outermost[0] == d; };
    for (int d = 0; d < dimensions(); ++d) {
      add_digit(is_dealt(d) ? cores : roles_.memory[0], d, tile_count(d));
      add_digit(roles_.memory[1], d, tiles_[d]);
    }
    for (int d = 0; d < dimensions(); ++d) {
      if (is_dealt(d)) add_loop(cores, d);
    }
    for (const std::string& layer : {roles_.memory[0], roles_.memory[1]}) {
      for (int d = 0; d < dimensions(); ++d) add_loop(layer, d);
    }
    return std::move(config_);
  }

 private:
  std::string first_cores() const {
    const auto found = std::find_if(
        machine_.layers.begin(), machine_.layers.end(),
        [](const machine::Layer& layer) { return layer.kind == machine::LayerKind::cores; });
    internal_check(found != machine_.layers.end(), "machine '{}' has no cores", machine_.name);
    return found->name;
  }
};

class Ppcg : Generator {
 public:
  Ppcg(const hl::Program& program, const machine::Machine& machine,
       const std::vector<int64_t>& tiles, const std::vector<int64_t>& block,
       const std::vector<int64_t>& grid)
      : Generator(program, machine, tiles), block_(block), grid_(grid) {
    check("block", block, 1, 3);
    check("grid", grid, 1, 2);
    if (roles_.threads.empty() || roles_.shared.empty() || roles_.local.empty()) {
      user_error("E367", {}, fmt::format("machine '{}' has no groups of threads", machine.name),
                 "choose a GPU, or pluto_style");
    }
  }

  Config run() {
    const std::string &outer = roles_.memory[0], &inner = roles_.memory[1];
    // Dealt in turn: neighbouring tiles go to neighbouring blocks, points to neighbouring threads.
    config_.layers = {outer, roles_.groups, inner, roles_.threads};
    const std::vector<int> dealt = parallel(grid_.size()), threaded = parallel(block_.size());
    int64_t free = limit_of(machine_, roles_.threads, "", INT64_MAX);
    for (int d = 0; d < dimensions(); ++d) add_digits(d, dealt, threaded, free);
    tag(roles_.groups, dealt);
    tag(roles_.threads, threaded);
    for (const std::string& layer : {roles_.groups, roles_.threads, outer, inner}) {
      for (int d = 0; d < dimensions(); ++d) add_loop(layer, d);
    }
    accumulate();
    for (const hl::BufferView& input : program_.inputs) stage(input);
    return std::move(config_);
  }

 private:
  void add_digits(int d, const std::vector<int>& dealt, const std::vector<int>& threaded,
                  int64_t& free) {
    int64_t blocks = 1, threads = 1;
    if (const auto at = std::find(dealt.begin(), dealt.end(), d); at != dealt.end()) {
      const auto axis = machine_axis(static_cast<int>(dealt.end() - at) - 1);
      blocks = limit_of(machine_, roles_.groups, axis,
                        std::min(grid_[at - dealt.begin()], tile_count(d)));
    }
    if (const auto at = std::find(threaded.begin(), threaded.end(), d); at != threaded.end()) {
      threads = std::min({block_[at - threaded.begin()], tiles_[d], free});
      free /= threads;
    }
    add_digit(roles_.memory[0], d, ceiling(tile_count(d), blocks));
    add_digit(roles_.groups, d, blocks);
    add_digit(roles_.memory[1], d, ceiling(tiles_[d], threads));
    add_digit(roles_.threads, d, threads);
  }

  /// The innermost dimension is x.
  void tag(const std::string& layer, const std::vector<int>& dimensions) {
    for (size_t n = 0; n < dimensions.size(); ++n) {
      const int d = dimensions[dimensions.size() - 1 - n];
      config_.tags[to_string(LevelName{layer, name(d)})] = machine_axis(static_cast<int>(n));
    }
  }

  /// Results stay with their thread while it reduces, if nothing is scanned and they are few.
  void accumulate() {
    const auto begin =
        std::find_if(config_.order.begin(), config_.order.end(), [&](const LevelName& level) {
          return level.layer == roles_.memory[0] || level.layer == roles_.memory[1];
        });
    bool reduces = false;
    int64_t results = 1;
    for (int d = 0; d < dimensions(); ++d) {
      const bool reduced = hl::is_reduced(program_.dimensions[d]);
      if (!reduced && program_.dimensions[d].combine.shape != hl::Shape::concatenate) return;
      for (const Digit& digit : digits(d)) {
        if (digit.layer != roles_.memory[0] && digit.layer != roles_.memory[1]) continue;
        reduces |= reduced;
        if (!reduced) results *= digit.parts;
      }
    }
    if (!reduces || results > few_results) return;
    for (const hl::BufferView& output : program_.outputs) {
      config_.acc[output.symbol.name] = {{*begin, roles_.local, {}}};
    }
  }

  /// A tile begins with the loops inside of tiles; one that does not fit stays where it is.
  void stage(const hl::BufferView& input) {
    const auto begin =
        std::find_if(config_.order.begin(), config_.order.end(),
                     [&](const LevelName& level) { return level.layer == roles_.memory[1]; });
    if (begin == config_.order.end()) return;
    config_.stage[input.symbol.name] = {{*begin, roles_.shared, {}}};
    const Program low = program_of(parameters_of(config_, program_, machine_), program_, machine_);
    for (const RegionCount& region : footprint(low, machine_).regions) {
      if (region.region != roles_.shared || !region.capacity) continue;
      if (region.bytes > *region.capacity) config_.stage.erase(input.symbol.name);
    }
  }

  std::vector<int64_t> block_, grid_;
};

}  // namespace

Config pluto_style(const hl::Program& program, const machine::Machine& machine,
                   const std::vector<int64_t>& tiles) {
  return Pluto(program, machine, tiles).run();
}

Config ppcg_style(const hl::Program& program, const machine::Machine& machine,
                  const std::vector<int64_t>& tiles, const std::vector<int64_t>& block,
                  const std::vector<int64_t>& grid) {
  return Ppcg(program, machine, tiles, block, grid).run();
}

}  // namespace mdh::ll
