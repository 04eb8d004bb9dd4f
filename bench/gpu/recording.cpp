#include "bench/gpu/recording.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <nlohmann/json.hpp>

#include "bench/statistics.h"
#include "mdh/support/diagnostic.h"
#include "mdh/support/text.h"

namespace mdh::bench::gpu {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char* schema = "mdh_bench_gpu 1";

constexpr std::array<std::pair<Standing, const char*>, 4> standings = {
    {{Standing::measured, "measured"},
     {Standing::absent, "absent"},
     {Standing::failed, "failed"},
     {Standing::wrong, "wrong"}}};

constexpr std::array<std::pair<PeerKind, const char*>, 5> kinds = {
    {{PeerKind::mdh, "mdh"},
     {PeerKind::library, "library"},
     {PeerKind::plain, "plain"},
     {PeerKind::user, "user"},
     {PeerKind::other_target, "other target"}}};

template <class T, size_t count>
std::string name_in(const std::array<std::pair<T, const char*>, count>& table, T value) {
  for (const auto& [one, name] : table) {
    if (one == value) return name;
  }
  return "";
}

/// A json::exception if nothing has that name.
template <class T, size_t count>
T named_in(const std::array<std::pair<T, const char*>, count>& table, const json& name) {
  for (const auto& [one, text] : table) {
    if (name == text) return one;
  }
  throw json::type_error::create(302, "unknown name " + name.dump(), nullptr);
}

/// Infinity is no number in JSON.
ordered_json number(double value) {
  return std::isfinite(value) ? ordered_json(value) : ordered_json("infinite");
}

double number_from(const json& in) { return in.is_string() ? INFINITY : in.get<double>(); }

/// For people and other programs; what is read back are the rounds.
ordered_json times_json(const std::vector<double>& rounds) {
  return {{"median_us", median(rounds)},
          {"quartiles_us", {quantile(rounds, 0.25), quantile(rounds, 0.75)}},
          {"round_us", rounds}};
}

ordered_json to_json(const Entry& entry) {
  ordered_json out;
  out["name"] = entry.name;
  out["kind"] = name_in(kinds, entry.kind);
  out["standing"] = name_in(standings, entry.standing);
  out["about"] = entry.about;
  out["note"] = entry.note;
  if (!entry.config_hash.empty()) out["config_hash"] = entry.config_hash;
  if (entry.standing != Standing::measured) return out;
  out["verified"] = entry.verified;
  out["exact_on_whole_numbers"] = entry.is_exact;
  if (entry.deviation) out["max_deviation_from_f64"] = number(*entry.deviation);
  out["max_deviation_of_samples"] = number(entry.sampled_deviation);
  if (!entry.warm_us.empty()) out["warm"] = times_json(entry.warm_us);
  if (!entry.cold_us.empty()) out["cold"] = times_json(entry.cold_us);
  return out;
}

Entry entry_from(const json& in) {
  Entry entry{.name = in.at("name"),
              .kind = named_in(kinds, in.at("kind")),
              .standing = named_in(standings, in.at("standing")),
              .about = in.at("about"),
              .note = in.at("note"),
              .config_hash = in.value("config_hash", ""),
              .verified = in.value("verified", "none"),
              .is_exact = in.value("exact_on_whole_numbers", false)};
  if (in.contains("max_deviation_from_f64")) {
    entry.deviation = number_from(in.at("max_deviation_from_f64"));
  }
  if (in.contains("max_deviation_of_samples")) {
    entry.sampled_deviation = number_from(in.at("max_deviation_of_samples"));
  }
  if (in.contains("warm")) in.at("warm").at("round_us").get_to(entry.warm_us);
  if (in.contains("cold")) in.at("cold").at("round_us").get_to(entry.cold_us);
  return entry;
}

ordered_json to_json(const Row& row) {
  ordered_json out;
  out["name"] = row.name;
  out["title"] = row.title;
  out["program"] = row.program;
  out["sizes"] = ordered_json::object();
  for (const auto& [name, value] : row.sizes) out["sizes"][name] = value;
  out["operations"] = row.operations;
  out["bytes"] = row.bytes;
  out["largest_result"] = number(row.largest);
  out["candidates"] = ordered_json::array();
  for (const Entry& entry : row.entries) out["candidates"].push_back(to_json(entry));
  return out;
}

Row row_from(const json& in) {
  Row row{.name = in.at("name"), .title = in.at("title"), .program = in.at("program")};
  for (const auto& [name, value] : in.at("sizes").items()) row.sizes.emplace_back(name, value);
  row.operations = in.at("operations");
  row.bytes = in.at("bytes");
  row.largest = number_from(in.at("largest_result"));
  for (const json& entry : in.at("candidates")) row.entries.push_back(entry_from(entry));
  return row;
}

Recording recording_of(const json& in) {
  Recording recording{.version = in.at("version"),
                      .date = in.at("date"),
                      .command = in.at("command"),
                      .device = in.at("device"),
                      .driver = in.at("driver"),
                      .host = in.at("host"),
                      .rounds = in.at("rounds")};
  for (const json& row : in.at("workloads")) recording.rows.push_back(row_from(row));
  return recording;
}

[[noreturn]] void no_recording(const std::string& file, const std::string& why) {
  user_error("E850", {},
             fmt::format("'{}' is not what 'mdh bench gpu --json' writes: {}", file, why),
             "write one with: mdh bench gpu --json FILE");
}

}  // namespace

Row row_of(const Result& result) {
  Row row{.name = result.workload.name,
          .title = result.workload.title,
          .program = result.workload.program,
          .sizes = result.sizes,
          .operations = result.operations,
          .bytes = result.bytes,
          .largest = result.largest};
  for (const Measured& measured : result.candidates) {
    row.entries.push_back({.name = measured.candidate.name,
                           .kind = measured.candidate.kind,
                           .standing = measured.standing,
                           .about = measured.candidate.about,
                           .note = measured.note,
                           .config_hash = measured.candidate.config_hash,
                           .verified = to_string(measured.verification.coverage),
                           .is_exact = measured.verification.exact,
                           .deviation = measured.deviation,
                           .sampled_deviation = measured.verification.max_error,
                           .warm_us = measured.round_us,
                           .cold_us = measured.cold_us});
  }
  return row;
}

std::string to_json(const Recording& recording) {
  ordered_json out;
  out["schema"] = schema;
  out["version"] = recording.version;
  out["date"] = recording.date;
  out["command"] = recording.command;
  out["device"] = recording.device;
  out["driver"] = recording.driver;
  out["host"] = recording.host;
  out["rounds"] = recording.rounds;
  out["workloads"] = ordered_json::array();
  for (const Row& row : recording.rows) out["workloads"].push_back(to_json(row));
  return out.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

Recording recording_from(const std::string& text, const std::string& file) {
  try {
    const json in = json::parse(text);
    if (!in.is_object() || in.value("schema", "") != schema) {
      no_recording(file, fmt::format("it has no \"schema\": \"{}\"", schema));
    }
    return recording_of(in);
  } catch (const json::exception& e) {
    no_recording(file, e.what());
  }
}

std::vector<Row> rows_of(const std::vector<Recording>& recordings) {
  std::vector<Row> rows;
  for (const Recording& recording : recordings) {
    for (const Row& row : recording.rows) {
      const auto known = std::find_if(rows.begin(), rows.end(),
                                      [&](const Row& other) { return other.name == row.name; });
      if (known == rows.end()) {
        rows.push_back(row);
      } else {
        *known = row;
      }
    }
  }
  return rows;
}

}  // namespace mdh::bench::gpu
