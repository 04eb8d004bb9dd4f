#include "tests/faults/mutation.h"

#include <algorithm>

#include "mdh/support/diagnostic.h"
#include "mdh/support/text.h"
#include "tests/faults/function_mutations.h"
#include "tests/faults/loop_mutations.h"
#include "tests/faults/text_mutations.h"

namespace mdh::test {
namespace {

template <class Table>
std::vector<std::string> names_in(const Table& table) {
  std::vector<std::string> names;
  for (const auto& row : table) names.push_back(row.name);
  return names;
}

template <class Table>
auto find_in(const Table& table, const std::string& name) {
  return std::find_if(table.begin(), table.end(),
                      [&](const auto& row) { return row.name == name; });
}

}  // namespace

std::string describe(const Mutation& m) {
  return fmt::format("{} at place {}, way {}", m.kind, m.place, m.detail);
}

std::vector<std::string> kinds_of(Layer layer) {
  switch (layer) {
    case Layer::loops:
      return names_in(loop_mutations());
    case Layer::function:
      return names_in(function_mutations());
    case Layer::text:
      return names_in(text_mutations());
  }
  return {};
}

Layer layer_of(const std::string& kind) {
  std::vector<std::string> known;
  for (const Layer layer : {Layer::loops, Layer::function, Layer::text}) {
    const std::vector<std::string> kinds = kinds_of(layer);
    if (std::find(kinds.begin(), kinds.end(), kind) != kinds.end()) return layer;
    known.insert(known.end(), kinds.begin(), kinds.end());
  }
  user_error("", {}, fmt::format("unknown kind of mutation '{}'", kind), suggestion(kind, known));
}

std::optional<loop::Program> mutated(const loop::Program& p, const Mutation& m) {
  const auto loops = find_in(loop_mutations(), m.kind);
  if (loops != loop_mutations().end()) return loops->apply(p, m);
  const auto functions = find_in(function_mutations(), m.kind);
  if (functions != function_mutations().end()) return functions->apply(p, m);
  return std::nullopt;
}

std::optional<std::string> mutated_text(const kernel::Module& module, const Mutation& m) {
  const auto found = find_in(text_mutations(), m.kind);
  if (found == text_mutations().end()) return std::nullopt;
  return found->apply(module, m);
}

driver::Target planted(const driver::Target& target, const Mutation& m) {
  driver::Target result = target;
  result.print = [print = target.print, m](const loop::Program& p, const std::string& name) {
    kernel::Module module = print(mutated(p, m).value_or(p), name);
    if (const auto text = mutated_text(module, m)) module.source = *text;
    return module;
  };
  return result;
}

}  // namespace mdh::test
