// The law of combine operators that the user defined on whole MDAs.
#pragma once

#include <optional>
#include <string>

#include "mdh/hl/laws/law_draws.h"

namespace mdh::hl {

/// A dimension and a split of a small part of the input for which h(a ++ b) ≠ h(a) ⊛ h(b); inputs
/// are asked for anew for each trial.
std::optional<std::string> homomorphism_counterexample(
    const Program& p, const std::function<InputsAt(int trial)>& inputs, uint64_t seed);

}  // namespace mdh::hl
