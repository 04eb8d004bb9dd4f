#include "mdh/ll/parameters.h"

#include <algorithm>
#include <set>

#include "mdh/hl/analysis.h"
#include "mdh/ll/names.h"

namespace mdh::ll {
namespace {

/// The layout of a tile that says nothing: dimensions as outside, where each ends innermost.
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

/// Translates the names of a configuration that has been checked.
class Builder {
 public:
  Builder(const Config& config, const hl::Program& program, const machine::Machine& machine)
      : config_(config), program_(program), machine_(machine) {}

  Parameters run() {
    result_.layers = all_layers(config_.layers, machine_);
    parts();
    result_.decomposition = phase("decomposition");
    result_.scalar = phase("scalar");
    result_.recomposition = phase("recomposition");
    for (const hl::BufferView& input : program_.inputs) {
      result_.f_reads.push_back(
          place(input, config_.stage, result_.decomposition.order, result_.reads.emplace_back()));
    }
    for (const hl::BufferView& output : program_.outputs) {
      result_.f_writes.push_back(
          place(output, config_.acc, result_.recomposition.order, result_.writes.emplace_back()));
    }
    return std::move(result_);
  }

 private:
  int layer_number(const std::string& name) const {
    const auto found = std::find(result_.layers.begin(), result_.layers.end(), name);
    internal_check(found != result_.layers.end(), "unknown layer '{}'", name);
    return static_cast<int>(found - result_.layers.begin());
  }

  Level level(const LevelName& name) const {
    return {layer_number(name.layer), find_dimension(program_, name.dimension).value()};
  }

  void parts() {
    for (int l = 0; l < static_cast<int>(result_.layers.size()); ++l) {
      for (int d = 0; d < static_cast<int>(program_.dimensions.size()); ++d) {
        result_.parts[{l, d}] = 1;
      }
    }
    for (const auto& [dimension, digits] : config_.split) {
      const int d = find_dimension(program_, dimension).value();
      int64_t rest = 1;
      for (const Digit& digit : digits) rest *= digit.parts == open_parts ? 1 : digit.parts;
      for (const Digit& digit : digits) {
        int64_t parts = digit.parts;
        const auto size = constant(program_.dimensions[d].size);
        if (parts == open_parts && size) parts = (*size + rest - 1) / rest;
        result_.parts[{layer_number(digit.layer), d}] = parts;
      }
    }
  }

  PhaseParameters phase(const std::string& name) const {
    const auto found = config_.phases.find(name);
    const PhaseOverride own = found == config_.phases.end() ? PhaseOverride{} : found->second;
    PhaseParameters result;
    for (const LevelName& level_name : order_of(config_, name)) {
      result.order.push_back(level(level_name));
    }
    for (const auto& [level, parts] : result_.parts) append(result.order, level);
    axes(result, layers_of(own.split), own.tags);
    return result;
  }

  static void append(std::vector<Level>& order, const Level& level) {
    if (std::find(order.begin(), order.end(), level) == order.end()) order.push_back(level);
  }

  /// A level is assigned to the layer it is named after, or to the one that the phase's own split
  /// puts in its place; what remains is assigned in order.
  std::map<Level, std::string> layers_of(const Split& own) const {
    std::map<Level, std::string> layers;
    for (int d = 0; d < static_cast<int>(program_.dimensions.size()); ++d) {
      const std::string& name = program_.dimensions[d].symbol.name;
      std::set<std::string> free(result_.layers.begin(), result_.layers.end());
      if (own.contains(name)) {
        const auto& base = config_.split.at(name);
        for (size_t n = 0; n < base.size(); ++n) {
          const std::string& layer = own.at(name)[n].layer;
          layers[{layer_number(base[n].layer), d}] = layer;
          free.erase(layer);
        }
      }
      fill(layers, free, d);
    }
    return layers;
  }

  void fill(std::map<Level, std::string>& layers, std::set<std::string>& free, int d) const {
    std::vector<Level> open;
    for (int l = 0; l < static_cast<int>(result_.layers.size()); ++l) {
      const Level level{l, d};
      if (layers.contains(level)) continue;
      if (free.erase(result_.layers[l]) > 0) {
        layers[level] = result_.layers[l];
      } else {
        open.push_back(level);
      }
    }
    for (const Level& level : open) {
      const auto next =
          std::find_if(result_.layers.begin(), result_.layers.end(),
                       [&](const std::string& layer) { return free.contains(layer); });
      layers[level] = *next;
      free.erase(*next);
    }
  }

