// Results on their way from f to the user's buffers: accumulators, slots, scans.
#pragma once

#include <vector>

#include "mdh/ll/runs.h"
#include "mdh/passes/plan/plan_context.h"

namespace mdh::passes {

struct OutputRun {
  ll::Run run;
  std::vector<Symbol> buffers;   // its accumulators; none for the user's run
  loop::Target target;           // what accumulates into it
  std::vector<Symbol> elements;  // digits that tell its results apart, outermost first
};

struct OutputPlan {
  std::vector<OutputRun> runs;            // from the user's buffers to f
  std::vector<std::string> in_registers;  // accumulators that the decomposition means to be there
  std::vector<Symbol>
      results;  // of f at all points below the common loops, if phases are not fused
  std::vector<loop::Element> written, read;  // these results, as f writes and re-composition reads

  /// What stands before, in and after the loop at a position of re-composition, around `body`.
  loop::Block around(const PlanContext& c, int position, const loop::Block& body) const;

  /// Joins the parts of a scanned loop: at the end of its body, or after it.
  loop::Block at_end_of_body(const PlanContext& c, int position) const;
  loop::Block after_loop(const PlanContext& c, int position) const;

  std::vector<std::pair<int, loop::ScanFix>> fixes;  // of scans on cores, by position
};

/// Adds accumulators to the context's buffers.
OutputPlan plan_outputs(PlanContext& context);

}  // namespace mdh::passes
