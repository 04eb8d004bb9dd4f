#include "mdh/scalar/combiner.h"

#include <array>

namespace mdh::scalar {
namespace {

constexpr std::array<Combiner, 7> table = {{
    {"add", BinaryOp::add},
    {"mul", BinaryOp::multiply},
    {"min", BinaryOp::minimum},
    {"max", BinaryOp::maximum},
    {"and", BinaryOp::bit_and},
    {"or", BinaryOp::bit_or},
    {"xor", BinaryOp::bit_xor},
}};

}  // namespace

const Combiner* find_combiner(std::string_view name) {
  for (const Combiner& row : table) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

std::vector<std::string> combiner_names() {
  std::vector<std::string> names;
  for (const Combiner& row : table) names.emplace_back(row.name);
  return names;
}

Function combine_function(const std::vector<std::string>& operators,
                          const std::vector<Type>& types) {
  const int count = static_cast<int>(types.size());
  Function f{"combine", {}, {}};
  for (const char* side : {"l", "r"}) {
    for (int c = 0; c < count; ++c) {
      const int id = static_cast<int>(f.parameters.size());
      f.parameters.push_back({{count == 1 ? side : fmt::format("{}{}", side, c), id}, types[c]});
    }
  }
  for (int c = 0; c < count; ++c) {
    const Parameter &l = f.parameters[c], &r = f.parameters[count + c];
    const BinaryOp op = find_combiner(operators[c])->op;
    f.results.push_back({{count == 1 ? "x" : fmt::format("x{}", c), 2 * count + c},
                         binary(op, variable(l.symbol, l.type), variable(r.symbol, r.type)),
                         {}});
  }
  return f;
}

}  // namespace mdh::scalar
