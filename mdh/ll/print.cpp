#include "mdh/ll/print.h"

#include <algorithm>

#include "mdh/hl/print.h"
#include "mdh/support/text.h"

namespace mdh::ll {
namespace {

std::string print_places(const std::vector<Place>& places,
                         const std::vector<hl::BufferView>& buffers) {
  std::vector<std::string> texts;
  for (size_t b = 0; b < places.size(); ++b) {
    std::vector<std::string> axes;
    for (const Axis& axis : places[b].layout) axes.push_back(to_string(axis));
    texts.push_back(
        fmt::format("{}: {}[{}]", buffers[b].symbol.name, places[b].region, join(axes, ", ")));
  }
  return texts.empty() ? "nothing" : join(texts, ", ");
}

/// Columns are padded so that the levels of a phase can be read as a table.
struct Widths {
  size_t level = 0, verb = 0, parts = 0, layer = 0;
};

std::string print_operator(const Program& p, const TaggedOperator& op, const std::string& verb,
                           const std::string& places, const Widths& w) {
  return fmt::format("  {:<{}} {:<{}} {:>{}} on {:<{}} {};\n", to_string(p, op.level) + ":",
                     w.level + 1, verb, w.verb, print_parts(op.parts), w.parts,
                     op.layer + "." + op.dimension, w.layer, places);
}

/// The order of f, with the machine's levels where they are not those of de-composition.
std::string print_order(const Program& p) {
  std::vector<std::string> order;
  for (size_t n = 0; n < p.scalar.order.size(); ++n) {
    const MachineLevel& slot = p.scalar.assignment[n];
    std::string text = to_string(p, p.scalar.order[n]);
    if (slot != slot_of(p.decompose, p.scalar.order[n])) {
      text += fmt::format(" on {}.{}", slot.layer, slot.axis);
    }
    order.push_back(std::move(text));
  }
  return order.empty() ? "none" : join(order, ", ");
}

std::string verb_of(const Program& p, const TaggedOperator& op) {
  return hl::print(p.computation.dimensions[op.level.dimension].combine);
}

std::string print_phase(const Program& p, const std::vector<TaggedOperator>& operators,
                        bool decomposes) {
  Widths w;
  for (const TaggedOperator& op : operators) {
    w.level = std::max(w.level, to_string(p, op.level).size());
    w.verb = std::max(w.verb, decomposes ? size_t{6} : verb_of(p, op).size());
    w.parts = std::max(w.parts, print_parts(op.parts).size());
    w.layer = std::max(w.layer, op.layer.size() + 1 + op.dimension.size());
  }
  std::string text;
  for (const TaggedOperator& op : operators) {
    const std::string places = decomposes
                                   ? "reads " + print_places(op.places, p.computation.inputs)
                                   : "writes " + print_places(op.places, p.computation.outputs);
    text += print_operator(p, op, decomposes ? "cc_inv" : verb_of(p, op), places, w);
  }
  return text;
}

}  // namespace

std::string print(const Program& p) {
  return fmt::format(
      "mdh_ll 1\nmachine {}\nlayers {}\n{}{}decompose {{\n{}}}\n"
      "scalar {{\n  order {};\n  reads {};\n  writes {};\n}}\nrecompose {{\n{}}}\n{}",
      p.machine, p.layers.empty() ? "none" : join(p.layers, ", "),
      p.axes.empty() ? "" : fmt::format("axes {}\n", join(p.axes, ", ")),
      p.code == Code{} ? "" : fmt::format("code {}\n", print(p.code)),
      print_phase(p, p.decompose, true), print_order(p),
      print_places(p.scalar.reads, p.computation.inputs),
      print_places(p.scalar.writes, p.computation.outputs), print_phase(p, p.recompose, false),
      hl::print_declaration(p.computation));
}

}  // namespace mdh::ll
