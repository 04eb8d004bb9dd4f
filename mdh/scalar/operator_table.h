// How operators are written: one table for the parser, the printer and the C printer.
#pragma once

#include <string_view>

#include "mdh/scalar/expr.h"

namespace mdh::scalar {

struct OperatorRow {
  BinaryOp op;
  std::string_view text;  // the same in .mdh and in C
  int strength;           // binds stronger if larger; -1: written as a call, min(x, y)
};

const OperatorRow& operator_row(BinaryOp op);
const OperatorRow* find_infix(std::string_view text);
const OperatorRow* find_call(std::string_view name);

}  // namespace mdh::scalar
