// What a machine allows a computation at most: computing, or moving its data once.
#pragma once

#include <string>

#include "mdh/hl/program.h"
#include "mdh/machine/machine.h"
#include "mdh/model/rates.h"

namespace mdh::report {

/// Rates are operations or bytes per nanosecond, of all cores.
struct Roofline {
  double peak = 0;
  double memory = 0;
  double cache = 0;  // the nearest memory behind the first
  std::string cache_name;
  double intensity = 0;  // operations per byte, every buffer once

  double roof_at(double operations_per_byte) const;
  double ridge() const { return peak / memory; }
};

Roofline roofline_of(const hl::Program& program, const model::Rates& rates);

/// Nobody has measured this machine: its speeds are those that are assumed of any.
bool are_typical(const model::Rates& rates, const machine::Machine& machine);

}  // namespace mdh::report
