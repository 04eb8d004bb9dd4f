#include "mdh/ll/names.h"

#include <algorithm>

#include "mdh/hl/analysis.h"
#include "mdh/support/text.h"

namespace mdh::ll {
namespace {

/// Replaces names in place.
class Renaming {
 public:
  explicit Renaming(const machine::Machine& machine) : machine_(machine) {}

  void layer(std::string& name) const {
    if (const machine::Layer* found = machine_.find_layer(name)) name = found->name;
  }

  void region(std::string& name) const {
    if (const machine::Region* found = machine_.find_region(name)) name = found->name;
  }

  void level(LevelName& name) const {
    if (!name.dimension.empty()) layer(name.layer);
  }

  void split(Split& split) const {
    for (auto& [dimension, digits] : split) {
      for (Digit& digit : digits) layer(digit.layer);
    }
  }

  void relocations(Relocations& all) const {
    for (auto& [buffer, list] : all) {
      for (Relocation& one : list) {
        level(one.from);
        region(one.region);
        for (LayoutAxis& axis : one.layout) layer(axis.layer);
      }
    }
  }

  void tags(Tags& tags) const {
    Tags renamed;
    for (const auto& [text, axis] : tags) {
      const std::vector<std::string> words = mdh::split(text, '.');
      LevelName name{words.front(), words.size() == 2 ? words.back() : ""};
      level(name);
      renamed[words.size() == 2 ? to_string(name) : text] = axis;
    }
    tags = std::move(renamed);
  }

  void code(Code& code) const {
    for (auto& [buffer, tiles] : code.stage) {
      for (StageCode& tile : tiles) {
        if (tile.prefetch) level(tile.prefetch->level);
        if (tile.roll) level(*tile.roll);
        if (tile.across) level(*tile.across);
      }
    }
    code.combine = renamed(code.combine);
    code.kernel.unroll = renamed(code.kernel.unroll);
    std::map<std::string, CoresCode> cores;
    for (auto& [name, value] : code.cores) {
      std::string key = name;
      layer(key);
      cores.emplace(std::move(key), value);
    }
    code.cores = std::move(cores);
  }

 private:
  template <class Value>
  std::map<LevelName, Value> renamed(const std::map<LevelName, Value>& by_level) const {
    std::map<LevelName, Value> result;
    for (const auto& [name, value] : by_level) {
      LevelName key = name;
      level(key);
      result.emplace(std::move(key), value);
    }
    return result;
  }

  const machine::Machine& machine_;
};

}  // namespace

Config with_machine_names(const Config& config, const machine::Machine& machine) {
  const Renaming rename(machine);
  Config result = config;
  for (std::string& layer : result.layers) rename.layer(layer);
  for (LevelName& level : result.order) rename.level(level);
  rename.split(result.split);
  rename.relocations(result.stage);
  rename.relocations(result.acc);
  for (auto& [name, phase] : result.phases) {
    for (LevelName& level : phase.order) rename.level(level);
    rename.split(phase.split);
    rename.tags(phase.tags);
  }
  rename.tags(result.tags);
  rename.code(result.code);
  return result;
}

std::vector<LevelName> order_of(const Config& config, const std::string& phase) {
  std::vector<LevelName> all;
  const auto add = [&](const std::vector<LevelName>& order) {
    for (const LevelName& level : order) {
      if (std::find(all.begin(), all.end(), level) == all.end()) all.push_back(level);
    }
  };
  if (const auto own = config.phases.find(phase); own != config.phases.end())
    add(own->second.order);
  add(config.order);
  return all;
}

std::optional<int> find_dimension(const hl::Program& program, const std::string& name) {
  for (size_t d = 0; d < program.dimensions.size(); ++d) {
    if (program.dimensions[d].symbol.name == name) return static_cast<int>(d);
  }
  return std::nullopt;
}

std::optional<size_t> find_buffer(const std::vector<hl::BufferView>& buffers,
                                  const std::string& name) {
  for (size_t b = 0; b < buffers.size(); ++b) {
    if (buffers[b].symbol.name == name) return b;
  }
  return std::nullopt;
}

std::optional<int> walking_dimension(const hl::Program& program, const hl::BufferView& buffer,
                                     size_t axis) {
  std::optional<int> found;
  for (const hl::Access& access : buffer.accesses) {
    const auto index = hl::find_affine(program, access.index[axis]);
    if (!index) return std::nullopt;
    std::optional<int> mine;
    for (size_t d = 0; d < index->coefficients.size(); ++d) {
      if (index->coefficients[d] == 0) continue;
      if (mine) return std::nullopt;
      mine = static_cast<int>(d);
    }
    if (!mine || (found && *found != *mine)) return std::nullopt;
    found = mine;
  }
  return found;
}

std::optional<int> find_axis(const hl::Program& program, const hl::BufferView& buffer,
                             const std::string& name) {
  const auto rank = static_cast<int>(buffer.accesses.front().index.size());
  long long position = 0;
  if (to_integer(name, position)) {
    if (position < 1 || position > rank) return std::nullopt;
    return static_cast<int>(position);
  }
  std::optional<int> found;
  for (int e = 0; e < rank; ++e) {
    const auto dimension = walking_dimension(program, buffer, static_cast<size_t>(e));
    if (!dimension || program.dimensions[*dimension].symbol.name != name) continue;
    if (found) return std::nullopt;
    found = e + 1;
  }
  return found;
}

std::optional<Layout> layout_of(const hl::Program& program, const hl::BufferView& buffer,
                                const std::vector<LayoutAxis>& axes) {
  Layout layout;
  for (const LayoutAxis& axis : axes) {
    const auto found = find_axis(program, buffer, axis.dimension);
    if (!found) return std::nullopt;
    layout.emplace_back(*found, axis.layer);
  }
  return layout;
}

LayoutAxis layout_axis(const hl::Program& program, const hl::BufferView& buffer, const Axis& axis) {
  const auto dimension =
      walking_dimension(program, buffer, static_cast<size_t>(axis.dimension) - 1);
  if (dimension) {
    const std::string& name = program.dimensions[*dimension].symbol.name;
    if (find_axis(program, buffer, name) == axis.dimension) return {name, axis.layer};
  }
  return {std::to_string(axis.dimension), axis.layer};
}

std::vector<std::string> all_layers(const std::vector<std::string>& given,
                                    const machine::Machine& machine) {
  std::vector<std::string> layers = given;
  for (const machine::Layer& layer : machine.layers) {
    if (std::find(given.begin(), given.end(), layer.name) == given.end()) {
      layers.push_back(layer.name);
    }
  }
  return layers;
}

bool is_copy(const Place& from, const Place& to, const machine::Machine& machine) {
  if (to.layout != from.layout) return true;
  const machine::Region* region = machine.find_region(to.region);
  internal_check(region != nullptr, "machine '{}' has no region '{}'", machine.name, to.region);
  return to.region != from.region && region->is_explicit;
}

Layout row_major(const hl::BufferView& buffer) {
  Layout layout;
  for (size_t e = 1; e <= buffer.accesses.front().index.size(); ++e) {
    layout.emplace_back(static_cast<int>(e));
  }
  return layout;
}

Place user_place(const hl::BufferView& buffer, const machine::Machine& machine) {
  return {machine.regions.front().name, row_major(buffer)};
}

}  // namespace mdh::ll
