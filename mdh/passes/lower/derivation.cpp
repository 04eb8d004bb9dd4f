#include "mdh/passes/lower/derivation.h"

#include <algorithm>

#include "mdh/hl/analysis.h"
#include "mdh/hl/print.h"
#include "mdh/ll/names.h"
#include "mdh/passes/lower/lower.h"
#include "mdh/support/text.h"

namespace mdh::passes {
namespace {

class Deriver {
 public:
  Deriver(const ll::Program& low, const machine::Machine& machine, const ll::Config& config)
      : low_(low), machine_(machine), config_(config) {}

  std::vector<DerivationStep> run() {
    for (const auto& group : config_.fuse) {
      add("fuse", join(group, ", "),
          "(i, j) -> i * J + j is a bijection of index sets, and cc and pw see sets only");
    }
    for (size_t d = 0; d < low_.computation.dimensions.size(); ++d) parts(static_cast<int>(d));
    order("D1", names(low_.decompose),
          "concatenations in any dimensions interchange: (a ++x b) ++y (c ++x d) = (a ++y c) ++x "
          "(b ++y d)");
    assignment("D2", slots_of(low_.decompose));
    for (size_t b = 0; b < low_.computation.inputs.size(); ++b) {
      places("D3, D4, S3, S4", low_.computation.inputs[b], low_.decompose, b, low_.scalar.reads[b]);
    }
    scalar_phase();
    recomposition();
    for (size_t b = 0; b < low_.computation.outputs.size(); ++b) {
      places("R3, R4, S5, S6", low_.computation.outputs[b], low_.recompose, b,
             low_.scalar.writes[b]);
    }
    return std::move(steps_);
  }

 private:
  void add(const std::string& parameter, const std::string& subject, const std::string& property) {
    steps_.push_back({parameter, subject, property});
  }

  std::vector<std::string> names(const std::vector<ll::TaggedOperator>& phase) const {
    std::vector<std::string> all;
    for (const ll::TaggedOperator& op : phase) all.push_back(to_string(low_, op.level));
    return all;
  }

  /// The homomorphic property, once per digit; padding, where the product exceeds the size.
  void parts(int d) {
    const hl::Dimension& dimension = low_.computation.dimensions[d];
    std::vector<std::string> digits;
    int64_t product = 1;
    std::vector<ll::TaggedOperator> mine;
    for (const ll::TaggedOperator& op : low_.decompose) {
      if (op.level.dimension == d) mine.push_back(op);
    }
    std::sort(mine.begin(), mine.end(),
              [](const auto& a, const auto& b) { return a.level.layer < b.level.layer; });
    for (const ll::TaggedOperator& op : mine) {
      digits.push_back(
          fmt::format("{} {}", low_.layers[op.level.layer], ll::print_parts(op.parts)));
      product *= op.parts == ll::open_parts ? 1 : op.parts;
    }
    if (mine.empty()) return;
    const std::string& name = dimension.symbol.name;
    add("#PRT", fmt::format("{} = {}", name, join(digits, " · ")),
        fmt::format("h(a ++{} b) = h(a) {} h(b), {} times", name, hl::print(dimension.combine),
                    mine.size()));
    const auto size = constant(dimension.size);
    if (size && product > *size) {
      add("#PRT", fmt::format("{}: {} parts for {} indices", name, product, *size),
          "the parts that hold points come first in every order; empty ones have no value and are "
          "not combined");
    }
  }

  void order(const std::string& parameter, const std::vector<std::string>& levels,
             const std::string& law) {
    if (!levels.empty()) add(parameter, join(levels, ", "), law);
  }

  std::string slot(const ll::Level& level, const std::string& layer,
                   const std::string& axis) const {
    return fmt::format("{} on {}.{}", to_string(low_, level), layer, axis);
  }

  std::vector<std::string> slots_of(const std::vector<ll::TaggedOperator>& phase) const {
    std::vector<std::string> slots;
    for (const ll::TaggedOperator& op : phase)
      slots.push_back(slot(op.level, op.layer, op.dimension));
    return slots;
  }

  void assignment(const std::string& parameter, const std::vector<std::string>& slots) {
    if (!slots.empty()) {
      add(parameter, join(slots, ", "), "tags say who computes a part, not what it is");
    }
  }

  void scalar_phase() {
    std::vector<std::string> levels, slots;
    for (size_t q = 0; q < low_.scalar.order.size(); ++q) {
      const ll::Level& level = low_.scalar.order[q];
      const ll::MachineLevel& on = low_.scalar.assignment[q];
      levels.push_back(to_string(low_, level));
      slots.push_back(slot(level, on.layer, on.axis));
    }
    order("S1", levels, "f is applied to every point once, and no point depends on another");
    assignment("S2", slots);
  }

  void recomposition() {
    const bool scans =
        std::any_of(low_.computation.dimensions.begin(), low_.computation.dimensions.end(),
                    [](const hl::Dimension& d) { return d.combine.shape == hl::Shape::scan; });
    order("R1", names(low_.recompose),
          scans ? "cc, pw and ps with one associative and commutative operator interchange; ps "
                  "finds its predecessors by index, not by order"
                : "cc and pw with one associative and commutative operator interchange");
    assignment("R2", slots_of(low_.recompose));
  }

  void places(const std::string& parameter, const hl::BufferView& buffer,
              const std::vector<ll::TaggedOperator>& phase, size_t b, const ll::Place& at_f) {
    ll::Place last = ll::user_place(buffer, machine_);
    std::vector<std::string> path = {"user " + last.region};
    const auto visit = [&](const std::string& where, const ll::Place& place) {
      if (last != place) path.push_back(where + " " + place.region);
      last = place;
    };
    for (const ll::TaggedOperator& op : phase) visit(to_string(low_, op.level), op.places[b]);
    visit("f", at_f);
    if (path.size() > 1) {
      add(parameter, buffer.symbol.name + ": " + join(path, " -> "),
          "a copy into another region or layout is a bijection of addresses");
    }
  }

  const ll::Program& low_;
  const machine::Machine& machine_;
  const ll::Config& config_;
  std::vector<DerivationStep> steps_;
};

}  // namespace

std::vector<DerivationStep> derivation(const hl::Program& program, const machine::Machine& machine,
                                       const ll::Config& config) {
  const ll::Program low = lower(program, machine, config);
  return Deriver(low, machine, config).run();
}

std::string print(const std::vector<DerivationStep>& steps) {
  std::string text;
  for (const DerivationStep& step : steps) {
    text += fmt::format("{}: {}\n    because {}\n", step.parameter, step.subject, step.property);
  }
  return text;
}

}  // namespace mdh::passes
