// How fast the machine at hand is.
#pragma once

#include <string>

#include "mdh/calibration/calibration.h"

namespace mdh::calibration {

/// Of a machine with so many cores. Where the machine is this CPU they are measured: once, for half
/// a second, and then read from a file ($XDG_DATA_HOME/mdh/rates-*.json). Those of other machines
/// are typical ones. Capacities and vectors that the description leaves open are those of the host.
///
/// MDH_RATES=typical measures nothing, and MDH_RATES=FILE takes the numbers of a file for every
/// machine.
model::Rates rates_of(const machine::Machine& machine, int cores);

/// A CPU that nothing in its description tells apart from this one.
bool may_be_host(const machine::Machine& machine);

/// What is known about this machine without measuring it now.
struct KnownRates {
  model::Rates rates;
  std::string source;                // "measured TIME", "file NAME", "typical", ...
  std::vector<std::string> typical;  // of measured ones: those that are not, and why
};
KnownRates known_rates(int cores);

/// Measures this machine anew and stores the rates.
struct FreshRates {
  Calibration calibration;
  std::string file;
  bool stored = false;
};
FreshRates measure_rates(int cores);

/// The numbers in a few lines, for people.
std::string describe(const model::Rates& rates);

}  // namespace mdh::calibration
