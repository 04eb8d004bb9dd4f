// The rules a configuration must keep: first those of its own words, then, on the low-level program
// that they describe, those of the machine (check_machine.cpp), then those of the code
// (check_code.cpp).
#include <algorithm>
#include <set>

#include "mdh/hl/analysis.h"
#include "mdh/ll/config.h"
#include "mdh/ll/levels.h"
#include "mdh/ll/names.h"
#include "mdh/ll/parameters.h"
#include "mdh/ll/rules.h"
#include "mdh/support/text.h"

namespace mdh::ll {
namespace {

class Validator {
 public:
  Validator(const Config& config, const hl::Program& program, const machine::Machine& machine)
      : config_(config), program_(program), machine_(machine) {
    for (const machine::Layer& layer : machine.layers) layer_names_.push_back(layer.name);
    for (const hl::Dimension& d : program.dimensions) dimension_names_.push_back(d.symbol.name);
  }

  void run() {
    check_layers();
    for (const auto& [dimension, digits] : config_.split) check_digits(dimension, digits);
    for (size_t d = 0; d < program_.dimensions.size(); ++d) check_cover(d);
    check_order(config_.order, "order");
    for (const auto& [name, phase] : config_.phases) check_phase(name, phase);
    check_tags(config_.tags, "tags");
  }

 private:
  void check_layer(const std::string& layer, const std::string& where) const {
    if (machine_.find_layer(layer)) return;
    user_error("E320", {},
               fmt::format("{}: machine '{}' has no layer '{}'", where, machine_.name, layer),
               suggestion(layer, layer_names_));
  }

  void check_dimension(const std::string& dimension, const std::string& where) const {
    const auto& known = dimension_names_;
    if (std::find(known.begin(), known.end(), dimension) != known.end()) return;
    user_error(
        "E321", {},
        fmt::format("{}: program '{}' has no dimension '{}'", where, program_.name, dimension),
        suggestion(dimension, known));
  }

  void check_layers() const {
    std::set<std::string> seen;
    for (const std::string& layer : config_.layers) {
      check_layer(layer, "layers");
      if (!seen.insert(layer).second) {
        user_error("E322", {}, fmt::format("layers: '{}' is listed twice", layer),
                   "each layer has one place in the order of significance");
      }
    }
  }

  void check_digits(const std::string& dimension, const std::vector<Digit>& digits) const {
    const std::string where = fmt::format("split.{}", dimension);
    check_dimension(dimension, "split");
    auto next = config_.layers.begin();
    for (const Digit& digit : digits) {
      check_layer(digit.layer, where);
      check_parts(where, digit);
      const auto found = std::find(config_.layers.begin(), config_.layers.end(), digit.layer);
      if (found == config_.layers.end()) {
        user_error("E324", {},
                   fmt::format("{}: layer '{}' is missing in \"layers\"", where, digit.layer),
                   "list every layer that is used, most significant first");
      }
      if (found < next) {
        user_error("E325", {},
                   fmt::format("{}: '{}' is out of order or used twice", where, digit.layer),
                   "digits follow the order of \"layers\": " + join(config_.layers, ", "));
      }
      next = found + 1;
    }
    check_open(where, digits);
  }

  static void check_parts(const std::string& where, const Digit& digit) {
    if (digit.parts == open_parts) return;
    if (digit.parts >= 1 && digit.parts <= (int64_t{1} << 40)) return;
    user_error(
        "E323", {},
        fmt::format("{}: \"{} {}\" has no valid number of parts", where, digit.layer, digit.parts),
        "a level has 1 to 2^40 parts");
  }

  /// An open level is the most significant one, so that all distances are constants, and nothing
  /// limits its parts.
  void check_open(const std::string& where, const std::vector<Digit>& digits) const {
    for (size_t n = 0; n < digits.size(); ++n) {
      if (digits[n].parts != open_parts) continue;
      const machine::Layer* layer = machine_.find_layer(digits[n].layer);
      if (n > 0) {
        user_error("E354", {},
                   fmt::format("{}: the open level \"{} *\" is not the first", where, layer->name),
                   "only the most significant digit may be open");
      }
      const bool bounded = layer->kind == machine::LayerKind::replicated || is_bounded(layer->name);
      if (bounded) {
        user_error("E354", {},
                   fmt::format("{}: layer {} has a limit, so its level cannot be open", where,
                               layer->name),
                   "open a level on a loop layer, or on cores without a limit");
      }
    }
  }

  bool is_bounded(const std::string& layer) const {
    for (const machine::Constraint& c : machine_.constraints) {
      const auto* most = std::get_if<machine::PartsAtMost>(&c);
      if (most && most->axis.empty() &&
          std::find(most->layers.begin(), most->layers.end(), layer) != most->layers.end()) {
        return true;
      }
    }
    return false;
  }

  void check_cover(size_t d) const {
    const std::string& dimension = dimension_names_[d];
    int64_t product = 1;
    bool open = false;
    if (const auto digits = config_.split.find(dimension); digits != config_.split.end()) {
      for (const Digit& digit : digits->second) {
        if (digit.parts == open_parts) {
          open = true;
        } else if (__builtin_mul_overflow(product, digit.parts, &product) || product > int64_t{1}
                                                                                           << 60) {
          user_error("E327", {},
                     fmt::format("split.{}: more parts than 64-bit indices allow", dimension),
                     "a dimension has at most 2^60 parts");
        }
      }
    }
    if (open) return;
    const auto size = constant(program_.dimensions[d].size);
    if (!size) {
      user_error("E354", {},
                 fmt::format("split.{}: the size is known at run time only, but no level is open",
                             dimension),
                 "give the most significant digit as many parts as needed, such as \"L1 *\"");
    }
    if (product >= *size) return;
    user_error(
        "E326", {},
        fmt::format("split.{}: {} parts do not cover the size {} (full partitioning)", dimension,
                    product, *size),
        fmt::format("multiply one of the counts by at least {}", (*size + product - 1) / product));
  }

