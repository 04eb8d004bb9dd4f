#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/machine_json.h"
#include "bench/model.h"
#include "bench/statistics.h"
#include "mdh/search/first_choice.h"
#include "mdh/support/diagnostic.h"
#include "mdh/support/files.h"
#include "mdh/support/text.h"

namespace mdh::bench {
namespace {

using nlohmann::ordered_json;

/// Of estimate / time.
struct Spread {
  double lower = 0, middle = 0, upper = 0;
};

std::optional<Spread> spread(const ModelReport& report) {
  const std::vector<double> ratios = estimate_ratios(report);
  if (ratios.empty()) return std::nullopt;
  return Spread{quantile(ratios, 0.25), quantile(ratios, 0.5), quantile(ratios, 0.75)};
}

std::string heading(const ModelReport& report) {
  const MachineReport& machine = report.machine;
  std::string text =
      fmt::format("the model on {} configurations of {}{}{}, seed {}, {} threads, mdh {}, {}\n",
                  report.configs.size(), report.program, report.sizes.empty() ? "" : " ",
                  report.sizes, report.seed, report.threads, report.version, machine.date);
  text += fmt::format("{}, {} cores, {}, {}\n", machine.cpu, machine.cores, machine.kind,
                      machine.system);
  return text +
         fmt::format("compiled by {}; rates of the model: {}\n", report.compiler, report.rates);
}

/// How many, and the reason of the first one.
std::string failure_lines(const ModelReport& report) {
  std::string text;
  for (const auto& [kind, count] : failures(report)) {
    const auto first = std::find_if(report.configs.begin(), report.configs.end(),
                                    [&name = kind](const Ranked& r) { return r.outcome == name; });
    text +=
        fmt::format("  {} {}, the first: {}\n", count, kind, split(first->reason, '\n').front());
  }
  return text;
}

ordered_json json_of(const Ranked& ranked) {
  ordered_json row = {{"estimate_us", ranked.estimate_us}};
  row["time_us"] = ranked.is_measured() ? ordered_json(ranked.timing.median_us) : ordered_json();
  row["runs"] = ranked.timing.count;
  row["outcome"] = ranked.outcome;
  row["reason"] = ranked.reason;
  row["verified"] = ranked.verified;
  row["config"] = ordered_json::parse(ll::print(ranked.config));
  return row;
}

}  // namespace

size_t measured_count(const ModelReport& report) {
  return static_cast<size_t>(std::count_if(report.configs.begin(), report.configs.end(),
                                           [](const Ranked& r) { return r.is_measured(); }));
}

std::map<std::string, size_t> failures(const ModelReport& report) {
  std::map<std::string, size_t> counts;
  for (const Ranked& ranked : report.configs) {
    if (!ranked.is_measured()) ++counts[ranked.outcome];
  }
  return counts;
}

std::optional<double> rank_correlation(const ModelReport& report) {
  std::vector<double> estimates, times;
  for (const Ranked& ranked : report.configs) {
    if (!ranked.is_measured()) continue;
    estimates.push_back(ranked.estimate_us);
    times.push_back(ranked.timing.median_us);
  }
  return spearman(estimates, times);
}

std::vector<double> estimate_ratios(const ModelReport& report) {
  std::vector<double> ratios;
  for (const Ranked& ranked : report.configs) {
    if (ranked.is_measured()) ratios.push_back(ranked.estimate_us / ranked.timing.median_us);
  }
  return ratios;
}

std::string to_table(const ModelReport& report) {
  const size_t measured = measured_count(report);
  std::string text = heading(report) + "\n";
  if (report.configs.size() < report.asked) {
    text += fmt::format("drawn             {} of {}: no more were found\n", report.configs.size(),
                        report.asked);
  }
  text += fmt::format("measured          {}\n", measured);
  text += fmt::format("failed            {}\n", report.configs.size() - measured);
  text += failure_lines(report);
  const std::optional<double> correlation = rank_correlation(report);
  text += fmt::format("rank correlation  {}\n",
                      correlation ? fmt::format("{:.3f}", *correlation) : "-");
  if (report.estimates_per_second > 0) {
    text += fmt::format("speed             {:.0f} estimates and {:.0f} validity checks a second\n",
                        report.estimates_per_second, report.checks_per_second);
  }
  const std::optional<Spread> ratio = spread(report);
  return text + fmt::format("estimate / time   {}\n",
                            ratio ? fmt::format("median {:.3g}, quartiles {:.3g} and {:.3g}",
                                                ratio->middle, ratio->lower, ratio->upper)
                                  : "-");
}

std::string to_json(const ModelReport& report) {
  ordered_json out;
  out["schema"] = "mdh_bench_model 1";
  out["program"] = report.program;
  out["sizes"] = report.sizes;
  out["version"] = report.version;
  out["date"] = report.machine.date;
  out["machine"] = json_of(report.machine);
  out["compiler"] = report.compiler;
  out["rates"] = report.rates;
  out["rate_values"] = ordered_json::parse(model::print(report.rate_values));
  out["estimates_per_second"] = report.estimates_per_second;
  out["checks_per_second"] = report.checks_per_second;
  out["threads"] = report.threads;
  out["seed"] = report.seed;
  out["asked"] = report.asked;
  out["drawn"] = report.configs.size();
  out["measured"] = measured_count(report);
  out["failures"] = failures(report);
  const std::optional<double> correlation = rank_correlation(report);
  out["rank_correlation"] = correlation ? ordered_json(*correlation) : ordered_json();
  const std::optional<Spread> ratio = spread(report);
  out["estimate_ratio"] = {};
  if (ratio) {
    out["estimate_ratio"] = {{"median", ratio->middle},
                             {"lower_quartile", ratio->lower},
                             {"upper_quartile", ratio->upper}};
  }
  out["configs"] = ordered_json::array();
  for (const Ranked& ranked : report.configs) out["configs"].push_back(json_of(ranked));
  return out.dump(1) + "\n";
}

namespace {

[[noreturn]] void refuse_report(const std::string& file, const std::string& why) {
  user_error("E849", {},
             fmt::format("'{}' is no report of 'mdh bench model' for this program: {}", file, why),
             "name a file that 'mdh bench model --json FILE' has written, and --program and --size "
             "if they are not the usual ones");
}

Ranked ranked_of(const ordered_json& row, const std::string& file) {
  Ranked ranked{.config = ll::parse_config(row.at("config").dump(), file),
                .outcome = row.at("outcome"),
                .reason = row.at("reason"),
                .verified = row.at("verified")};
  if (ranked.is_measured()) {
    ranked.timing = {.median_us = row.at("time_us"), .count = row.at("runs")};
  }
  return ranked;
}

ModelReport report_of(const ordered_json& in, const std::string& file) {
  ModelReport report{.program = in.at("program"), .sizes = in.at("sizes")};
  report.machine = {.cpu = in.at("machine").at("cpu"), .kind = in.at("machine").at("class")};
  report.machine.cores = in.at("machine").at("cores");
  report.machine.system = in.at("machine").at("system");
  report.machine.date = in.at("date");
  report.version = in.at("version");
  report.compiler = in.at("compiler");
  report.rates = in.at("rates");
  report.threads = in.at("threads");
  report.seed = in.at("seed");
  report.asked = in.at("asked");
  const auto rates = model::parse_rates(in.at("rate_values").dump());
  if (!rates) refuse_report(file, "its rates are not complete");
  report.rate_values = *rates;
  for (const ordered_json& row : in.at("configs")) report.configs.push_back(ranked_of(row, file));
  return report;
}

}  // namespace

ModelReport estimated_again(const std::string& file, const ModelOptions& options) {
  ModelReport report;
  try {
    report = report_of(ordered_json::parse(read_file(file)), file);
  } catch (const nlohmann::json::exception& e) {
    refuse_report(file, e.what());
  }
  const auto expect = [&](const std::string& there, const std::string& here) {
    if (there != here) refuse_report(file, fmt::format("it is about '{}', not '{}'", there, here));
  };
  expect(report.program, options.program.name);
  expect(report.sizes, options.sizes);
  for (Ranked& ranked : report.configs) {
    ranked.estimate_us = search::estimated_cost(options.program, options.candidates.machine,
                                                ranked.config, report.rate_values) /
                         1e3;
  }
  return report;
}

}  // namespace mdh::bench
