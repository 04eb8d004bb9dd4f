// Concrete loops to header-free C with OpenMP.
#pragma once

#include "mdh/backend/backend.h"
#include "mdh/kernel/module.h"
#include "mdh/loop/program.h"

namespace mdh::backend {

/// One function with all of the program's buffers, a workspace and the number of threads as
/// arguments, and an entry with a fixed signature: void NAME_entry(void **buffers, char *workspace,
/// long threads). One parallel region, in which every thread runs the body and takes its share of
/// the dealt parts; none if nothing is dealt. `name` must be unique among modules that are compiled
/// together.
kernel::Module print_openmp(const loop::Program& program, const std::string& name);

/// Its row of the table of targets.
Backend openmp();

}  // namespace mdh::backend
