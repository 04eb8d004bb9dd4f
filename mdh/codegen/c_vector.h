// Scalar functions on vectors, in C with the vector extension of gcc and clang.
#pragma once

#include <string>
#include <vector>

#include "mdh/codegen/c_expr.h"

namespace mdh::codegen {

/// A value of all lanes at once: a vector, or a scalar that is the same in all of them.
struct LaneValue {
  std::string text;  // a word, or in parentheses
  bool is_vector = false;
};

/// f32x4, and the same for memory that is only aligned as its elements are.
std::string vector_type(Helpers& helpers, scalar::Scalar type, int64_t lanes);
std::string unaligned_vector_type(Helpers& helpers, scalar::Scalar type, int64_t lanes);

/// A vector, whatever the value is.
std::string as_vector(Helpers& helpers, scalar::Scalar type, int64_t lanes, const LaneValue& value);

/// The results of a function that has lanes (scalar::lanes_ok).
std::vector<LaneValue> vector_call(ExprPrinter& printer, const scalar::Function& f,
                                   const std::vector<LaneValue>& arguments, int64_t lanes);

}  // namespace mdh::codegen
