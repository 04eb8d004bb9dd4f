// How fast the machine at hand is.
#pragma once

#include "mdh/model/rates.h"

namespace mdh::driver {

/// Of a machine with so many cores. Capacities and vectors that its description leaves open are
/// those of the host.
model::Rates rates_of(const machine::Machine& machine, int cores);

}  // namespace mdh::driver
