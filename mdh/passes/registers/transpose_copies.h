// Copies that transpose move squares of elements by vectors.
#pragma once

#include "mdh/loop/program.h"
#include "mdh/machine/target_facts.h"

namespace mdh::passes {

/// rewrite:  for k < 64 { for i < 10 { load v = A[i, k]; store t[k, i] = v; } }
///       ->  for kb < 16 { for ib < 2 { transpose (i < 4, k < 4) t[kb * 4 + k, ib * 4 + i] = ...; }
///       }
///           for k < 64 { for i < 2 { load v = A[8 + i, k]; store t[k, 8 + i] = v; } }
///
/// Loops stay where they are. A square is as wide as the vectors that all machines of the
/// target have.
loop::Program transpose_copies(const loop::Program& program,
                               const machine::TargetFacts& facts = {});

}  // namespace mdh::passes
