// A plain C function around printed C, for programs that know nothing of mdh.
#pragma once

#include <string>

#include "mdh/kernel/module.h"

namespace mdh::backend {

/// The source of a module and a function around it: int NAME_call(OUTPUTS..., INPUTS...), with
/// typed pointers where the element has a type of C's. It brings the workspace, and returns 0, or
/// -1 if there is no memory. Any number of threads may call it. Without OpenMP, one thread does the
/// work of all.
std::string with_openmp_caller(const kernel::Module& module);

}  // namespace mdh::backend
