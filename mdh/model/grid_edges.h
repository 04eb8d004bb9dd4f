// Where parts do not divide a dimension: tiles that end early, and warps that threads do not fill.
#pragma once

#include "mdh/model/grid_work.h"

namespace mdh::model {

/// A dimension of the tile ends inside of some part: there, what a thread reads is asked for piece by
/// piece.
bool has_edges(const GridWork& work, const Loops& tile);

/// A dimension that is reduced may end inside of a tile: in its last round each point asks whether it
/// exists, whatever was copied.
bool sums_end_inside(const GridWork& work, const Loops& tile);

/// A dimension that is reduced may end inside of a tile, and not all inputs are copied: each of its
/// points asks whether it exists, and there is code for whole tiles and for others. Copies have
/// something everywhere.
bool asks_at_edges(const GridWork& work, const Loops& tile);

/// Points of a tile at an edge that are computed one by one: what is combined from round to round and
/// reads the user's memory can neither be shifted back nor computed whole. 0 where there are none.
double points_one_by_one(const GridWork& work, const Loops& tile);

/// Threads that differ in a loop are of the same warp, in every group.
bool stays_in_warp(const GridWork& work, const ll::NestLoop& loop);

}  // namespace mdh::model
