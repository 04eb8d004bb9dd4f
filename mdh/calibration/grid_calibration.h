// How fast a CUDA device is, measured, and what that means for estimates.
//
// The typical rates were fitted to an H200: they are what makes estimates of whole kernels right, and
// not what a small kernel finds there. So a measured number is compared with what the same probe
// finds on an H200, and the typical rate changes by the ratio. A device that is about as fast as an
// H200 has the typical rate.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mdh/calibration/grid_probes.h"
#include "mdh/model/grid_rates.h"
#include "mdh/runtime/device.h"

namespace mdh::calibration {

/// A number that is measured, and the rate that it stands for.
struct GridNumber {
  const char* name;  // "memory_gbs"
  double model::GridRates::*rate;
  double usual;  // what the probe finds on an H200
  /// A ratio beyond this is hardly believable: devices differ less in cycles than in bytes.
  double most;
};
const std::vector<GridNumber>& grid_numbers();

struct GridCalibration {
  std::string model;                       // of the device
  std::map<std::string, double> measured;  // by name
  std::string when;                        // UTC
};

/// The probes are written in CUDA.
bool may_be_calibrated(const runtime::Device& device);

/// Takes less than a second, and what compilers need besides.
GridCalibration calibrate_grid(const runtime::Device& device, const ProbeSizes& sizes = {});

/// Differences up to this ratio change no rate: they may be those of two measurements.
inline constexpr double hardly_different = 1.15;

/// The typical rates as the measured numbers change them.
model::GridRates rates_by(const GridCalibration& calibration);

/// Numbers that are missing or hardly believable, and why; their rates are the typical ones.
std::vector<std::string> not_believed(const GridCalibration& calibration);

/// JSON text, both ways. What is torn or lacks what makes it such a text gives nothing.
std::string print(const GridCalibration& calibration);
std::optional<GridCalibration> parse_grid_calibration(std::string_view text);

}  // namespace mdh::calibration
