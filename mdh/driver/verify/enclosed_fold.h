// Results as intervals, where f or ⊕ are more than plain arithmetic.
#pragma once

#include "mdh/driver/verify/yardstick.h"

namespace mdh::driver {

/// f on enclosures. Sums may be rounded in any order. An operator of the user that only chooses
/// (no arithmetic on floats) is followed in the order of the definition. One that computes is
/// carried out in three orders, from which results may deviate by four times what these differ.
Expected enclosed_results(const hl::Program& program, const Meaning& meaning,
                          const scalar::Deviations& deviations, const Points& points,
                          std::span<void* const> inputs, const About& about,
                          const std::function<void(double)>& share);

/// The smallest positive number of a floating type.
double smallest_of(scalar::Scalar type);

/// The largest finite one.
double largest_of(scalar::Scalar type);

}  // namespace mdh::driver
