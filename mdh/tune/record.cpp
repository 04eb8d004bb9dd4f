#include "mdh/tune/record.h"

#include <array>
#include <cmath>
#include <ctime>
#include <vector>

#include <nlohmann/json.hpp>

#include "mdh/support/diagnostic.h"
#include "mdh/support/hash.h"

namespace mdh::tune {
namespace {

using json = nlohmann::ordered_json;

constexpr int this_version = 1;

const std::vector<std::string>& outcome_names() {
  static const std::vector<std::string> names = {"ok",    "compile_error", "crash", "timeout",
                                                 "wrong", "out_of_memory", "spills"};
  return names;
}

std::optional<RecordOutcome> find_outcome(const std::string& name) {
  const std::vector<std::string>& names = outcome_names();
  for (size_t n = 0; n < names.size(); ++n) {
    if (names[n] == name) return static_cast<RecordOutcome>(n);
  }
  return std::nullopt;
}

/// Empty: the field is left out.
const std::array<std::string, 3>& final_names() {
  static const std::array<std::string, 3> names = {"", "won", "lost"};
  return names;
}

/// A word of a later version is none of ours.
FinalResult final_from(const std::string& name) {
  for (size_t n = 0; n < final_names().size(); ++n) {
    if (final_names()[n] == name) return static_cast<FinalResult>(n);
  }
  return FinalResult::none;
}

/// JSON has no other numbers.
double finite(double value) { return std::isfinite(value) ? value : 0; }

/// Compilers and kernels write what they like, also into reasons.
std::string one_line(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

json json_of(const MachineIdentity& machine) {
  return {{"vendor", machine.vendor},
          {"model", machine.model},
          {"cores", machine.cores},
          {"isa", machine.isa},
          {"caches", json(machine.caches)}};
}

MachineIdentity machine_from(const json& value) {
  return {value.value("vendor", ""), value.value("model", ""), value.at("cores").get<int64_t>(),
          value.value("isa", ""), value.at("caches").get<std::map<std::string, int64_t>>()};
}

RecordTime time_from(const json& value) {
  return {value.value("median", 0.0), value.value("mean", 0.0), value.value("ci99", 0.0),
          value.value("n", int64_t{0})};
}

/// Throws what nlohmann throws where something is missing or of another kind.
std::optional<Record> record_from(const json& root) {
  if (root.at("mdh_record") != this_version || !root.at("config").is_object()) return std::nullopt;
  const auto outcome = find_outcome(root.at("outcome").get<std::string>());
  if (!outcome) return std::nullopt;
  Record record;
  record.outcome = *outcome;
  record.when = root.value("when", "");
  record.program = root.at("program").at("text").get<std::string>();
  record.sizes = root.at("sizes").get<std::map<std::string, int64_t>>();
  record.types = root.at("types").get<std::map<std::string, std::string>>();
  record.machine = machine_from(root.at("machine"));
  record.target = root.at("target").get<std::string>();
  record.config = one_line(root.at("config"));
  record.reason = root.value("reason", "");
  if (root.contains("time_us")) record.time_us = time_from(root["time_us"]);
  record.verified = root.value("verified", "none");
  record.compiler = root.value("compiler", "");
  record.version = root.value("version", "");
  record.seed = root.value("seed", uint64_t{0});
  record.load = root.value("load", 0.0);
  record.final_result = final_from(root.value("final", ""));
  record.decides = root.value("decides", false);
  return record;
}

}  // namespace

const std::string& to_string(RecordOutcome outcome) {
  return outcome_names()[static_cast<size_t>(outcome)];
}

std::string key_of(const Record& record) { return hash_name(record.program); }

bool is_proven(const Record& record) {
  const bool is_checked = record.verified == "full" || record.verified == "sampled";
  return record.outcome == RecordOutcome::ok && is_checked && record.time_us.median > 0;
}

std::string now_utc() {
  const std::time_t time = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&time, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

std::string print(const Record& record) {
  if (!record.line.empty()) return record.line;
  internal_check(json::accept(record.config), "the configuration of a record is not JSON");
  json root;
  root["mdh_record"] = this_version;
  root["when"] = record.when;
  root["program"] = {{"text", record.program}, {"key", key_of(record)}};
  root["sizes"] = record.sizes;
  root["types"] = record.types;
  root["machine"] = json_of(record.machine);
  root["target"] = record.target;
  root["config"] = json::parse(record.config);
  root["outcome"] = to_string(record.outcome);
  root["reason"] = record.reason;
  root["time_us"] = {{"median", finite(record.time_us.median)},
                     {"mean", finite(record.time_us.mean)},
                     {"ci99", finite(record.time_us.ci99)},
                     {"n", record.time_us.n}};
  root["verified"] = record.verified;
  root["compiler"] = record.compiler;
  root["version"] = record.version;
  root["seed"] = record.seed;
  if (const double load = std::round(1000 * finite(record.load)) / 1000; load > 0) {
    root["load"] = load;
  }
  if (record.decides) root["decides"] = true;
  const std::string& final_name = final_names()[static_cast<size_t>(record.final_result)];
  if (!final_name.empty()) root["final"] = final_name;
  return one_line(root);
}

std::optional<Record> parse_record(std::string_view line) {
  try {
    json root = json::parse(line);
    std::optional<Record> record = record_from(root);
    if (!record) return std::nullopt;
    const std::string key = key_of(*record);
    if (root["program"].value("key", "") == key) {
      record->line = line;
    } else {
      root["program"]["key"] = key;
      record->line = one_line(root);
    }
    return record;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

bool is_newer_record(std::string_view line) {
  const json root = json::parse(line, nullptr, false);
  if (!root.is_object() || !root.contains("mdh_record")) return false;
  const json& version = root["mdh_record"];
  return version.is_number_integer() && version.get<int64_t>() > this_version;
}

}  // namespace mdh::tune
