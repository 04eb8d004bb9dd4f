// Scalar functions on vectors, in C with the vector extension of gcc and clang.
#pragma once

#include <string>
#include <vector>

#include "mdh/backend/c/expr.h"

namespace mdh::backend {

/// A value of all lanes at once: a vector, or a scalar that is the same in all of them. Truth is a
/// vector of integers, 0 or all bits.
struct LaneValue {
  std::string text;  // a word, or in parentheses
  bool is_vector = false;
  int mask_bytes = 0;  // of truth that is a vector: the width of its integers
};

/// f32x4, and the same for memory that is only aligned as its elements are.
std::string vector_type(Helpers& helpers, scalar::Scalar type, int64_t lanes);
std::string unaligned_vector_type(Helpers& helpers, scalar::Scalar type, int64_t lanes);

/// A vector, whatever the value is.
std::string as_vector(Helpers& helpers, scalar::Scalar type, int64_t lanes, const LaneValue& value);

/// The results of a plain function that has lanes (scalar::lanes_ok), as expressions.
std::vector<LaneValue> vector_call(ExprPrinter& printer, const scalar::Function& f,
                                   const std::vector<LaneValue>& arguments, int64_t lanes);

/// A function in C that computes one with lanes. It takes some arguments only, vectors or not, and
/// has a single result, or stores several at addresses that are passed behind the arguments.
struct VectorFunction {
  std::string name;
  std::vector<size_t> passed;   // numbers of arguments
  std::vector<bool> is_vector;  // the results
};

/// For a function with lets or loops.
VectorFunction vector_function(ExprPrinter& printer, const scalar::Function& f,
                               const std::vector<LaneValue>& arguments, int64_t lanes);

}  // namespace mdh::backend
