#include "mdh/calibration/stored.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "mdh/support/files.h"
#include "mdh/support/hash.h"
#include "mdh/tune/database.h"

namespace mdh::calibration {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// Costs are divided by them, so none may be nothing.
bool is_possible(const model::Rates& r) {
  std::vector<double> numbers = {r.operation, r.latency, r.load,          r.instruction,
                                 r.gathered,  r.copied,  r.memory_of_all, r.page_miss,
                                 r.barrier,   r.launch};
  std::vector<int64_t> counts = {r.line_bytes, r.vector_bytes, r.registers, int64_t{r.cores}};
  for (size_t n = 0; n < r.memories.size(); ++n) {
    if (n > 0) numbers.insert(numbers.end(), {r.memories[n].rate, r.memories[n].line});
    if (n + 1 < r.memories.size()) counts.push_back(r.memories[n].bytes);
  }
  return std::all_of(numbers.begin(), numbers.end(),
                     [](double number) { return std::isfinite(number) && number > 0; }) &&
         std::all_of(counts.begin(), counts.end(), [](int64_t number) { return number > 0; });
}

fs::path file_of(const tune::MachineIdentity& machine, const std::string& what) {
  const fs::path records = tune::Database::file_of_user();
  if (records.empty()) return {};
  std::string text = fmt::format("{}\n{}\n{}\n", machine.model, machine.cores, machine.isa);
  for (const auto& [cache, bytes] : machine.caches) text += fmt::format("{} {}\n", cache, bytes);
  return records.parent_path() / fmt::format("rates-{}-{}.json", hash_name(text), what);
}

}  // namespace

std::string setting_of_rates() {
  const char* value = std::getenv("MDH_RATES");
  return value == nullptr ? "" : value;
}

std::string print(const Calibration& calibration) {
  Json json = Json::parse(model::print(calibration.rates));
  json["when"] = calibration.when;
  json["version"] = MDH_VERSION;
  json["typical"] = calibration.typical;
  return json.dump(1) + "\n";
}

std::optional<Calibration> parse_calibration(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  const bool has_version =
      json.is_object() && json.contains("mdh_rates") && json["mdh_rates"].is_number_integer();
  const std::optional<model::Rates> rates = has_version ? model::parse_rates(text) : std::nullopt;
  if (!rates || !is_possible(*rates)) return std::nullopt;
  Calibration calibration{*rates, {}, {}};
  if (const auto when = json.find("when"); when != json.end() && when->is_string()) {
    calibration.when = when->get<std::string>();
  }
  if (const auto typical = json.find("typical"); typical != json.end() && typical->is_array()) {
    for (const Json& name : *typical) {
      if (name.is_string()) calibration.typical.push_back(name.get<std::string>());
    }
  }
  return calibration;
}

fs::path calibration_file(const tune::MachineIdentity& machine, int threads) {
  return file_of(machine, std::to_string(threads));
}

fs::path grid_calibration_file(const tune::MachineIdentity& device) {
  return file_of(device, "device");
}

std::optional<Calibration> load_calibration(const fs::path& file, int threads) {
  std::error_code ignored;
  if (file.empty() || !fs::is_regular_file(file, ignored)) return std::nullopt;
  try {
    const std::string text = read_file(file);
    std::optional<Calibration> found = parse_calibration(text);
    const Json json = Json::parse(text, nullptr, false);
    const bool is_ours = found && found->rates.cores == threads && json.contains("version") &&
                         json["version"] == MDH_VERSION;
    return is_ours ? found : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;  // it cannot be read
  }
}

bool store(const Calibration& calibration, const fs::path& file) {
  if (file.empty()) return false;
  std::error_code ignored;
  fs::create_directories(file.parent_path(), ignored);
  try {
    write_file(file, print(calibration));
    return true;
  } catch (const Error&) {
    return false;
  }
}

Calibration load_or_measure(const fs::path& file, int threads,
                            const std::function<Calibration(int)>& measure) {
  if (std::optional<Calibration> stored = load_calibration(file, threads)) return *stored;
  const Calibration fresh = measure(threads);
  store(fresh, file);
  return fresh;
}

}  // namespace mdh::calibration
