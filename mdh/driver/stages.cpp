#include "mdh/driver/stages.h"

#include <algorithm>
#include <thread>

#include "mdh/hl/analysis.h"
#include "mdh/passes/lower.h"
#include "mdh/passes/pipeline.h"
#include "mdh/passes/plan.h"

namespace mdh::driver {

Stages lower_all(const hl::Program& program, const machine::Machine& machine,
                 const ll::Config& config, const Target& target, const std::string& name) {
  const ll::Program low = passes::lower(program, machine, config);
  const loop::Program structured = passes::plan(low, machine);
  const loop::Program concrete = passes::run_pipeline(structured);
  internal_check(target.print != nullptr, "target '{}' prints no source", target.name);
  return {low, structured, concrete, target.print(concrete, name)};
}

int64_t rounding_depth(const ll::Program& low) {
  int64_t depth = scalar::depth_of(hl::scalar_function(low.computation));
  for (const ll::TaggedOperator& op : low.recompose) {
    if (hl::is_reduced(low.computation.dimensions[op.level.dimension])) depth += op.parts - 1;
  }
  return depth;
}

int available_cores() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

}  // namespace mdh::driver
