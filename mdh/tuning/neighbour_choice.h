// The model's choice, or the best one of a neighbouring size: whichever is faster here.
//
// What is the best for 1900 x 2100 may be a third slower than the model's choice for 2100 x 1900,
// and no estimate says so. Hence both are compiled and run, once: the outcome is remembered.
#pragma once

#include <optional>

#include "mdh/tuning/candidates.h"
#include "mdh/tuning/records.h"

namespace mdh::tuning {

/// Of a selection with rivals: what was found to be the fastest for this program, machine, number
/// of threads and these compilers; nothing if that was not measured yet.
std::optional<ChosenConfig> remembered_choice(const hl::Program& program,
                                              const Selection& selection,
                                              const CandidateOptions& options);

/// The model's choice, unless a rival computes the same and is clearly faster in runs that take
/// turns. Without evidence (no worker, too much data, other programs on the cores) it stays the
/// model's choice. The outcome of a comparison is kept in the cache.
ChosenConfig measured_choice(const hl::Program& program, const Selection& selection,
                             const CandidateOptions& options);

}  // namespace mdh::tuning
