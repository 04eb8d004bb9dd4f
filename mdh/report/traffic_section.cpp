#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mdh/hl/analysis.h"
#include "mdh/model/cost.h"
#include "mdh/model/traffic.h"
#include "mdh/passes/lower/lower.h"
#include "mdh/report/sections.h"
#include "mdh/report/time_table.h"
#include "mdh/report/units.h"

namespace mdh::report {
namespace {

struct Moved {
  std::string to, from;
  double of_core = 0;  // bytes
  double of_all = 0;
  double rate = 0;  // bytes per nanosecond, of one core
};

/// Shares of the work that the busiest core has, and cores that have any.
struct Shares {
  double of_busiest = 1;
  double cores = 1;
};

Shares shares_of(const model::Structure& structure, int cores) {
  double parts = 1;
  for (const ll::NestLoop* loop : structure.cores) parts *= static_cast<double>(loop->parts);
  return {std::ceil(parts / cores), std::min<double>(cores, parts)};
}

std::vector<Moved> moved_by(const model::Work& work) {
  const model::Rates& rates = work.rates;
  const model::Movement movement(work);
  const Shares shares = shares_of(work.structure, rates.cores);
  std::vector<Moved> rows;
  for (size_t n = 1; n < rates.memories.size(); ++n) {
    const model::MemoryRate &to = rates.memories[n - 1], &from = rates.memories[n];
    const double bytes = movement.bytes_into(n - 1) * shares.of_busiest;
    rows.push_back({to.name, from.name, bytes, bytes * shares.cores, from.rate});
  }
  return rows;
}

std::string traffic_table(const std::vector<Moved>& rows, double least) {
  double most = least;
  for (const Moved& row : rows) most = std::max(most, row.of_all);
  std::string text =
      "<div class=\"figure\">\n<table>\n<thead><tr><th>into</th><th>from</th><th "
      "class=\"number\">of one core</th>"
      "<th class=\"number\">of all cores</th><th class=\"number\">rate of one core</th>"
      "<th></th></tr></thead>\n<tbody>\n";
  for (const Moved& row : rows) {
    text += fmt::format(
        "<tr><td>{}</td><td>{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td>"
        "<td class=\"number\">{} GB/s</td>{}</tr>\n",
        row.to, row.from, bytes_text(row.of_core), bytes_text(row.of_all), number_text(row.rate),
        bar(row.of_all / most, "traffic"));
  }
  text += fmt::format(
      "<tr class=\"least\"><td colspan=\"2\">every buffer once</td><td></td>"
      "<td class=\"number\">{}</td><td></td>{}</tr>\n",
      bytes_text(least), bar(least / most, "least"));
  return text + "</tbody>\n</table>\n</div>\n";
}

std::vector<TimePart> parts_of(const model::Cost& cost, const model::Rates& rates) {
  std::vector<TimePart> parts = {{"compute", cost.compute}};
  for (size_t n = 1; n < cost.from.size(); ++n) {
    parts.push_back({"from " + rates.memories[n].name, cost.from[n]});
  }
  parts.push_back({"copies", cost.copies});
  parts.push_back({"partial results", cost.results});
  parts.push_back({"launch and barriers", cost.overhead});
  return parts;
}

}  // namespace

std::string traffic_section(const TuningPage& page) {
  const tuning::Trial& best = *page.report.best;
  const ll::Program low = passes::lower(page.program, page.machine, best.config);
  const ll::Decomposition d(low, page.machine);
  const model::Shape shape = model::shape_of(low.computation);
  const model::Work work(shape, d, page.rates);
  const model::Cost cost = estimate(shape, d, page.rates);
  const std::string text =
      traffic_table(moved_by(work), static_cast<double>(hl::bytes(page.program))) +
      time_table("time of the slowest core", parts_of(cost, page.rates), cost.total(),
                 best.timing.median_us);
  return section("Memory traffic and time, estimated",
                 "What the model of costs expects of the best configuration. Nothing here is "
                 "measured but the last line. Moving data overlaps with computing, so that the "
                 "parts are more than the total.",
                 text);
}

}  // namespace mdh::report
