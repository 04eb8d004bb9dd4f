// Register tiles that are computed whole and written up in parts.
#pragma once

#include <functional>

#include "mdh/loop/program.h"
#include "mdh/passes/common/names.h"

namespace mdh::passes {

/// How many statements at the beginning of a register tile need no second body for borders. Where
/// loops with bounds use registers, they are no registers anywhere; so these statements do not
/// begin any, unless they compute all of them and what follows only writes them up.
size_t common_statements(const loop::Program& p, const loop::Block& tile,
                         const std::function<bool(const loop::Stmt&)>& reaches_edge);

/// The statements read registers that were computed before them from memory, into which they are
/// put first; loops over registers are ordinary loops. The program gets new buffers.
loop::Block from_memory(loop::Program& p, const loop::Block& before, const loop::Block& rest,
                        Names& names);

}  // namespace mdh::passes
