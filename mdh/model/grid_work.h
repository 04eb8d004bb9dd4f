// A computation on a device with groups of threads: its loops, sorted by who runs them.
#pragma once

#include "mdh/model/grid_rates.h"
#include "mdh/model/structure.h"

namespace mdh::model {

struct GridWork {
  /// All outlive it.
  GridWork(const Shape& shape, const ll::Decomposition& d, const GridRates& rates);

  const Shape& shape;
  const ll::Decomposition& d;
  const GridRates& rates;

  // ---- outermost first
  Loops whole;     // all, as de-composition has them
  Loops launches;  // loops around groups: the host runs them
  Loops groups;
  Loops members;  // threads of a group, warps first
  Loops rounds;   // loops of a thread
  Loops tile;     // what a thread computes side by side
  const ll::NestLoop* lanes = nullptr;

  int64_t group_count = 1, thread_count = 1, warp_count = 1;

  /// The loops that threads of one warp differ in.
  Loops warp() const;

  /// Position of a loop in `whole`.
  int position(const ll::NestLoop* loop) const;

  /// Those of some loops that stand inside of a position of de-composition.
  Loops inside(const Loops& some, int position) const;

  /// It is a copy in memory; tiles in registers are none, though there may be two of them.
  bool is_copied(const ll::Staging& staging) const;

  /// The loops whose data a copy holds.
  Loops copied_by(const ll::Staging& staging) const;

  /// How often the loops of a thread outside of a position begin anew.
  double rounds_before(int position) const;

  /// Its parts depend on each other: they are summed, or scanned.
  bool is_reduced(const ll::NestLoop* loop) const {
    return shape.dimensions[dimension_of(loop)].kind != DimensionKind::kept;
  }

  /// Its parts become one result; those of a scan are one each.
  bool is_summed(const ll::NestLoop* loop) const {
    return shape.dimensions[dimension_of(loop)].kind == DimensionKind::reduced;
  }
};

/// Of all parts.
double volume(const Loops& loops);

/// One list behind the other.
Loops both(Loops a, const Loops& b);

}  // namespace mdh::model
