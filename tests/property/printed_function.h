// Printed functions, compiled and compared with the interpreter.
#pragma once

#include <string>
#include <vector>

#include "mdh/backend/c/expr.h"
#include "mdh/runtime/host/library.h"
#include "mdh/scalar/function.h"
#include "tests/property/choices.h"

namespace mdh::test {

/// Who compiles the text. OpenCL C is read as C with its built-ins defined: all of its arithmetic
/// is that of C.
struct Translation {
  std::string name;
  backend::Dialect dialect;
  runtime::host::Compiler compiler;
  bool contracts = false;  // a * b + c may be rounded once
};

/// With every compiler that is installed; clang traps what C leaves undefined.
std::vector<Translation> translations();

/// One argument list after the other, each leaf by leaf.
using Cases = std::vector<std::vector<scalar::Value>>;

struct Trial {
  scalar::Function f;
  Cases cases;
};

/// Extreme and ordinary values of a type, and values of all its patterns.
std::vector<scalar::Value> edge_values(scalar::Scalar type);
scalar::Value any_value(Choices& choices, scalar::Scalar type);
Cases random_cases(Choices& choices, const scalar::Function& f, int count);

/// A kernel that applies f to arrays of elements in memory.
kernel::Module printed_module(const scalar::Function& f, backend::Dialect dialect,
                              const std::string& name);

/// Compiles all of them at once: what each gives, case by case, leaf by leaf.
std::vector<Cases> compiled_results(const std::vector<Trial>& trials,
                                    const Translation& translation);

/// The types of the leaves of all results.
std::vector<scalar::Scalar> leaf_types(const scalar::Function& f);

/// A function as text, for messages.
std::string description(const scalar::Function& f);

/// Compiles all of them at once and says where a result is not the interpreter's, bit by bit; any
/// value is right where the interpreter reports an error, and all NaNs are alike.
std::string difference(const std::vector<Trial>& trials, const Translation& translation);

/// The text as OpenCL C, read by clang: what it says against it.
std::string refused_as_opencl(const std::string& source);
bool can_read_opencl();

}  // namespace mdh::test
