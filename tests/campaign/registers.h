// Whether what a decomposition means to be in registers is there in the end.
#pragma once

#include "tests/campaign/backends.h"

namespace mdh::test {

/// Temporaries that are meant to be in registers, and those of them that are variables in the
/// printed code.
struct RegisterCount {
  int meant = 0, kept = 0;
};

/// Nothing is promised, and nothing counted, where items of groups are loops of one core, where
/// tiles are never whole, or ask for every element whether it is there, and where phases have nests
/// of their own.
RegisterCount registers_of(const Prepared& one);

}  // namespace mdh::test
