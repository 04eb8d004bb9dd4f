// Neighbouring elements at once, on targets without vectors.
#pragma once

#include "mdh/loop/program.h"
#include "mdh/machine/target_facts.h"

namespace mdh::passes {

/// rewrite:  lanes v < 4 { load a = x[4 * i + v]; apply b = f(a; ..); store y[4 * i + v] = b; }
///       ->  load (a, a2, a3, a4) = x[4 * i]; apply b = f(a; ..) ..; store y[4 * i] = (b, b2, b3, b4);
///
/// rewrite:  for v < 4 lanes { load a = x[4 * i + v]; load b = s[0]; combine c = (b; a); store s[0] = c; }
///       ->  load (a, a2, a3, a4) = x[4 * i]; load b = s[0]; combine c = (b; a); store s[0] = c; ..
///
/// Lanes, and loops of a few rounds that copy one element each, become straight code. What lies side
/// by side is read and written at once, as many bytes as the target can, where it provably begins at
/// a multiple of that: no sizes and no values of counters are assumed. What belongs to one core stays
/// element by element, in registers. Where bounds may end a copy early, it keeps its loop for that.
/// Rounds on lanes that need one another, as those of a sum, follow each other, and what none of them
/// writes is read before the first; in short programs only. Neighbours of an input that straight code
/// reads one by one are read together with the first of them.
loop::Program widen(const loop::Program& program, const machine::TargetFacts& facts);

}  // namespace mdh::passes
