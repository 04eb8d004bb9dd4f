// The three phases of a low-level program, executed literally.
#pragma once

#include <vector>

#include "mdh/hl/evaluate.h"
#include "mdh/ll/program.h"

namespace mdh::ll {

/// De-composes the input in decompose's order, applies f to every non-empty part, re-composes in
/// recompose's order, innermost first. An empty part has no value: nothing combines it. For small
/// programs.
std::vector<scalar::Array> evaluate(const Program& p, const std::vector<scalar::Array>& inputs,
                                    scalar::Algebra& algebra);
std::vector<scalar::Array> evaluate(const Program& p, const std::vector<scalar::Array>& inputs);

}  // namespace mdh::ll
