// Tiles that would reach over an edge are shifted back, onto elements of the tile before them.
#pragma once

#include <optional>
#include <set>

#include "mdh/loop/program.h"

namespace mdh::passes {

/// How far a register tile is shifted along one dimension, and where that is allowed.
struct Shift {
  int dimension = 0;
  loop::Expr by;      // 0 where the tile is inside
  loop::Expr before;  // how many elements before the tile belong to the same core
};

/// For a tile that is whole if `room >= parts`, where room is counted in elements of the dimension
/// and begins below the digits outside of the block. Nothing where computing elements twice would
/// change them or race: only kept dimensions, only tiles that are overwritten and never combined,
/// and whose elements are found by indices that can be shifted, not by places in other tiles.
std::optional<Shift> shift_of(const loop::Program& p, const loop::Block& tile, int dimension,
                              const loop::Expr& room, int64_t parts);

/// The tile with all it reads and writes of the user's buffers shifted by the value of `by`.
loop::Block shifted(const loop::Program& p, const loop::Block& tile, int dimension,
                    const loop::Expr& by);

/// An index of the user's buffers in such a tile, shifted as well.
std::optional<loop::Expr> shifted_index(const loop::Program& p, const loop::Block& tile,
                                        int dimension, const loop::Expr& index,
                                        const loop::Expr& by);

}  // namespace mdh::passes
