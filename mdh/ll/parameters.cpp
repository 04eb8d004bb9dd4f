#include "mdh/ll/parameters.h"

#include <algorithm>
#include <set>

#include "mdh/hl/analysis.h"
#include "mdh/ll/levels.h"
#include "mdh/ll/names.h"

namespace mdh::ll {
namespace {

/// The place that holds at a position of the order; `next` is the first move behind it.
const Place& place_at(const std::vector<Move>& moves, size_t position, size_t& next) {
  while (next < moves.size() && moves[next].position <= position) ++next;
  return moves[next - 1].place;
}

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
          one.layout.push_back(layout_axis(program_, buffer, axis));
        }
      }
      relocations[buffer.symbol.name].push_back(std::move(one));
      now = place;
    };
    for (const Level& level : order) move(name(level), places.at(level));
    move({"f", ""}, at_f);
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

PhaseParameters parameters_of(const Levels& levels, const PhaseLevels& phase) {
  PhaseParameters result;
  for (const LevelNumber n : phase.order) {
    result.order.push_back(levels.level(n));
    result.assignment[levels.level(n)] = phase.assignment[n];
  }
  return result;
}

Places places_of(const Levels& levels, const PhaseLevels& phase, const std::vector<Move>& moves) {
  Places places;
  size_t next = 0;
  for (size_t position = 0; position < phase.order.size(); ++position) {
    places[levels.level(phase.order[position])] = place_at(moves, position, next);
  }
  return places;
}

/// Levels with one part are left out.
std::vector<TaggedOperator> operators_of(const Levels& levels, const PhaseLevels& phase,
                                         const std::vector<std::vector<Move>>& buffers) {
  std::vector<TaggedOperator> operators;
  std::vector<size_t> next(buffers.size(), 0);
  for (size_t position = 0; position < phase.order.size(); ++position) {
    const LevelNumber n = phase.order[position];
    if (levels.parts[n] == 1) continue;
    const MachineLevel& slot = phase.assignment[n];
    operators.push_back({levels.level(n), levels.parts[n], slot.layer, slot.axis, {}});
    for (size_t b = 0; b < buffers.size(); ++b) {
      operators.back().places.push_back(place_at(buffers[b], position, next[b]));
    }
  }
  return operators;
}

/// Layers behind the last one that has parts are not the program's.
void drop_unused_layers(Program& program) {
  size_t used = 0;
  for (const Level& level : program.scalar.order) {
    used = std::max(used, static_cast<size_t>(level.layer) + 1);
  }
  program.layers.resize(used);
}

}  // namespace

std::string machine_axis(int number) {
  constexpr const char* usual[] = {"x", "y", "z"};
  return number < 3 ? usual[number] : fmt::format("w{}", number + 1);
}

Parameters parameters_of(const Config& config, const hl::Program& program,
                         const machine::Machine& machine) {
  const Levels levels = levels_of(with_machine_names(config, machine), program, machine);
  Parameters result{.layers = levels.layers};
  for (LevelNumber n = 0; n < levels.count(); ++n) result.parts[levels.level(n)] = levels.parts[n];
  result.decomposition = parameters_of(levels, levels.phases[0]);
  result.scalar = parameters_of(levels, levels.phases[1]);
  result.recomposition = parameters_of(levels, levels.phases[2]);
  for (const std::vector<Move>& moves : levels.reads) {
    result.reads.push_back(places_of(levels, levels.phases[0], moves));
    result.f_reads.push_back(moves.back().place);
  }
  for (const std::vector<Move>& moves : levels.writes) {
    result.writes.push_back(places_of(levels, levels.phases[2], moves));
    result.f_writes.push_back(moves.back().place);
  }
  return result;
}

Config config_of(const Parameters& parameters, const hl::Program& program,
                 const machine::Machine& machine) {
  return Describer(parameters, program, machine).run();
}

Program program_of(const Config& config, const hl::Program& program,
                   const machine::Machine& machine) {
  Config named = with_machine_names(config, machine);
  Program result = program_of(levels_of(named, program, machine), program, machine);
  result.code = std::move(named.code);
  return result;
}

Program program_of(const Levels& levels, const hl::Program& program,
                   const machine::Machine& machine) {
  Program result{.computation = program, .machine = machine.name, .layers = levels.layers};
  result.decompose = operators_of(levels, levels.phases[0], levels.reads);
  result.recompose = operators_of(levels, levels.phases[2], levels.writes);
  for (const auto& moves : levels.reads) result.scalar.reads.push_back(moves.back().place);
  for (const auto& moves : levels.writes) result.scalar.writes.push_back(moves.back().place);
  for (const LevelNumber n : levels.phases[1].order) {
    if (levels.parts[n] == 1) continue;
    result.scalar.order.push_back(levels.level(n));
    result.scalar.assignment.push_back(levels.phases[1].assignment[n]);
  }
  drop_unused_layers(result);
  return result;
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
  drop_unused_layers(result);
  return result;
}

}  // namespace mdh::ll
