#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mdh/model/grid_cost.h"
#include "mdh/model/structure.h"
#include "mdh/passes/lower/lower.h"
#include "mdh/report/markup.h"
#include "mdh/report/sections.h"
#include "mdh/report/time_table.h"
#include "mdh/report/tree.h"
#include "mdh/report/units.h"
#include "mdh/support/text.h"

namespace mdh::report {
namespace {

struct Row {
  std::string name, count, why;
};

/// What there is of a kind and the levels it is made of: "BLK.i 64 × BLK.j 8".
Row counted(const Tree& tree, NodeKind kind, const std::string& name) {
  int64_t count = 1;
  std::vector<std::string> levels;
  for (const TreeNode& node : tree.nodes) {
    if (node.kind != kind) continue;
    count *= node.parts;
    if (node.parts > 1) levels.push_back(fmt::format("{} {}", node.name, node.parts));
  }
  return {name, std::to_string(count), join(levels, " × ")};
}

std::vector<Row> rows_of(const Tree& tree, const model::GridCost& cost,
                         const model::GridRates& rates) {
  const auto warps = std::ceil(cost.threads / static_cast<double>(rates.warp));
  const double at_once = cost.resident * static_cast<double>(rates.multiprocessors);
  std::vector<Row> rows = {counted(tree, NodeKind::blocks, "blocks of the grid"),
                           counted(tree, NodeKind::warps, "parts of a block for its warps"),
                           counted(tree, NodeKind::threads, "parts of those for threads")};
  rows.push_back({"warps of a block", number_text(warps),
                  fmt::format("{} threads in all", number_text(cost.threads))});
  rows.push_back({"shared memory of a block", bytes_text(cost.shared_bytes),
                  "tiles and partial results, estimated"});
  rows.push_back({"registers of a thread", number_text(cost.registers), "estimated"});
  rows.push_back(
      {"blocks of a multiprocessor at a time", number_text(cost.resident),
       fmt::format("occupancy {}: threads there of {} that it has room for",
                   percent_text(cost.resident * cost.threads / static_cast<double>(rates.threads)),
                   rates.threads)});
  rows.push_back(
      {"waves", number_text(cost.groups / at_once),
       fmt::format("{} blocks, {} of them at a time on {} multiprocessors",
                   number_text(cost.groups), number_text(at_once), rates.multiprocessors)});
  return rows;
}

std::string table(const std::vector<Row>& rows) {
  std::string text =
      "<div class=\"figure\">\n<table>\n<thead><tr><th>launch</th><th class=\"number\"></th>"
      "<th></th></tr></thead>\n<tbody>\n";
  for (const Row& row : rows) {
    text += fmt::format("<tr><td>{}</td><td class=\"number\">{}</td><td>{}</td></tr>\n", row.name,
                        escaped(row.count), escaped(row.why));
  }
  return text + "</tbody>\n</table>\n</div>\n";
}

}  // namespace

std::string grid_section(const TuningPage& page) {
  const tuning::Trial& best = *page.report.best;
  const ll::Program low = passes::lower(page.program, page.machine, best.config);
  const ll::Decomposition d(low, page.machine);
  const model::GridRates& rates = page.rates.grid;
  const model::GridCost cost = estimate(model::shape_of(low.computation), d, rates);
  if (!cost.fits) return "";  // the model is wrong about it: it ran
  const Tree tree = tree_of(page.program, page.machine, best.config);
  const std::vector<TimePart> parts = {{"computing", cost.compute},
                                       {"waiting", cost.waiting},
                                       {"second cache", cost.l2},
                                       {"memory", cost.memory},
                                       {"copies that nothing overlaps", cost.alternating},
                                       {"fetching code", cost.code},
                                       {"combining", cost.combining},
                                       {"launches", cost.launches}};
  return section("On the device",
                 "How the best configuration is launched, and what the model of costs expects of "
                 "it. Only the last line is measured. What is slowest decides, so that the parts "
                 "may be more than the total.",
                 table(rows_of(tree, cost, rates)) +
                     time_table("time", parts, cost.total(), best.timing.median_us));
}

}  // namespace mdh::report
