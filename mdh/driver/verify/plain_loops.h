// The definition as a plain loop nest in C: no tiles, no order of its own, no configuration.
#pragma once

#include "mdh/driver/verify/meaning.h"
#include "mdh/kernel/module.h"

namespace mdh::driver {

/// Values are scalars, and f ends by itself: no records, no loops inside of f.
bool has_plain_loops(const hl::Program& views, const Meaning& meaning);

/// NAME_entry(buffers, ...) computes results before out_view, one row per point of the result, each
/// of 8 bytes, as scalar::Value holds them. Buffers: the rows; the points to compute, one i64 per
/// dimension; numbers; then all inputs. The numbers: how many points; 1 if they are consecutive
/// ones of all points in row-major order instead; the first of those; then for every dimension
/// where what contributes begins and ends. Among all points, scans are carried out at the end, row
/// after row, beginning with the one that lies before the first in memory; an element of a list is
/// folded from everything before it.
kernel::Module plain_loops(const hl::Program& views, const Meaning& meaning,
                           const std::string& name);

}  // namespace mdh::driver
