// What operators of the user must satisfy, tested: laws cannot be proved in general, but broken
// ones show themselves quickly on few values.
#pragma once

#include <optional>
#include <string>

#include "mdh/hl/program.h"

namespace mdh::hl {

/// Three results x, y, z of f, at points that differ in dimension d only, with (x ⊕ y) ⊕ z ≠
/// x ⊕ (y ⊕ z), as text; nothing if none was found. Laws must hold where ⊕ is used, on results of
/// f, not on all values of the type. Inputs are drawn from three or four values per field, so that
/// ties occur.
std::optional<std::string> associativity_counterexample(const Program& p, int d, uint64_t seed);

/// Two results with x ⊕ y ≠ y ⊕ x.
std::optional<std::string> commutativity_counterexample(const Program& p, int d, uint64_t seed);

/// An array of two rows and two columns for which it matters whether rows are combined before
/// columns, and what comes out.
std::optional<std::string> exchange_counterexample(const Program& p, const CombineOperator& down,
                                                   const CombineOperator& across, uint64_t seed);

/// A dimension and a split of a small input for which h(a ++ b) ≠ h(a) ⊛ h(b).
std::optional<std::string> homomorphism_counterexample(const Program& p, uint64_t seed);

/// Throws a user error with a counterexample if an operator that the user defined breaks a law. The
/// built-in ones are known to keep them.
void check_laws(const Program& p);

}  // namespace mdh::hl
