#include <algorithm>

#include "mdh/ll/rules.h"
#include "mdh/support/text.h"

namespace mdh::ll {
namespace {

class MachineChecker {
 public:
  explicit MachineChecker(const Decomposition& d)
      : d_(d), low_(d.program()), machine_(d.machine()), scalar_(scalar_operators(low_)) {}

  void run() {
    const auto rules = machine::constraints(machine_);
    for (const machine::Constraint& rule : rules) {
      std::visit([this](const auto& kind) { check(kind); }, rule);
    }
  }

 private:
  // ---- numbers of parts

  /// The parts on the layers, all dimensions multiplied; an open level counts as one.
  template <class Counts>
  static int64_t product(const std::vector<TaggedOperator>& phase,
                         const std::vector<std::string>& layers, Counts counts) {
    int64_t all = 1;
    for (const TaggedOperator& op : phase) {
      const bool here = std::find(layers.begin(), layers.end(), op.layer) != layers.end();
      if (!here || !counts(op) || op.parts == open_parts) continue;
      if (__builtin_mul_overflow(all, op.parts, &all)) return INT64_MAX;
    }
    return all;
  }

  void check(const machine::PartsAtMost& rule) const {
    const auto on_axis = [&](const TaggedOperator& op) {
      return rule.axis.empty() || axis_of(op) == rule.axis;
    };
    for (const auto* phase : {&low_.decompose, &scalar_, &low_.recompose}) {
      int64_t parts = product(*phase, rule.layers, on_axis);
      if (!rule.axis.empty()) parts = std::min(parts, most_launched(rule.layers));
      if (parts <= rule.limit) continue;
      user_error("E348", {},
                 fmt::format("machine '{}': {}; this configuration has {}", machine_.name,
                             to_string(machine::Constraint(rule)), parts),
                 fmt::format("move parts from {} to another layer", join(rule.layers, ", ")));
    }
  }

  /// The axis of a launch that a level is on. Launches have one, unless tags say more about the
  /// layer; so do groups that stay.
  std::string axis_of(const TaggedOperator& op) const {
    const bool tagged = std::find(low_.axes.begin(), low_.axes.end(), op.layer) != low_.axes.end();
    if (!tagged || staying(op.layer) > 0) return "x";
    return op.dimension[0] == 'w' ? "z" : op.dimension;  // folded into the last axis
  }

  /// How many members stay and run one part after the other; 0: each has one part.
  int64_t staying(const std::string& layer) const {
    const auto found = low_.code.cores.find(layer);
    return found == low_.code.cores.end() ? 0 : found->second.count;
  }

  /// Launches have no more members of these layers, however many parts there are.
  int64_t most_launched(const std::vector<std::string>& layers) const {
    const int64_t staying_here = layers.size() == 1 ? staying(layers.front()) : 0;
    return staying_here > 0 ? staying_here : INT64_MAX;
  }

  void check(const machine::PartsEqual& rule) const {
    for (const auto* phase : {&low_.decompose, &scalar_, &low_.recompose}) {
      const int64_t parts =
          product(*phase, rule.layers, [](const TaggedOperator&) { return true; });
      if (parts == 1 || parts == rule.count) continue;
      user_error("E348", {},
                 fmt::format("machine '{}': {}; this configuration has {}", machine_.name,
                             to_string(machine::Constraint(rule)), parts),
                 fmt::format("use {} parts there, or leave the layer out", rule.count));
    }
  }

  // ---- regions

  void check(const machine::CombinesIn& rule) const {
    for (const TaggedOperator& op : low_.recompose) {
      const hl::Dimension& dimension = low_.computation.dimensions[op.level.dimension];
      if (op.layer != rule.layer || dimension.combine.shape == hl::Shape::concatenate) continue;
      for (size_t b = 0; b < op.places.size(); ++b) {
        const std::string& region = op.places[b].region;
        if (std::find(rule.regions.begin(), rule.regions.end(), region) != rule.regions.end()) {
          continue;
        }
        user_error("E347", {},
                   fmt::format("level {} combines '{}' in {}, but on machine '{}' {}",
                               to_string(low_, op.level), low_.computation.outputs[b].symbol.name,
                               region, machine_.name, to_string(machine::Constraint(rule))),
                   fmt::format("accumulate in {} at this level", rule.regions.back()));
      }
    }
  }

  void check(const machine::BytesAtMost& rule) {
    if (rule.soft) return;
    for (const RegionCount& region : d_.footprint().regions) {
      if (region.region != rule.region || region.bytes <= rule.limit) continue;
      user_error("E349", {},
                 fmt::format("machine '{}': {}; this configuration needs {}", machine_.name,
                             to_string(machine::Constraint(rule)), region.bytes),
                 "make the tiles there smaller, or fewer");
    }
  }

