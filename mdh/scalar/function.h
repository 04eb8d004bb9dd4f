// Scalar functions: f of an md_hom, the operators that combine its results, functions of the user.
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

/// Several results at once, each an expression over the parameters and the locals before it.
struct Function {
  std::string name;
  std::vector<Parameter> parameters;
  std::vector<Assignment> results;
  std::vector<Assignment> locals;  // evaluated in order, before the results
  friend bool operator==(const Function&, const Function&) = default;
};

/// The only result of a function that is called in expressions.
const Expr& result_of(const Function& f);

/// No operator of the function compares, selects, loops, calls, or cuts a float off.
bool is_arithmetic_only(const Function& f);

/// Rounding decides nothing in f, nor between what ⊕ computes: then contraction to fused
/// multiply-add is harmless.
bool may_contract(const Function& f, const Function& combine);

/// Only operators and casts on scalars, no records, locals, loops or calls.
bool is_plain(const Function& f);

/// Integers in, integers out: floats are only added, subtracted, multiplied and compared, with
/// whole numbers. As long as nothing grows too large, such a function never rounds.
bool keeps_integers(const Function& f);

/// A local or a result does.
bool mentions(const Function& f, const Symbol& symbol);

/// Every node of every expression satisfies a condition.
bool all_nodes(const Function& f, bool (*holds)(const Expr&));

/// Nodes of an expression, functions that it calls apart. Counting ends at the limit.
int64_t nodes_of(const Expr& e, int64_t limit);

/// Operations of one evaluation; a loop counts as one iteration.
int64_t operations_in(const Function& f);

/// Longest chain of operations from a parameter to a result; with the machine epsilon it bounds
/// rounding errors.
int depth_of(const Function& f);

}  // namespace mdh::scalar
