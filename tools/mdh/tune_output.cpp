#include "tools/mdh/tune_output.h"

#include <algorithm>

#include "mdh/hl/analysis.h"
#include "mdh/support/text.h"

namespace mdh::tool {
namespace {

double rate(double amount, const tuning::Trial& trial) {
  return amount / (trial.timing.median_us * 1e3);
}

/// Only a final compares with what would run without tuning.
void print_gain(const SearchOutcome& outcome) {
  const tuning::TuneReport& report = outcome.report;
  if (!report.gain) {
    fmt::print("gain        not known: {}\n", report.no_gain_because);
    return;
  }
  const std::string about = *report.gain == 1 ? ", which nothing beat" : "";
  fmt::print(
      "gain        {:.2f} over the {} ({:.4g} us){}\n", *report.gain,
      outcome.is_over_shipped ? "configuration that came with the program" : "untuned choice",
      report.untuned->timing.median_us, about);
}

}  // namespace

Diagnostic nothing_works(const tuning::TuneReport& report) {
  Diagnostic d{.kind = DiagnosticKind::no_candidate, .code = "E880"};
  d.message = "no configuration works";
  for (const auto& [kind, count] : report.failures) {
    const auto first = std::find_if(
        report.trials.begin(), report.trials.end(),
        [&name = kind](const tuning::Trial& trial) { return to_string(trial.outcome) == name; });
    d.notes.push_back(fmt::format("{} {}, the first: {}", count, kind, gist(first->reason)));
  }
  d.hint =
      "'mdh doctor' says whether the compiler works; 'mdh records list --json' has all reasons";
  return d;
}

nlohmann::ordered_json json_of(const Problem& problem, const SearchOutcome& outcome) {
  const tuning::TuneReport& report = outcome.report;
  nlohmann::ordered_json out;
  out["schema"] = "mdh_tune 1";
  out["program"] = problem.program.name;
  out["evaluations"] = report.trials.size();
  out["failures"] = report.failures;
  const tuning::Screening& screening = report.screening;
  out["screening"] = {{"candidates", screening.candidates},
                      {"asking_s", screening.asking},
                      {"compiling_s", screening.compiling},
                      {"measuring_s", screening.measuring}};
  out["recorded"] = outcome.recorded;
  out["stopped_by"] = report.stopped_by;
  out["loaded"] = report.loaded;
  if (report.gain) {
    out["gain"] = *report.gain;
    out["gain_over"] = outcome.is_over_shipped ? "tuned" : "untuned";
    out["untuned_us"] = report.untuned->timing.median_us;
  } else {
    out["no_gain_because"] = report.no_gain_because;
  }
  out["best_us"] = report.best->timing.median_us;
  out["best_was_known"] = report.best_was_known;
  out["verified"] = report.best->verified;
  out["config"] = nlohmann::ordered_json::parse(
      ll::print(with_origin(report.best->config, problem, problem.machine.name)));
  if (!outcome.shipped.empty()) out["shipped"] = outcome.shipped;
  return out;
}

void print_text(const Problem& problem, const SearchOutcome& outcome) {
  const tuning::TuneReport& report = outcome.report;
  const tuning::Trial& best = *report.best;
  std::vector<std::string> failures;
  for (const auto& [kind, count] : report.failures) {
    failures.push_back(fmt::format("{} {}", count, kind));
  }
  fmt::print("program     {} {}\n", problem.program.name, problem.sizes);
  fmt::print("tried       {} configurations{}\n", report.trials.size(),
             failures.empty() ? "" : ", failed: " + join(failures, ", "));
  fmt::print("best        {:.4g} us, {:.4g} GFLOP/s, {:.4g} GB/s, verified: {}{}\n",
             best.timing.median_us,
             rate(static_cast<double>(hl::operations(problem.program)), best),
             rate(static_cast<double>(hl::bytes(problem.program)), best), best.verified,
             report.best_was_known ? ", known before" : "");
  print_gain(outcome);
  if (report.loaded > 0) {
    fmt::print("load        {} times were taken while other programs used the cores\n",
               report.loaded);
  }
  const tuning::Screening& s = report.screening;
  if (s.candidates > 0) {
    fmt::print(
        "screened    {}, {:.3g} a second: {:.2g} s asking, {:.2g} s compiling, {:.2g} s "
        "measuring\n",
        s.candidates, static_cast<double>(s.candidates) / s.seconds(), s.asking, s.compiling,
        s.measuring);
  }
  if (!outcome.records.empty()) fmt::print("recorded    {}\n", outcome.records);
  if (!outcome.shipped.empty()) fmt::print("shipped     {}\n", outcome.shipped);
}

}  // namespace mdh::tool
