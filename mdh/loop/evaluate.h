// Loop programs, executed: no compiler, no device, and every rule of the memory model checked.
#pragma once

#include <vector>

#include "mdh/loop/program.h"
#include "mdh/scalar/algebra.h"

namespace mdh::loop {

/// Runs either dialect, and mixtures of them. Outputs and workspace begin undefined; reading an
/// undefined element is an error. Parts that run at the same time are run one after the other in an
/// order drawn from `seed`; two dealt parts (the concrete dialect) that touch one element between
/// two barriers, one of them writing, are reported as a race. All complaints are internal errors:
/// a loop program that makes them is wrong.
std::vector<scalar::Array> evaluate(const Program& p, const std::vector<scalar::Array>& inputs,
                                    scalar::Algebra& algebra, uint64_t seed = 1);
std::vector<scalar::Array> evaluate(const Program& p, const std::vector<scalar::Array>& inputs,
                                    uint64_t seed = 1);

}  // namespace mdh::loop