  void check_order(const std::vector<LevelName>& order, const std::string& where) const {
    std::set<std::string> seen;
    for (const LevelName& level : order) {
      check_layer(level.layer, where);
      check_dimension(level.dimension, where);
      if (!seen.insert(to_string(level)).second) {
        user_error("E328", {}, fmt::format("{}: level {} occurs twice", where, to_string(level)),
                   "every level is one loop");
      }
    }
    for (const auto& [dimension, digits] : config_.split) {
      for (const Digit& digit : digits) {
        const std::string level = to_string(LevelName{digit.layer, dimension});
        if (digit.parts != 1 && !seen.contains(level)) {
          const std::string parts =
              digit.parts == open_parts ? "open" : std::to_string(digit.parts);
          user_error("E329", {},
                     fmt::format("{}: level {} has {} parts, but no place", where, level, parts),
                     fmt::format("add \"{}\" to \"{}\"", level, where));
        }
      }
    }
  }

  /// A phase has the parts of the others, in an order and on layers of its own.
  void check_phase(const std::string& name, const PhaseOverride& phase) const {
    const std::string where = "phases." + name;
    if (!phase.order.empty()) check_order(phase.order, where + ".order");
    check_tags(phase.tags, where + ".tags");
    for (const auto& [dimension, digits] : phase.split) {
      const std::string place = fmt::format("{}.split.{}", where, dimension);
      check_dimension(dimension, where + ".split");
      const auto common = config_.split.find(dimension);
      bool same = common != config_.split.end() && common->second.size() == digits.size();
      for (size_t n = 0; same && n < digits.size(); ++n) {
        same = digits[n].parts == common->second[n].parts;
      }
      if (!same) {
        user_error("E351", {}, place + ": the counts differ from those of \"split\"",
                   "a phase may put its levels on other layers, with the same parts");
      }
      std::set<std::string> seen;
      for (const Digit& digit : digits) {
        check_layer(digit.layer, place);
        if (!seen.insert(digit.layer).second) {
          user_error("E351", {}, fmt::format("{}: '{}' is used twice", place, digit.layer),
                     "every level of the machine is assigned once (bijection)");
        }
      }
    }
  }

  void check_tags(const Tags& tags, const std::string& where) const {
    std::vector<std::string> axes;
    for (size_t d = 0; d < program_.dimensions.size(); ++d) {
      axes.push_back(machine_axis(static_cast<int>(d)));
    }
    for (const auto& [text, axis] : tags) {
      const std::vector<std::string> words = split(text, '.');
      if (words.size() != 2) {
        user_error("E317", {}, fmt::format("{}: cannot read the level \"{}\"", where, text),
                   "write LAYER.dimension, such as \"L1.k\"");
      }
      check_layer(words[0], where);
      check_dimension(words[1], where);
      if (std::find(axes.begin(), axes.end(), axis) == axes.end()) {
        user_error("E350", {}, fmt::format("{}: {} has no dimension '{}'", where, text, axis),
                   "one of " + join(axes, ", "));
      }
    }
  }

  const Config& config_;
  const hl::Program& program_;
  const machine::Machine& machine_;
  std::vector<std::string> layer_names_, dimension_names_;
};

/// No phase uses a level of the machine twice; only tags can ask for it.
void check_assignment(const std::string& phase, const std::vector<MachineLevel>& assignment) {
  std::set<MachineLevel> seen;
  for (const MachineLevel& slot : assignment) {
    if (seen.insert(slot).second) continue;
    user_error("E350", {},
               fmt::format("tags: {}.{} is used by two levels in {} (bijection)", slot.layer,
                           slot.axis, phase),
               "give every level of a layer a dimension of its own");
  }
}

/// On other layers than those of cores a tag says nothing about code.
std::vector<std::string> layers_with_tags(const Config& config, const Program& low,
                                          const machine::Machine& machine) {
  std::set<std::string> found;
  const auto add = [&](const Tags& tags) {
    for (const TaggedOperator& op : low.recompose) {
      const bool cores = machine.find_layer(op.layer)->kind == machine::LayerKind::cores;
      if (cores && tags.contains(to_string(low, op.level))) found.insert(op.layer);
    }
  };
  add(config.tags);
  for (const auto& [name, phase] : config.phases) add(phase.tags);
  return {found.begin(), found.end()};
}

}  // namespace

Program valid_program(const Config& config, const hl::Program& program,
                      const machine::Machine& machine) {
  const Config named = with_machine_names(config, machine);
  Validator(named, program, machine).run();
  check_places(named, program, machine);
  const Levels levels = levels_of(named, program, machine);
  for (size_t n = 0; n < levels.phases.size(); ++n) {
    check_assignment(phase_names()[n], levels.phases[n].assignment);
  }
  Program low = program_of(levels, program, machine);
  low.code = named.code;
  low.axes = layers_with_tags(named, low, machine);
  verify(low);
  const Decomposition meaning(low, machine);
  check_machine(meaning);
  check_code(named, meaning);
  return low;
}

void validate(const Config& config, const hl::Program& program, const machine::Machine& machine) {
  valid_program(config, program, machine);
}

}  // namespace mdh::ll