  /// Machine dimensions are numbered along the order, unless the configuration names them.
  void axes(PhaseParameters& phase, const std::map<Level, std::string>& layers,
            const Tags& own) const {
    Tags tags = own;
    tags.insert(config_.tags.begin(), config_.tags.end());
    std::set<MachineLevel> taken;
    for (const Level& level : phase.order) {
      const auto tag = tags.find(name_of(level));
      if (tag == tags.end()) continue;
      phase.assignment[level] = {layers.at(level), tag->second};
      taken.insert(phase.assignment[level]);
    }
    for (const Level& level : phase.order) {
      if (phase.assignment.contains(level)) continue;
      MachineLevel slot{layers.at(level), ""};
      for (int n = 0; slot.axis.empty() || taken.contains(slot); ++n) slot.axis = machine_axis(n);
      taken.insert(slot);
      phase.assignment[level] = slot;
    }
  }

  std::string name_of(const Level& level) const {
    return result_.layers[level.layer] + "." + program_.dimensions[level.dimension].symbol.name;
  }

  /// Walks from outside in; returns the place at f.
  Place place(const hl::BufferView& buffer, const Relocations& relocations,
              const std::vector<Level>& order, Places& places) const {
    Place now = user_place(buffer, machine_);
    const auto mine = relocations.find(buffer.symbol.name);
    const auto move = [&](const std::string& level) {
      if (mine == relocations.end()) return;
      for (const Relocation& one : mine->second) {
        if (to_string(one.from) != level) continue;
        now.region = one.region;
        now.layout = one.layout.empty() ? whole(now.layout) : layout(buffer, one.layout);
      }
    };
    for (const Level& level : order) {
      move(name_of(level));
      places[level] = now;
    }
    move("f");
    return now;
  }

  Layout layout(const hl::BufferView& buffer, const std::vector<LayoutAxis>& axes) const {
    Layout result;
    for (const LayoutAxis& axis : axes) {
      result.emplace_back(find_axis(program_, buffer, axis.dimension).value(), axis.layer);
    }
    return result;
  }

  const Config& config_;
  const hl::Program& program_;
  const machine::Machine& machine_;
  Parameters result_;
};

/// Finds the words for parameters.
class Describer {
 public:
  Describer(const Parameters& parameters, const hl::Program& program,
            const machine::Machine& machine)
      : p_(parameters), program_(program), machine_(machine) {}

  Config run() {
    config_.program = program_.name;
    config_.machine = machine_.name;
    config_.layers = p_.layers;
    for (const auto& [level, parts] : p_.parts) {
      if (parts != 1) digits(config_.split, level, p_.layers[level.layer]);
    }
    config_.order = names(p_.decomposition.order);
    phase("decomposition", p_.decomposition);
    phase("scalar", p_.scalar);
    phase("recomposition", p_.recomposition);
    for (size_t b = 0; b < program_.inputs.size(); ++b) {
      relocate(program_.inputs[b], p_.decomposition.order, p_.reads[b], p_.f_reads[b],
               config_.stage);
    }
    for (size_t b = 0; b < program_.outputs.size(); ++b) {
      relocate(program_.outputs[b], p_.recomposition.order, p_.writes[b], p_.f_writes[b],
               config_.acc);
    }
    if (parameters_of(config_, program_, machine_) != p_) tag();
    return config_;
  }

 private:
  LevelName name(const Level& level) const {
    return {p_.layers[level.layer], program_.dimensions[level.dimension].symbol.name};
  }

  std::vector<LevelName> names(const std::vector<Level>& order) const {
    std::vector<LevelName> result;
    for (const Level& level : order) result.push_back(name(level));
    return result;
  }

  void digits(Split& split, const Level& level, const std::string& layer) const {
    split[program_.dimensions[level.dimension].symbol.name].push_back({layer, p_.parts.at(level)});
  }

