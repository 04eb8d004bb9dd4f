// Types for literals, and the check that everything else agrees without conversions.
#pragma once

#include <map>
#include <string>

#include "mdh/scalar/expr.h"

namespace mdh::scalar {

/// The expression with every literal given the type its surroundings ask for: first its partner in
/// an operation, then `expected`, else i64 or f64. An integer literal fits every numeric type that
/// represents it exactly, a decimal one every floating-point type; nothing else converts by itself.
/// A cast of a literal to a type it fits is that literal, so that f32(0.1) can say which 0.1 is
/// meant. The result has type `expected` unless that is undecided. Requires resolved names and no
/// type parameters.
///
/// `locals` gives the types of names that were unknown when the expression was resolved.
using LocalTypes = std::map<std::string, Type>;
Expr elaborate(const Expr& e, const Type& expected, const LocalTypes& locals = {});

}  // namespace mdh::scalar
