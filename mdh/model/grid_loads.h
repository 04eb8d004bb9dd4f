// How threads read what is not copied for them: which points they compute in straight code, and how
// many numbers an instruction reads at once.
#pragma once

#include "mdh/model/grid_work.h"

namespace mdh::model {

/// Results gather in registers.
bool is_in_registers(const GridWork& work, const ll::Run& run);

/// Results and tiles that have a place in registers: all their points are straight code, with a
/// name for every number.
bool has_named_tile(const GridWork& work);

/// The part of a thread's tile that is straight code. Without a place in registers, lanes of several
/// dimensions are loops but for the innermost one, and nothing is kept between their rounds.
Loops straight_tile(const GridWork& work);

/// Numbers that a load of neighbouring lanes gets, on average over the accesses: where they do not
/// begin at multiples of 2 or 4 numbers they are read in pieces.
double lanes_at_once(const BufferShape& buffer, int64_t lanes, int64_t most);

/// What lies along the last axis of a copied tile is put together from several digits, and the last
/// tile ends early: then threads copy number by number.
bool is_dealt_by_digits(const GridWork& work, const BufferShape& buffer, const Loops& copied);

/// Loops that say where in a tile an element lies.
double digits_of_places(const BufferShape& buffer, const Loops& copied);

}  // namespace mdh::model
