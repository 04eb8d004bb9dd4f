#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/compile.h"
#include "bench/machine_json.h"
#include "bench/statistics.h"
#include "mdh/support/text.h"

namespace mdh::bench {
namespace {

using nlohmann::ordered_json;

bool is_measured(const CompileWay& way) {
  return way.absence.empty() && !way.round_seconds.empty();
}

/// The cheapest way that compiles all variants at once; none if none was measured.
const CompileWay* cheapest(const CompileReport& report) {
  const CompileWay* best = nullptr;
  for (size_t n = 1; n < report.ways.size(); ++n) {
    const CompileWay& way = report.ways[n];
    if (ratio(report, way) <= 0) continue;
    if (best == nullptr || ratio(report, way) < ratio(report, *best)) best = &way;
  }
  return best;
}

std::string verdict(const CompileReport& report) {
  const CompileWay* best = cheapest(report);
  if (best == nullptr) return "nothing to compare\n";
  const double value = ratio(report, *best);
  return fmt::format("cheapest: {}, {:.2f} of {}; the target, at most {:.2f}, is {}\n", best->name,
                     value, report.ways.front().name, screening_target,
                     value <= screening_target ? "reached" : "not reached");
}

std::string notes(const CompileReport& report) {
  std::string text = fmt::format("variants (register tiles): {}\n", join(report.variants, "; "));
  const auto [least, most] =
      std::minmax_element(report.source_bytes.begin(), report.source_bytes.end());
  if (least != report.source_bytes.end()) {
    text += fmt::format("source: {} to {} bytes each\n", *least, *most);
  }
  for (const CompileWay& way : report.ways) {
    text += fmt::format("{}: {}\n", way.name, way.absence.empty() ? way.command : way.absence);
  }
  return text;
}

}  // namespace

double ratio(const CompileReport& report, const CompileWay& way) {
  const CompileWay& base = report.ways.front();
  if (!is_measured(base) || !is_measured(way)) return 0;
  return median_ratio(way.round_seconds, base.round_seconds);
}

std::string to_table(const CompileReport& report) {
  const MachineReport& machine = report.machine;
  std::string text =
      fmt::format("compiling {} variants of {}, mdh {}, {}\n", report.variants.size(),
                  report.workload, report.version, machine.date);
  text += fmt::format("{}, {} cores, {}, {}\n\n", machine.cpu, machine.cores, machine.kind,
                      machine.system);
  std::vector<std::vector<std::string>> rows = {{"way", "CPU ms per variant", "ratio"}};
  for (const CompileWay& way : report.ways) {
    const double value = ratio(report, way);
    rows.push_back(
        {way.name,
         is_measured(way) ? fmt::format("{:.1f}", 1e3 * median(way.round_seconds)) : "absent",
         value > 0 ? fmt::format("{:.2f}", value) : "-"});
  }
  return text + aligned(rows, Align::right) + "\n" + verdict(report) + "\n" + notes(report);
}

std::string to_json(const CompileReport& report) {
  ordered_json out;
  out["schema"] = "mdh_bench_compile 1";
  out["workload"] = report.workload;
  out["version"] = report.version;
  out["date"] = report.machine.date;
  out["machine"] = json_of(report.machine);
  out["variants"] = report.variants;
  out["source_bytes"] = report.source_bytes;
  out["target"] = screening_target;
  const CompileWay* best = cheapest(report);
  out["cheapest"] = best != nullptr ? ordered_json(best->name) : ordered_json();
  out["cheapest_ratio"] = best != nullptr ? ordered_json(ratio(report, *best)) : ordered_json();
  out["ways"] = ordered_json::array();
  for (const CompileWay& way : report.ways) {
    ordered_json row = {{"name", way.name}, {"command", way.command}, {"absence", way.absence}};
    row["ratio"] = ratio(report, way);
    row["round_cpu_seconds"] = way.round_seconds;
    out["ways"].push_back(row);
  }
  return out.dump(1) + "\n";
}

}  // namespace mdh::bench
