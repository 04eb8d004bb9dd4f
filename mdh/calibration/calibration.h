// How fast this machine is, measured.
//
// Every number is the best of many short repetitions, because others may use the machine, too. One
// that is more than 20 times off what is typical is not believed.
#pragma once

#include <string>
#include <vector>

#include "mdh/model/rates.h"

namespace mdh::calibration {

struct Calibration {
  model::Rates rates;
  std::string when;                  // UTC, "2026-11-15T17:20:25Z"
  std::vector<std::string> typical;  // numbers that are not measured ones, and why
};

/// Measures for most of a second, with so many threads; capacities are what the system reports.
Calibration calibrate(int threads);

/// A measured number instead of a typical one, if it may be believed; otherwise it is named.
void take(const std::string& name, double measured, double& rate,
          std::vector<std::string>& typical);

}  // namespace mdh::calibration
