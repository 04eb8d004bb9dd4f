// Binding the parameters of a generic program.
#pragma once

#include <map>
#include <string>

#include "mdh/hl/program.h"

namespace mdh::hl {

/// Values for parameters, by name. What is not bound takes its default.
struct Bindings {
  std::map<std::string, scalar::Scalar> types;
  std::map<std::string, int64_t> sizes;
  std::map<std::string, Expr> values;
};

/// The concrete program: types and sizes substituted, constants evaluated in their type, literals
/// typed, everything verified. A binding that names no parameter, a parameter without value, a size
/// below 1 are user errors.
Program instantiate(const Program& p, const Bindings& bindings);

/// As instantiate, but sizes that are written * and not bound stay: the program is typed and
/// resolved, and its dimensions of unknown size have the parameter as their size. What depends on
/// the size (extents, ranges of indices) is checked when it is given.
Program instantiate_open(const Program& p, const Bindings& bindings);

/// A partial instantiation: the parameters that are bound vanish, the others stay. Types first,
/// sizes later, in any number of steps; where nothing is left to bind the program is concrete. In
/// between its text is read back as the same program.
Program bind(const Program& p, const Bindings& bindings);

/// Sizes given in dimension order, as on the command line: the n-th value binds the size parameter
/// of the n-th dimension.
std::map<std::string, int64_t> sizes_by_dimension(const Program& p,
                                                  const std::vector<int64_t>& values);

}  // namespace mdh::hl
