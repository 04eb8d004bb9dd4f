// Variables are symbols, never bare strings: a name to print and a number that tells equal names
// apart.
#pragma once

#include <compare>
#include <string>

namespace mdh {

/// Symbols are numbered in declaration order within a program, so that a printed and re-parsed
/// program is equal to the original. The number -1 marks a name that is not resolved yet.
struct Symbol {
  std::string name;
  int id = -1;

  bool resolved() const { return id >= 0; }
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 misreads the defaulted comparison
  friend auto operator<=>(const Symbol&, const Symbol&) = default;
};

}  // namespace mdh
