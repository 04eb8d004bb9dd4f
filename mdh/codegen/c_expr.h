// Scalar expressions in C, with the meaning they have in mdh.
#pragma once

#include <map>
#include <string>

#include "mdh/scalar/expr.h"

namespace mdh::codegen {

/// C's name of a type. i64 and indices are `long`, which has 64 bits wherever mdh runs.
std::string c_type(scalar::Scalar type);

/// A name that C accepts: keywords and the names that printed code uses itself are prefixed.
std::string c_name(const std::string& name);

/// Prints expressions. Integers are computed unsigned, so that wrap-around is defined; operations
/// that C leaves undefined or evaluates twice (division, floats to integers, min, max) become calls
/// of helper functions, which the printer collects.
class ExprPrinter {
 public:
  std::string print(const scalar::Expr& e);

  /// Index arithmetic: never overflows, so it is printed plainly.
  std::string print_index(const scalar::Expr& e);

  /// Definitions of the helpers used so far.
  std::string helpers() const;

 private:
  std::string operation(scalar::BinaryOp op, scalar::Scalar type, const std::string& a,
                        const std::string& b);
  std::string conversion(scalar::Scalar from, scalar::Scalar to, const std::string& a);
  std::string helper(scalar::BinaryOp op, scalar::Scalar type);
  void define_helper(const std::string& name, const std::string& definition);

  std::map<std::string, std::string> helpers_;  // name -> definition
};

}  // namespace mdh::codegen
