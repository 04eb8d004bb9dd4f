#include "mdh/scalar/combiner.h"

#include <array>

namespace mdh::scalar {
namespace {

constexpr std::array<Combiner, 7> combiners = {{
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
  for (const Combiner& row : combiners) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

std::vector<std::string> combiner_names() {
  std::vector<std::string> names;
  for (const Combiner& row : combiners) names.emplace_back(row.name);
  return names;
}

}  // namespace mdh::scalar
