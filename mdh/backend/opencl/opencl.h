// Concrete loops as OpenCL C.
#pragma once

#include "mdh/backend/backend.h"
#include "mdh/kernel/module.h"
#include "mdh/loop/program.h"

namespace mdh::backend {

/// One kernel for each Deal to the grid, in launches one after the other; loops around them are run
/// by the host. Members of the grid are work-groups, folded into one axis, their cores work-items;
/// a work-group runs several members where the Deal is for fewer cores.
/// Temporaries that one work-item uses are private, those that a work-group shares local, and all
/// others lie in the workspace.
kernel::Module print_opencl(const loop::Program& program, const std::string& name);

/// Its row of the table of targets.
Backend opencl();

}  // namespace mdh::backend
