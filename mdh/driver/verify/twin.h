// The twin of a kernel: the same loops, copies and stores, with another f and another ⊕.
//
// Rounding errors make it impossible to tell from a long sum of floats whether one of its terms is
// missing. In the twin every float is the unsigned integer of its width, f is a hash of the
// operands that f reads (and of the parts of the point that it mentions), and ⊕ is wrap-around
// addition. Nothing rounds, so its results are compared bit by bit: they are right only if each
// point contributes exactly once, with the right operands, to the right element.
//
// The twin is made of the concrete loop program that the kernel is printed from. Its statements are
// the kernel's; only types, f and ⊕ differ.
#pragma once

#include <string>

#include "mdh/driver/stages.h"
#include "mdh/driver/verify/meaning.h"
#include "mdh/loop/program.h"

namespace mdh::driver {

/// Why a program has no twin; nothing if it has one.
std::string without_twin(const hl::Program& program);

/// Floats become unsigned integers of their width, also in records.
scalar::Type twin_type(const scalar::Type& type);

/// The views of the twin: buffers of twin types. f and ⊕ are not those of this program.
hl::Program twin_views(const hl::Program& program);

Meaning twin_of(const Meaning& meaning, uint64_t seed);
loop::Program twin_of(const loop::Program& program, uint64_t seed);

/// The concrete loops and the source of the twin, printed by the same target for the same compiler.
Stages twin_stages(const Stages& stages, const Target& target);
constexpr uint64_t twin_seed = 20240611;

}  // namespace mdh::driver
