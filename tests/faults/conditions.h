// Conditions on the counters around a statement.
#pragma once

#include "tests/faults/places.h"

namespace mdh::test {

loop::Expr plus(const loop::Expr& e, int64_t n);
loop::Expr is_equal(const loop::Expr& a, const loop::Expr& b);
loop::Expr is_different(const loop::Expr& a, const loop::Expr& b);

/// The first, the last, the middle or some other value of a counter, as a number says.
loop::Expr value_in(const Around& counter, uint64_t detail);

/// One combination of the counters, and all others; nothing without counters.
std::optional<loop::Expr> at_one_point(const std::vector<Around>& counters, uint64_t detail);
std::optional<loop::Expr> at_all_but_one(const std::vector<Around>& counters, uint64_t detail);

/// The counters outside of the statement that a condition goes around.
std::vector<Around> counters_outside(const Site& site);

}  // namespace mdh::test
