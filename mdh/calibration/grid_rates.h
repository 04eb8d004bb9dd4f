// How fast a device is that runs kernels in warps: what was measured there, or what is typical.
#pragma once

#include <string>
#include <vector>

#include "mdh/calibration/grid_calibration.h"
#include "mdh/support/hardware.h"

namespace mdh::calibration {

struct KnownGridRates {
  model::GridRates rates;
  std::string source;                // "measured TIME", "file NAME", "typical", ...
  std::vector<std::string> typical;  // of measured ones: those that are not, and why
};

/// What is known of a device without measuring it: the rates that `mdh doctor --measure` has stored for
/// this model, its driver and this version of mdh ($XDG_DATA_HOME/mdh/rates-*-device.json), else
/// typical ones. MDH_RATES=typical asks for these, and MDH_RATES=FILE for those of a file, if it is
/// about a device.
KnownGridRates known_grid_rates(const MachineIdentity& device);

struct FreshGridRates {
  GridCalibration calibration;
  std::string file;
  bool stored = false;
};
FreshGridRates measure_grid_rates(const runtime::Device& device, const ProbeSizes& sizes = {});

/// The rates, with what was measured, in a few lines for people.
std::string describe(const GridCalibration& calibration);
std::string describe(const model::GridRates& rates);

}  // namespace mdh::calibration
