#include "mdh/ll/levels.h"

#include <algorithm>

#include "mdh/ll/names.h"
#include "mdh/ll/parameters.h"
#include "mdh/support/text.h"

namespace mdh::ll {
namespace {

class Numbering {
 public:
  Numbering(const Config& config, const hl::Program& program, const machine::Machine& machine)
      : config_(config), program_(program), machine_(machine) {}

  Levels run() {
    result_.layers = all_layers(config_.layers, machine_);
    result_.dimensions = static_cast<int>(program_.dimensions.size());
    parts();
    for (size_t n = 0; n < result_.phases.size(); ++n) {
      const std::string& name = phase_names()[n];
      const bool same =
          n > 0 && !config_.phases.contains(name) && !config_.phases.contains("decomposition");
      result_.phases[n] = same ? result_.phases[0] : phase(name);
    }
    for (const hl::BufferView& input : program_.inputs) {
      result_.reads.push_back(moves(input, config_.stage, result_.phases[0].order));
    }
    for (const hl::BufferView& output : program_.outputs) {
      result_.writes.push_back(moves(output, config_.acc, result_.phases[2].order));
    }
    return std::move(result_);
  }

 private:
  int layer_number(const std::string& name) const {
    const auto found = std::find(result_.layers.begin(), result_.layers.end(), name);
    internal_check(found != result_.layers.end(), "unknown layer '{}'", name);
    return static_cast<int>(found - result_.layers.begin());
  }

  LevelNumber number(int layer, int dimension) const {
    return layer * result_.dimensions + dimension;
  }

  LevelNumber number(const LevelName& name) const {
    return number(layer_number(name.layer), find_dimension(program_, name.dimension).value());
  }

  void parts() {
    result_.parts.assign(result_.layers.size() * program_.dimensions.size(), 1);
    for (const auto& [dimension, digits] : config_.split) {
      const int d = find_dimension(program_, dimension).value();
      int64_t rest = 1;
      for (const Digit& digit : digits) rest *= digit.parts == open_parts ? 1 : digit.parts;
      for (const Digit& digit : digits) {
        int64_t parts = digit.parts;
        if (parts == open_parts) {
          const auto size = constant(program_.dimensions[d].size);
          if (size) parts = (*size + rest - 1) / rest;
        }
        result_.parts[number(layer_number(digit.layer), d)] = parts;
      }
    }
  }

  // ---- phases

  PhaseLevels phase(const std::string& name) const {
    const auto found = config_.phases.find(name);
    const PhaseOverride* own = found == config_.phases.end() ? nullptr : &found->second;
    PhaseLevels result;
    std::vector<bool> listed(result_.parts.size(), false);
    const auto add = [&](LevelNumber n) {
      if (!listed[n]) result.order.push_back(n);
      listed[n] = true;
    };
    for (const LevelName& level : order_of(config_, name)) add(number(level));
    for (LevelNumber n = 0; n < result_.count(); ++n) add(n);
    assign(result, layers_of(own ? own->split : Split{}), tags_of(own ? own->tags : Tags{}));
    return result;
  }

  /// A level is assigned to the layer it is named after, or to the one that the phase's own split
  /// puts in its place; what remains is assigned in order. Layers by level.
  std::vector<int> layers_of(const Split& own) const {
    std::vector<int> layers(result_.parts.size(), -1);
    for (int d = 0; d < result_.dimensions; ++d) {
      std::vector<bool> free(result_.layers.size(), true);
      const std::string& name = program_.dimensions[d].symbol.name;
      if (const auto mine = own.find(name); mine != own.end()) {
        const auto& base = config_.split.at(name);
        for (size_t n = 0; n < base.size(); ++n) {
          const int layer = layer_number(mine->second[n].layer);
          layers[number(layer_number(base[n].layer), d)] = layer;
          free[layer] = false;
        }
      }
      fill(layers, free, d);
    }
    return layers;
  }

  void fill(std::vector<int>& layers, std::vector<bool>& free, int d) const {
    std::vector<LevelNumber> open;
    for (int l = 0; l < std::ssize(result_.layers); ++l) {
      const LevelNumber n = number(l, d);
      if (layers[n] >= 0) continue;
      if (free[l]) {
        layers[n] = l;
        free[l] = false;
      } else {
        open.push_back(n);
      }
    }
    for (const LevelNumber n : open) {
      layers[n] = static_cast<int>(std::find(free.begin(), free.end(), true) - free.begin());
      free[layers[n]] = false;
    }
  }

  /// Machine dimensions by level; empty where the configuration names none.
  std::vector<std::string> tags_of(const Tags& own) const {
    std::vector<std::string> tags(result_.parts.size());
    for (const Tags* some : {&config_.tags, &own}) {
      for (const auto& [level, axis] : *some) {
        const std::vector<std::string> words = mdh::split(level, '.');
        const LevelName name{words.front(), words.back()};
        tags[number(name)] = axis;
      }
    }
    return tags;
  }

  /// Machine dimensions are numbered along the order, unless the configuration names them.
  void assign(PhaseLevels& phase, const std::vector<int>& layers,
              const std::vector<std::string>& tags) const {
    phase.assignment.resize(layers.size());
    std::vector<std::vector<std::string>> taken(result_.layers.size());
    const auto take = [&](LevelNumber n, const std::string& axis) {
      phase.assignment[n] = {result_.layers[layers[n]], axis};
      taken[layers[n]].push_back(axis);
    };
    for (const LevelNumber n : phase.order) {
      if (!tags[n].empty()) take(n, tags[n]);
    }
    for (const LevelNumber n : phase.order) {
      if (!tags[n].empty()) continue;
      const auto& used = taken[layers[n]];
      std::string axis = machine_axis(0);
      for (int next = 1; std::find(used.begin(), used.end(), axis) != used.end(); ++next) {
        axis = machine_axis(next);
      }
      take(n, axis);
    }
  }

  // ---- places

  /// From outside in; the last of several places at one level holds.
  std::vector<Move> moves(const hl::BufferView& buffer, const Relocations& relocations,
                          const std::vector<LevelNumber>& order) const {
    std::vector<Move> result = {{0, user_place(buffer, machine_)}};
    const auto mine = relocations.find(buffer.symbol.name);
    if (mine == relocations.end()) return result;
    std::vector<std::pair<size_t, const Relocation*>> sorted;
    for (const Relocation& one : mine->second) {
      const bool at_f = one.from.dimension.empty();
      const auto found =
          at_f ? order.end() : std::find(order.begin(), order.end(), number(one.from));
      sorted.emplace_back(found - order.begin(), &one);
    }
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [position, one] : sorted) {
      result.push_back(
          {position,
           {one->region, one->layout.empty() ? whole(result.back().place.layout)
                                             : layout_of(program_, buffer, one->layout).value()}});
    }
    return result;
  }

  const Config& config_;
  const hl::Program& program_;
  const machine::Machine& machine_;
  Levels result_;
};

}  // namespace

Layout whole(const Layout& outside) {
  Layout result;
  for (size_t n = 0; n < outside.size(); ++n) {
    const int dimension = outside[n].dimension;
    const bool again = std::any_of(outside.begin() + static_cast<int64_t>(n) + 1, outside.end(),
                                   [&](const Axis& a) { return a.dimension == dimension; });
    if (!again) result.emplace_back(dimension);
  }
  return result;
}

Levels levels_of(const Config& config, const hl::Program& program,
                 const machine::Machine& machine) {
  return Numbering(config, program, machine).run();
}

}  // namespace mdh::ll
