#include "tests/property/random_data.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "mdh/support/text.h"

namespace mdh::test {

Set random_set(Choices& choices, int64_t most) {
  Set set;
  int64_t next = 0;
  for (int64_t n = choices.between(0, most); n > 0; --n) {
    next += choices.chance(30) ? choices.between(1, 5) : 0;
    set.push_back(next++);
  }
  return set;
}

std::vector<Set> dealt(Choices& choices, const Set& set, int parts) {
  std::vector<Set> sets(static_cast<size_t>(parts));
  for (const int64_t i : set) {
    sets[static_cast<size_t>(choices.between(0, parts - 1))].push_back(i);
  }
  return sets;
}

std::pair<Set, Set> halved(Choices& choices, const Set& set) {
  std::vector<Set> parts = dealt(choices, set, 2);
  for (const int empty : {0, 1}) {
    if (!parts[empty].empty()) continue;
    Set& full = parts[1 - empty];
    const auto moved = full.begin() + choices.between(0, static_cast<int64_t>(full.size()) - 1);
    parts[empty] = {*moved};
    full.erase(moved);
  }
  return {parts[0], parts[1]};
}

scalar::Value random_value(Choices& choices, scalar::Scalar type) {
  const bool negative = scalar::is_signed(type) || is_floating(type);
  const int64_t magnitude = choices.between(0, type == scalar::Scalar::boolean ? 1 : 5);
  return scalar::from_integer(type, negative && choices.chance(40) ? -magnitude : magnitude);
}

hl::Mda random_mda(Choices& choices, std::vector<Set> sets, int components) {
  return hl::make_mda(std::move(sets), components, [&](auto, auto cells) {
    for (scalar::Value& cell : cells) cell = random_value(choices, scalar::Scalar::i64);
  });
}

std::vector<scalar::Array> random_inputs(Choices& choices, const hl::Program& p) {
  std::vector<scalar::Array> inputs;
  for (const hl::BufferView& view : p.inputs) {
    scalar::Array array = scalar::Array::undefined(view.type, hl::extents(p, view));
    const std::vector<scalar::Leaf> leaves = leaves_of(view.type);
    for (size_t n = 0; n < array.cells.size(); ++n) {
      array.cells[n] = random_value(choices, leaves[n % leaves.size()].type);
    }
    array.defined.assign(array.defined.size(), 1);
    inputs.push_back(std::move(array));
  }
  return inputs;
}

std::string describe(const hl::Mda& a) {
  std::string text;
  for (const Set& set : a.sets) text += fmt::format("{{{}}} ", fmt::join(set, ", "));
  std::vector<std::string> cells;
  for (const scalar::Value v : a.cells) cells.push_back(std::to_string(v.as_integer()));
  return text + "-> " + join(cells, " ") + "\n";
}

}  // namespace mdh::test
