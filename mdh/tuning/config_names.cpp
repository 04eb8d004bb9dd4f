#include "mdh/tuning/config_names.h"

#include "mdh/support/text.h"

namespace mdh::tuning {
namespace {

using Names = std::map<std::string, std::string>;

const std::string& new_name(const Names& names, const std::string& old) {
  const auto found = names.find(old);
  return found == names.end() ? old : found->second;
}

Names swapped(const Names& names) {
  Names result;
  for (const auto& [from, to] : names) result[to] = from;
  return result;
}

class ConfigRenaming {
 public:
  explicit ConfigRenaming(const ConfigNames& names) : names_(names) {}

  ll::Config run(ll::Config config) {
    for (std::vector<std::string>& group : config.fuse) fuse(group);
    config.split = by_dimension(config.split);
    rename(config.order);
    config.stage = relocations(config.stage);
    config.acc = relocations(config.acc);
    for (auto& [phase, own] : config.phases) {
      rename(own.order);
      own.split = by_dimension(own.split);
      own.tags = tags(own.tags);
    }
    config.tags = tags(config.tags);
    config.code = code(config.code);
    return config;
  }

 private:
  /// A fused dimension is called after its parts, and later entries mention it.
  void fuse(std::vector<std::string>& group) {
    const std::string old = join(group, "_");
    for (std::string& name : group) name = new_name(names_.dimensions, name);
    names_.dimensions[old] = join(group, "_");
  }

  void rename(ll::LevelName& level) const {
    level.dimension = new_name(names_.dimensions, level.dimension);
  }
  void rename(std::vector<ll::LevelName>& order) const {
    for (ll::LevelName& level : order) rename(level);
  }

  template <class Value>
  std::map<std::string, Value> by_dimension(const std::map<std::string, Value>& old) const {
    std::map<std::string, Value> result;
    for (const auto& [name, value] : old) result[new_name(names_.dimensions, name)] = value;
    return result;
  }

  template <class Value>
  std::map<ll::LevelName, Value> by_level(const std::map<ll::LevelName, Value>& old) const {
    std::map<ll::LevelName, Value> result;
    for (const auto& [level, value] : old) {
      result[{level.layer, new_name(names_.dimensions, level.dimension)}] = value;
    }
    return result;
  }

  /// "BLK.j": "x"
  ll::Tags tags(const ll::Tags& old) const {
    ll::Tags result;
    for (const auto& [level, tag] : old) {
      const size_t dot = level.find('.');
      const bool is_level = dot != std::string::npos;
      const std::string dimension = is_level ? level.substr(dot + 1) : "";
      result[is_level ? level.substr(0, dot + 1) + new_name(names_.dimensions, dimension) : level] =
          tag;
    }
    return result;
  }

  ll::Relocations relocations(const ll::Relocations& old) const {
    ll::Relocations result;
    for (auto [buffer, places] : old) {
      for (ll::Relocation& place : places) {
        rename(place.from);
        for (ll::LayoutAxis& axis : place.layout) {
          axis.dimension = new_name(names_.dimensions, axis.dimension);
        }
      }
      result[new_name(names_.buffers, buffer)] = places;
    }
    return result;
  }

  ll::Code code(ll::Code code) const {
    std::map<std::string, std::vector<ll::StageCode>> stage;
    for (auto [buffer, tiles] : code.stage) {
      for (ll::StageCode& tile : tiles) {
        tile.copy_order = by_dimension(tile.copy_order);
        if (tile.prefetch) rename(tile.prefetch->level);
        if (tile.roll) rename(*tile.roll);
        if (tile.across) rename(*tile.across);
      }
      stage[new_name(names_.buffers, buffer)] = tiles;
    }
    code.stage = stage;
    code.edge = by_dimension(code.edge);
    code.combine = by_level(code.combine);
    code.kernel.unroll = by_level(code.kernel.unroll);
    for (const std::string order : {"by_operand ", "serpentine "}) {
      if (!code.kernel.emit.starts_with(order)) continue;
      code.kernel.emit = order + new_name(names_.buffers, code.kernel.emit.substr(order.size()));
    }
    return code;
  }

  ConfigNames names_;
};

}  // namespace

ConfigNames reversed(const ConfigNames& names) {
  return {swapped(names.dimensions), swapped(names.buffers)};
}

ll::Config renamed(const ll::Config& config, const ConfigNames& names) {
  return ConfigRenaming(names).run(config);
}

}  // namespace mdh::tuning
