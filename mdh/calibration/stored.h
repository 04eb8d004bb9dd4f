// What was measured once, in a file: one for each machine and number of threads, beside the tuning
// records.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "mdh/calibration/calibration.h"
#include "mdh/tune/record.h"

namespace mdh::calibration {

/// MDH_RATES: "typical", the name of a file, or nothing.
std::string setting_of_rates();

/// JSON text, both ways: the rates, with the time of day and what is typical. What is torn, lacks
/// something or has numbers that no machine has gives nothing.
std::string print(const Calibration& calibration);
std::optional<Calibration> parse_calibration(std::string_view text);

/// $XDG_DATA_HOME/mdh/rates-KEY-THREADS.json, else below ~/.local/share; no name where there is no
/// home.
std::filesystem::path calibration_file(const tune::MachineIdentity& machine, int threads);

/// $XDG_DATA_HOME/mdh/rates-KEY-device.json: how fast a device is (grid_calibration.h).
std::filesystem::path grid_calibration_file(const tune::MachineIdentity& device);

/// What the file holds, if this version of mdh measured it, with so many threads.
std::optional<Calibration> load_calibration(const std::filesystem::path& file, int threads);

/// False if it could not be written; a reader never sees half of it.
bool store(const Calibration& calibration, const std::filesystem::path& file);

/// What the file holds; else what is measured now, which is stored if that can be done.
Calibration load_or_measure(const std::filesystem::path& file, int threads,
                            const std::function<Calibration(int)>& measure = calibrate);

}  // namespace mdh::calibration
