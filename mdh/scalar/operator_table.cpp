#include "mdh/scalar/operator_table.h"

#include <array>

namespace mdh::scalar {
namespace {

constexpr std::array<OperatorRow, 20> operators = {{
    {BinaryOp::logical_or, "||", 1},  {BinaryOp::logical_and, "&&", 2},
    {BinaryOp::equal, "==", 3},       {BinaryOp::not_equal, "!=", 3},
    {BinaryOp::less, "<", 3},         {BinaryOp::less_equal, "<=", 3},
    {BinaryOp::greater, ">", 3},      {BinaryOp::greater_equal, ">=", 3},
    {BinaryOp::bit_or, "|", 4},       {BinaryOp::bit_xor, "^", 5},
    {BinaryOp::bit_and, "&", 6},      {BinaryOp::shift_left, "<<", 7},
    {BinaryOp::shift_right, ">>", 7}, {BinaryOp::add, "+", 8},
    {BinaryOp::subtract, "-", 8},     {BinaryOp::multiply, "*", 9},
    {BinaryOp::divide, "/", 9},       {BinaryOp::remainder, "%", 9},
    {BinaryOp::minimum, "min", -1},   {BinaryOp::maximum, "max", -1},
}};

}  // namespace

const OperatorRow& operator_row(BinaryOp op) { return operators[static_cast<size_t>(op)]; }

const OperatorRow* find_infix(std::string_view text) {
  for (const OperatorRow& row : operators) {
    if (row.strength > 0 && row.text == text) return &row;
  }
  return nullptr;
}

const OperatorRow* find_call(std::string_view name) {
  for (const OperatorRow& row : operators) {
    if (row.strength < 0 && row.text == name) return &row;
  }
  return nullptr;
}

}  // namespace mdh::scalar
