#include <fmt/format.h>

#include "mdh/hl/analysis.h"
#include "mdh/report/markup.h"
#include "mdh/report/sections.h"
#include "mdh/report/units.h"
#include "mdh/support/text.h"

namespace mdh::report {
namespace {

using Rows = std::vector<std::pair<std::string, std::string>>;

template <class Pairs>
std::string assignments(const Pairs& pairs) {
  std::vector<std::string> texts;
  for (const auto& [name, value] : pairs) texts.push_back(fmt::format("{} = {}", name, value));
  return join(texts, ", ");
}

/// Numbers that are read first, with what they mean below.
std::string tile(const std::string& value, const std::string& meaning) {
  return fmt::format("<div class=\"tile\"><b>{}</b><span>{}</span></div>\n", escaped(value),
                     escaped(meaning));
}

std::string tiles(const TuningPage& page) {
  const tuning::TuneReport& report = page.report;
  std::string text = "<div class=\"tiles\">\n";
  if (report.best) {
    const double us = report.best->timing.median_us;
    const auto rate = [&](int64_t amount) {
      return number_text(static_cast<double>(amount) / us / 1e3);
    };
    text += tile(time_text(us), "best time, median");
    if (hl::operations(page.program) > 0) {
      text += tile(rate(hl::operations(page.program)) + " GFLOP/s", "operations");
    }
    text += tile(rate(hl::bytes(page.program)) + " GB/s", "every buffer once");
    if (report.gain && report.untuned) {
      text += tile(fmt::format("{:.2f}×", *report.gain),
                   "as fast as untuned, " + time_text(report.untuned->timing.median_us));
    }
  } else {
    text += tile("none", "no configuration works");
  }
  return text + "</div>\n";
}

std::string hardware_text(const tune::MachineIdentity& hardware) {
  std::vector<std::string> parts = {hardware.vendor + " " + hardware.model,
                                    fmt::format("{} cores", hardware.cores), hardware.isa};
  for (const auto& [name, bytes] : hardware.caches) {
    parts.push_back(name + " " + bytes_text(static_cast<double>(bytes)));
  }
  return join(parts, ", ");
}

size_t failures_of(const tuning::TuneReport& report) {
  size_t sum = 0;
  for (const auto& [kind, count] : report.failures) sum += count;
  return sum;
}

std::string compiler_text(const ll::KernelCode& kernel) {
  std::vector<std::string> words = {kernel.compiler.empty() ? "default" : kernel.compiler};
  words.insert(words.end(), kernel.flags.begin(), kernel.flags.end());
  return join(words, " ");
}

/// "2026-11-15T17:20:25Z" for people.
std::string date_text(std::string when) {
  if (when.size() != 20 || when[10] != 'T' || when[19] != 'Z') return when;
  when[10] = ' ';
  return when.substr(0, 19) + " UTC";
}

Rows rows_of(const TuningPage& page) {
  const tuning::TuneReport& report = page.report;
  Rows rows;
  rows.emplace_back("Machine", fmt::format("{}, {} thread{}", page.machine.name, page.threads,
                                           page.threads == 1 ? "" : "s"));
  rows.emplace_back("Hardware", hardware_text(page.hardware));
  rows.emplace_back("Date", date_text(page.when));
  rows.emplace_back("Budget", page.budget + ", ended by: " + report.stopped_by);
  rows.emplace_back("Technique", fmt::format("{}, seed {}", page.technique, page.seed));
  rows.emplace_back("Evaluations",
                    fmt::format("{}, {} failed", report.trials.size(), failures_of(report)));
  if (report.best && !report.gain) {
    rows.emplace_back("Gain", "not known: " + report.no_gain_because);
  }
  if (report.loaded > 0) {
    rows.emplace_back("Load", fmt::format("{} times were taken while other programs used the cores",
                                          report.loaded));
  }
  if (!page.choices.empty()) rows.emplace_back("Decided", join(page.choices, " "));
  if (report.best) {
    rows.emplace_back("Verified", report.best->verified);
    rows.emplace_back("Compiler", compiler_text(report.best->config.code.kernel));
  }
  return rows;
}

const std::string& first_reason(const tuning::TuneReport& report, const std::string& kind) {
  static const std::string none;
  for (const tuning::Trial& trial : report.trials) {
    if (!trial.is_good() && to_string(trial.outcome) == kind) return trial.reason;
  }
  return none;
}

std::string failures_table(const tuning::TuneReport& report) {
  if (report.failures.empty()) return {};
  std::string text =
      "<table>\n<thead><tr><th>failed</th><th class=\"number\">times</th>"
      "<th>the first one</th></tr></thead>\n<tbody>\n";
  for (const auto& [kind, count] : report.failures) {
    text += fmt::format(
        "<tr><td>{}</td><td class=\"number\">{}</td><td class=\"reason\">{}</td></tr>\n",
        escaped(kind), count, escaped(shortened(first_reason(report, kind), 240)));
  }
  return text + "</tbody>\n</table>\n";
}

}  // namespace

std::string summary_section(const TuningPage& page) {
  std::string text = fmt::format(
      "<header>\n<p class=\"kind\">Tuning report</p>\n<h1>{}</h1>\n<p class=\"problem\">{}</p>\n",
      escaped(page.program.name),
      escaped(join({assignments(page.sizes), assignments(page.types)},
                   page.sizes.empty() || page.types.empty() ? "" : " · ")));
  text += tiles(page) + "<dl>\n";
  for (const auto& [name, value] : rows_of(page)) {
    text += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", name, escaped(value));
  }
  return text + "</dl>\n" + failures_table(page.report) + "</header>\n";
}

}  // namespace mdh::report
