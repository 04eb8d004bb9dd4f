// Scalar functions: f of an md_hom and the operators that combine its results.
#pragma once

#include <string>
#include <vector>

#include "mdh/scalar/expr.h"

namespace mdh::scalar {

struct Parameter {
  Symbol symbol;
  Type type;
  friend bool operator==(const Parameter&, const Parameter&) = default;
};

struct Assignment {
  Symbol target;
  Expr value;
  Location where;
  friend bool operator==(const Assignment&, const Assignment&) = default;
};

/// Several results at once, each an expression over the parameters.
struct Function {
  std::string name;
  std::vector<Parameter> parameters;
  std::vector<Assignment> results;
  friend bool operator==(const Function&, const Function&) = default;
};

/// No operator of the function compares, selects or calls: then contraction to fused multiply-add
/// is harmless.
bool is_arithmetic_only(const Function& f);

/// Arithmetic operations of one evaluation.
int64_t operations_in(const Function& f);

/// Longest chain of operations from a parameter to a result; with the machine epsilon it bounds
/// rounding errors.
int depth_of(const Function& f);

}  // namespace mdh::scalar
