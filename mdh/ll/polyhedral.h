// Configurations in the manner of polyhedral compilers, from a few numbers.
#pragma once

#include <vector>

#include "mdh/ll/config.h"

namespace mdh::ll {

/// Rectangular tiles, one size per dimension; the loop over the tiles of the first concatenated
/// dimension runs on the machine's first layer of cores and stands outermost, all other loops over
/// tiles follow on the first memory layer, those inside of tiles on the second one. Memory is left
/// to the caches.
Config pluto_style(const hl::Program& program, const machine::Machine& machine,
                   const std::vector<int64_t>& tiles);

/// Rectangular tiles, dealt to blocks along the first two concatenated dimensions (`grid` blocks in
/// each, in turn), their points to threads along the first three (`block` threads in each, in
/// turn); everything else, reductions above all, is sequential. Tiles of inputs lie in the memory
/// of the blocks as far as it holds them, results in the registers of the threads, if there are
/// few. Sizes that the machine does not allow are lowered.
Config ppcg_style(const hl::Program& program, const machine::Machine& machine,
                  const std::vector<int64_t>& tiles, const std::vector<int64_t>& block,
                  const std::vector<int64_t>& grid);

}  // namespace mdh::ll
