// Kernels compared by what they compute: for mutants of text, which nothing can evaluate.
#pragma once

#include "mdh/kernel/module.h"
#include "mdh/runtime/worker/worker.h"
#include "tests/faults/subject.h"

namespace mdh::test {

/// The process that runs the compiled code of this one.
runtime::Worker& common_worker();

/// Threads of kernels on this machine.
constexpr int kernel_threads = 2;

/// Some data tell the two apart, whenever they run. Both add in the same order, so that a right
/// mutant gives the same bits.
bool always_differ(const Subject& subject, const kernel::Module& original,
                   const kernel::Module& mutant);

}  // namespace mdh::test
