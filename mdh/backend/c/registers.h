// Which temporaries become variables: those whose elements are all known when code is printed.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mdh/loop/program.h"

namespace mdh::backend {

/// A temporary as variables: element n is lane n % lanes of variable n / lanes; without lanes,
/// variable n.
struct Registers {
  std::string name;
  int64_t lanes = 1;
  std::vector<int64_t> variables;  // those that are used, ascending

  std::string variable(int64_t number) const;

  /// One element: a lane of a vector, or a variable.
  std::string element(int64_t at) const;
};

/// The places of an element in all lanes, if they are numbers.
std::optional<std::vector<int64_t>> places_of(const loop::Program& p, const loop::Element& e,
                                              const loop::Lanes* lanes);

/// How the statements use a temporary in registers; nothing if they need an array: an index is not
/// known, vectors of several widths, or too many elements. Without `vectors`, lanes are loops.
std::optional<Registers> registers_of(const loop::Program& p, const loop::Buffer& b,
                                      const loop::Block& statements, bool vectors);

}  // namespace mdh::backend