  /// What lies in a region at some level is seen by all cores whose loops are further in.
  void check(const machine::NotSharedBy& rule) const {
    check_visible(rule, low_.decompose, low_.computation.inputs, false);
    check_visible(rule, low_.recompose, low_.computation.outputs, true);
    check_between(rule);
  }

  void check_visible(const machine::NotSharedBy& rule, const std::vector<TaggedOperator>& phase,
                     const std::vector<hl::BufferView>& buffers, bool writes) const {
    for (size_t q = 0; q < phase.size(); ++q) {
      for (size_t r = q; r < phase.size(); ++r) {
        if (phase[r].layer != rule.layer) continue;
        if (writes && r == q && exchanges(phase[q], rule)) continue;
        for (size_t b = 0; b < buffers.size(); ++b) {
          if (phase[q].places[b].region != rule.region) continue;
          not_visible(rule, phase[q], phase[r], buffers[b].symbol.name);
        }
      }
    }
  }

  /// Below the loops that all phases share, what f reads and writes waits for another nest: the
  /// cores of both see it.
  void check_between(const machine::NotSharedBy& rule) const {
    const auto fused = static_cast<size_t>(common_prefix(low_));
    if (fused == low_.decompose.size()) return;
    for (size_t b = 0; b < low_.scalar.reads.size(); ++b) {
      const Place& place = low_.scalar.reads[b];
      const std::string& name = low_.computation.inputs[b].symbol.name;
      check_waiting(rule, place, name, scalar_, fused);
      const bool copied_below = low_.decompose[fused].places[b] != place;
      if (copied_below) check_waiting(rule, place, name, low_.decompose, fused);
    }
    for (size_t b = 0; b < low_.scalar.writes.size(); ++b) {
      const std::string& name = low_.computation.outputs[b].symbol.name;
      check_waiting(rule, low_.scalar.writes[b], name, scalar_, fused);
      check_waiting(rule, low_.scalar.writes[b], name, low_.recompose, fused);
    }
  }

  void check_waiting(const machine::NotSharedBy& rule, const Place& place,
                     const std::string& buffer, const std::vector<TaggedOperator>& phase,
                     size_t fused) const {
    if (place.region != rule.region) return;
    for (size_t q = fused; q < phase.size(); ++q) {
      if (phase[q].layer != rule.layer) continue;
      user_error("E346", {},
                 fmt::format("'{}' lies in {} between the phases, but {}, and level {} is not "
                             "common to all of them (visibility)",
                             buffer, rule.region, to_string(machine::Constraint(rule)),
                             to_string(low_, phase[q].level)),
                 fmt::format("begin the order of every phase with the same loops, down to {}",
                             to_string(low_, phase[q].level)));
    }
  }

  /// Cores that combine in a private region by exchanging its contents (shuffles).
  bool exchanges(const TaggedOperator& op, const machine::NotSharedBy& rule) const {
    if (low_.computation.dimensions[op.level.dimension].combine.shape == hl::Shape::concatenate) {
      return false;
    }
    for (const machine::Constraint& c : machine_.constraints) {
      const auto* in = std::get_if<machine::CombinesIn>(&c);
      if (in && in->layer == op.layer &&
          std::find(in->regions.begin(), in->regions.end(), rule.region) != in->regions.end()) {
        return true;
      }
    }
    return false;
  }

  [[noreturn]] void not_visible(const machine::NotSharedBy& rule, const TaggedOperator& at,
                                const TaggedOperator& cores, const std::string& buffer) const {
    user_error("E346", {},
               fmt::format("'{}' lies in {} at level {}, but {}, and level {} is not outside of it "
                           "(visibility)",
                           buffer, rule.region, to_string(low_, at.level),
                           to_string(machine::Constraint(rule)), to_string(low_, cores.level)),
               fmt::format("move {} further out in the order, or the tile further in",
                           to_string(low_, cores.level)));
  }

  const Decomposition& d_;
  const Program& low_;
  const machine::Machine& machine_;
  std::vector<TaggedOperator> scalar_;
};

}  // namespace

void check_machine(const Decomposition& d) { MachineChecker(d).run(); }

std::vector<std::string> soft_limits(const Footprint& footprint, const machine::Machine& machine) {
  std::vector<std::string> exceeded;
  for (const machine::Constraint& rule : machine::constraints(machine)) {
    const auto* bytes = std::get_if<machine::BytesAtMost>(&rule);
    if (!bytes || !bytes->soft) continue;
    for (const RegionCount& region : footprint.regions) {
      if (region.region != bytes->region || region.bytes <= bytes->limit) continue;
      exceeded.push_back(
          fmt::format("{}; this configuration needs {}", to_string(rule), region.bytes));
    }
  }
  return exceeded;
}

}  // namespace mdh::ll
