// What a computation computes with: f and ⊕, apart from where they read and write.
#pragma once

#include <optional>
#include <string>

#include "mdh/hl/program.h"
#include "mdh/scalar/function.h"

namespace mdh::driver {

/// f takes one value per input access, then the point, and gives one result per output access; ⊕
/// takes two tuples of results.
struct Meaning {
  scalar::Function f, combine;
};

Meaning meaning_of(const hl::Program& program);

/// ⊕ of one result, where it is a single built-in operation on this result's two values.
std::optional<scalar::BinaryOp> built_in_combination(const Meaning& meaning, size_t result);

}  // namespace mdh::driver