  /// An order that differs from de-composition's, and layers that differ from the levels' names.
  void phase(const std::string& name, const PhaseParameters& phase) {
    PhaseOverride own;
    if (phase.order != p_.decomposition.order) own.order = names(phase.order);
    std::set<int> moved;
    for (const auto& [level, parts] : p_.parts) {
      if (parts != 1 && phase.assignment.at(level).layer != p_.layers[level.layer]) {
        moved.insert(level.dimension);
      }
    }
    for (const auto& [level, parts] : p_.parts) {
      if (parts != 1 && moved.contains(level.dimension)) {
        digits(own.split, level, phase.assignment.at(level).layer);
      }
    }
    if (own != PhaseOverride{}) config_.phases[name] = own;
  }

  void relocate(const hl::BufferView& buffer, const std::vector<Level>& order, const Places& places,
                const Place& at_f, Relocations& relocations) const {
    Place now = user_place(buffer, machine_);
    const auto move = [&](const LevelName& level, const Place& place) {
      if (place == now) return;
      Relocation one{level, place.region, {}};
      if (place.layout != whole(now.layout)) {
        for (const Axis& axis : place.layout) {
          one.layout.push_back({axis_name(buffer, axis.dimension), axis.layer});
        }
      }
      relocations[buffer.symbol.name].push_back(std::move(one));
      now = place;
    };
    for (const Level& level : order) move(name(level), places.at(level));
    move({"f", ""}, at_f);
  }

  std::string axis_name(const hl::BufferView& buffer, int axis) const {
    const auto dimension = walking_dimension(program_, buffer, static_cast<size_t>(axis) - 1);
    if (dimension) {
      const std::string& name = program_.dimensions[*dimension].symbol.name;
      if (find_axis(program_, buffer, name) == axis) return name;
    }
    return std::to_string(axis);
  }

  /// All machine dimensions of de-composition, and where the other phases differ from it.
  void tag() {
    for (const auto& [level, slot] : p_.decomposition.assignment) {
      const std::string text = to_string(name(level));
      config_.tags[text] = slot.axis;
      for (const auto& [phase, own] :
           {std::pair("scalar", &p_.scalar), std::pair("recomposition", &p_.recomposition)}) {
        const std::string& axis = own->assignment.at(level).axis;
        if (axis != slot.axis) config_.phases[phase].tags[text] = axis;
      }
    }
  }

  const Parameters& p_;
  const hl::Program& program_;
  const machine::Machine& machine_;
  Config config_;
};

std::vector<TaggedOperator> operators_of(const PhaseParameters& phase, const Parameters& p,
                                         const std::vector<Places>& places) {
  std::vector<TaggedOperator> operators;
  for (const Level& level : phase.order) {
    if (p.parts.at(level) == 1) continue;
    const MachineLevel& slot = phase.assignment.at(level);
    TaggedOperator op{level, p.parts.at(level), slot.layer, slot.axis, {}};
    for (const Places& buffer : places) op.places.push_back(buffer.at(level));
    operators.push_back(std::move(op));
  }
  return operators;
}

}  // namespace

std::string machine_axis(int number) {
  constexpr const char* usual[] = {"x", "y", "z"};
  return number < 3 ? usual[number] : fmt::format("w{}", number + 1);
}

Parameters parameters_of(const Config& config, const hl::Program& program,
                         const machine::Machine& machine) {
  return Builder(with_machine_names(config, machine), program, machine).run();
}

Config config_of(const Parameters& parameters, const hl::Program& program,
                 const machine::Machine& machine) {
  return Describer(parameters, program, machine).run();
}

Program program_of(const Parameters& parameters, const hl::Program& program,
                   const machine::Machine& machine) {
  Program result{.computation = program, .machine = machine.name, .layers = parameters.layers};
  result.decompose = operators_of(parameters.decomposition, parameters, parameters.reads);
  result.recompose = operators_of(parameters.recomposition, parameters, parameters.writes);
  result.scalar.reads = parameters.f_reads;
  result.scalar.writes = parameters.f_writes;
  for (const Level& level : parameters.scalar.order) {
    if (parameters.parts.at(level) == 1) continue;
    result.scalar.order.push_back(level);
    result.scalar.assignment.push_back(parameters.scalar.assignment.at(level));
  }
  size_t used = 0;
  for (const Level& level : result.scalar.order) {
    used = std::max(used, static_cast<size_t>(level.layer) + 1);
  }
  result.layers.resize(used);
  return result;
}

}  // namespace mdh::ll
