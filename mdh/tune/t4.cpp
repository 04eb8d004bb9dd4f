#include "mdh/tune/t4.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "mdh/support/text.h"

namespace mdh::tune {
namespace {

using json = nlohmann::ordered_json;

constexpr const char* schema_version = "1.0.0";

// ---- writing

/// "COR 2" of "split.d1" is "split.d1.COR": 2, a number that models can learn from.
bool add_part(const std::string& name, const json& element, json& flat) {
  if (!element.is_string() || !name.starts_with("split.")) return false;
  const std::vector<std::string> words = split(element.get<std::string>(), ' ');
  long long parts = 0;
  if (words.size() != 2 || !to_integer(words[1], parts)) return false;
  flat[name + "." + words[0]] = parts;
  return true;
}

std::string text_of(const json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// The parameters of a configuration, one level deep.
void flatten(const std::string& name, const json& value, json& flat) {
  if (value.is_object()) {
    const std::string before = name.empty() ? "" : name + ".";
    for (const auto& [field, inner] : value.items()) flatten(before + field, inner, flat);
  } else if (value.is_array()) {
    std::vector<std::string> texts;
    for (const json& element : value) {
      if (!add_part(name, element, flat)) texts.push_back(text_of(element));
    }
    if (!texts.empty()) flat[name] = join(texts, ", ");
  } else {
    flat[name] = value;
  }
}

json parameters_of(const json& config) {
  json flat = json::object();
  flatten("", config, flat);
  return flat;
}

/// The schema has no word for a kernel that needs too much memory: it fails when it runs.
std::string invalidity_of(RecordOutcome outcome) {
  switch (outcome) {
    case RecordOutcome::ok:
      return "correct";
    case RecordOutcome::compile_error:
      return "compile";
    case RecordOutcome::timeout:
      return "timeout";
    case RecordOutcome::wrong:
      return "correctness";
    case RecordOutcome::spills:  // it was compiled, and left out
      return "constraints";
    case RecordOutcome::crash:
    case RecordOutcome::out_of_memory:
      return "runtime";
  }
  internal_check(false, "unknown outcome");
  return {};
}

json result_of(const Record& record) {
  const json whole = json::parse(print(record));
  json result{{"timestamp", record.when}, {"configuration", parameters_of(whole.at("config"))}};
  result["objectives"] = {"time"};
  json runtimes = json::array(), measurements = json::array();
  if (record.time_us.median > 0) {
    const double milliseconds = record.time_us.median / 1000;
    runtimes.push_back(milliseconds);
    measurements.push_back({{"name", "time"}, {"value", milliseconds}, {"unit", "ms"}});
  }
  result["times"]["runtimes"] = runtimes;
  result["invalidity"] = invalidity_of(record.outcome);
  result["correctness"] = is_proven(record) ? 1 : 0;
  result["measurements"] = measurements;
  result["mdh"] = whole;
  return result;
}

json metadata_of(const std::vector<Record>& records) {
  json machines = json::array();
  for (const Record& record : records) {
    const json machine = json::parse(print(record)).at("machine");
    if (std::find(machines.begin(), machines.end(), machine) == machines.end()) {
      machines.push_back(machine);
    }
  }
  return {{"timeunit", "milliseconds"}, {"hardware", {{"hardware_description", machines}}}};
}

// ---- reading

[[noreturn]] void refuse(const std::string& file, const std::string& message) {
  user_error("E874", {}, fmt::format("'{}' is not read: {}", file, message),
             "'mdh records export --t4 F' writes files that are");
}

void check_version(const json& root, const std::string& file) {
  const std::string version = root.contains("schema_version") && root["schema_version"].is_string()
                                  ? root["schema_version"].get<std::string>()
                                  : "";
  long long major = 0;
  if (!to_integer(version.substr(0, version.find('.')), major)) {
    refuse(file, "it has no \"schema_version\" such as \"1.0.0\"");
  }
  if (major > 1) {
    refuse(file, fmt::format("its schema is of version {}, and this mdh knows version 1", version));
  }
}

}  // namespace

std::string to_t4(const std::vector<Record>& records) {
  json root{{"schema_version", schema_version}, {"metadata", metadata_of(records)}};
  root["results"] = json::array();
  for (const Record& record : records) root["results"].push_back(result_of(record));
  return root.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

bool is_t4(std::string_view text) {
  const json root = json::parse(text, nullptr, false);
  return root.is_object() && root.contains("results");
}

Contents from_t4(std::string_view text, const std::string& file) {
  const json root = json::parse(text, nullptr, false);
  const bool has_results =
      root.is_object() && root.contains("results") && root["results"].is_array();
  if (!has_results) refuse(file, "it is no JSON object with a list of \"results\"");
  check_version(root, file);
  Contents contents;
  for (const json& result : root["results"]) {
    const bool is_ours = result.is_object() && result.contains("mdh");
    const std::string line =
        is_ours ? result["mdh"].dump(-1, ' ', false, json::error_handler_t::replace) : "";
    if (std::optional<Record> record = parse_record(line)) {
      contents.records.push_back(std::move(*record));
    } else if (is_newer_record(line)) {
      contents.newer.push_back(line);
    } else {
      ++contents.unreadable;
    }
  }
  return contents;
}

}  // namespace mdh::tune
