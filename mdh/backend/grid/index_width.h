// How wide the integers have to be that a program counts and finds its elements with.
#pragma once

#include "mdh/loop/program.h"

namespace mdh::backend {

/// No counter, index, address or step of their computation leaves 32 bits with sign. Then devices
/// compute them in half the instructions and registers. False also means that nobody knows.
bool counts_in_32_bits(const loop::Program& p);

/// The number of an element among those that are kept where it is, as kernels write it.
scalar::Expr grid_address(const loop::Program& p, const loop::Element& e);

}  // namespace mdh::backend
