#include "mdh/calibration/grid_rates.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "mdh/calibration/stored.h"
#include "mdh/runtime/turns.h"
#include "mdh/support/diagnostic.h"
#include "mdh/support/files.h"

namespace mdh::calibration {
namespace {

namespace fs = std::filesystem;

KnownGridRates known(const GridCalibration& calibration, const std::string& source) {
  return {rates_by(calibration), source, not_believed(calibration)};
}

/// A file that says how fast a CPU is says nothing about devices.
KnownGridRates in_file_of_user(const std::string& file) {
  const std::string text = read_file(file);
  if (const auto found = parse_grid_calibration(text)) return known(*found, "file " + file);
  if (parse_calibration(text)) return {{}, "typical, '" + file + "' is about a CPU", {}};
  user_error("E884", {}, fmt::format("MDH_RATES: '{}' holds no rates of a machine", file),
             "name a file that 'mdh doctor --measure' has written, or write MDH_RATES=typical");
}

bool is_of_this_version(const std::string& text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  return json.is_object() && json.value("version", "") == MDH_VERSION;
}

KnownGridRates stored_in(const fs::path& file) {
  const std::string to_do = "; 'mdh doctor --measure' measures";
  std::error_code ignored;
  if (file.empty() || !fs::exists(file, ignored)) return {{}, "typical, not measured" + to_do, {}};
  try {
    const std::string text = read_file(file);
    const auto found = parse_grid_calibration(text);
    if (!found) return {{}, "typical, '" + file.string() + "' is damaged" + to_do, {}};
    if (!is_of_this_version(text)) {
      return {{}, "typical, '" + file.string() + "' is of another version" + to_do, {}};
    }
    return known(*found, "measured " + found->when);
  } catch (const Error& e) {
    return {{}, "typical, " + e.diagnostic().message, {}};
  }
}

}  // namespace

KnownGridRates known_grid_rates(const MachineIdentity& device) {
  const std::string set = setting_of_rates();
  if (set == "typical") return {{}, set, {}};
  return set.empty() ? stored_in(grid_calibration_file(device)) : in_file_of_user(set);
}

FreshGridRates measure_grid_rates(const runtime::Device& device, const ProbeSizes& sizes) {
  const runtime::Turn turn = runtime::Turns(device.place()).take();
  FreshGridRates fresh{calibrate_grid(device, sizes),
                       grid_calibration_file(*device.identity()).string()};
  if (fresh.file.empty()) return fresh;
  std::error_code ignored;
  fs::create_directories(fs::path(fresh.file).parent_path(), ignored);
  try {
    write_file(fresh.file, print(fresh.calibration));
    fresh.stored = true;
  } catch (const Error&) {
    fresh.stored = false;  // who asks is told
  }
  return fresh;
}

std::string describe(const GridCalibration& calibration) {
  std::string text;
  const model::GridRates rates = rates_by(calibration);
  for (const GridNumber& number : grid_numbers()) {
    const auto found = calibration.measured.find(number.name);
    if (found == calibration.measured.end()) continue;
    text += fmt::format("{}: {:.4g}, {:.2f} of an H200; estimates take {:.4g}\n", number.name,
                        found->second, found->second / number.usual, rates.*number.rate);
  }
  return text;
}

std::string describe(const model::GridRates& r) {
  return fmt::format(
      "{:.3g} cycles in a nanosecond, {:.3g} multiply-adds of warps in a cycle ({:.3g} of "
      "doubles)\n"
      "shared memory {:.3g} bytes in a cycle; L2 {:.4g} GB/s, memory {:.4g} GB/s\n"
      "cycles: multiply-add {:.3g}, barrier {:.3g}, read of shared memory {:.3g}, of L2 {:.3g}, of "
      "memory {:.3g}\n"
      "launch {:.4g} ns, following launch {:.4g} ns\n",
      r.clock, r.issued, r.issued * r.doubles, r.shared_bytes, r.l2_rate, r.memory_rate, r.chain,
      r.barrier, r.shared_latency, r.l2_latency, r.memory_latency, r.launch, r.following);
}

}  // namespace mdh::calibration
