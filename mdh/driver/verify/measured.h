// What the definition says about rounding errors: f and ⊕ with more results.
#pragma once

#include <vector>

#include "mdh/driver/verify/meaning.h"
#include "mdh/scalar/enclosure/deviations.h"

namespace mdh::driver {

/// How a result of a program is judged.
enum class Rule {
  exact,     // right code computes the same bits: nothing rounds, or all roundings are known
  bounded,   // sums (products, extremes) of plain arithmetic: rounding errors have a bound
  enclosed,  // mathematics, choices, operators of the user: intervals follow every operation
};

/// `deviations`: what back ends may do with f and ⊕.
std::vector<Rule> rules_of(const Meaning& meaning, const scalar::Deviations& deviations);

/// The results of f, and for each bounded one four more, all f64: its value without roundings, its
/// magnitude (no cancellation), its square, and 1 unless it is 0. They are combined like the result
/// itself (wide), or summed up (where results are added).
struct Measured {
  Meaning meaning;
  struct Extra {
    size_t wide, magnitude, square, count;  // which results of the meaning they are
  };
  std::vector<std::optional<Extra>> of;  // per result of the program
};

Measured measured(const Meaning& meaning, const std::vector<Rule>& rules);

}  // namespace mdh::driver
