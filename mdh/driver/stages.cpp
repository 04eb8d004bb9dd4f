#include "mdh/driver/stages.h"

#include "mdh/hl/analysis.h"
#include "mdh/ll/print.h"
#include "mdh/loop/print.h"
#include "mdh/passes/lower/lower.h"
#include "mdh/passes/pipeline.h"
#include "mdh/passes/plan/plan.h"

namespace mdh::driver {

std::string kernel_name(const hl::Program& program) { return "run_" + program.name; }

Stages lower_all(const hl::Program& program, const machine::Machine& machine,
                 const ll::Config& config, const Target& target, const std::string& name) {
  const ll::Program low = passes::lower(program, machine, config);
  const loop::Program structured = passes::plan(low, machine);
  const loop::Program concrete = passes::run_pipeline(structured, target.facts);
  internal_check(target.print != nullptr, "target '{}' prints no source", target.name);
  kernel::Module module = target.print(concrete, name);
  const ll::KernelCode& code = low.code.kernel;
  if (target.obeys.compiler) {
    module.compiler = code.compiler;
    module.flags = code.flags;
  }
  if (code.contract == ll::Contract::off) module.contract_allowed = false;
  return {low, structured, concrete, std::move(module)};
}

std::string print_stage(const Stages& stages, const std::string& stage) {
  if (stage == "ll") return ll::print(stages.low);
  if (stage == "plan") return loop::print(stages.structured);
  if (stage == "loop") return loop::print(stages.concrete);
  internal_check(stage == "source", "there is no stage '{}'", stage);
  return stages.module.source;
}

std::string stand_alone_source(const Stages& stages, const Target& target) {
  if (!target.with_caller) {
    unsupported("E703", {}, fmt::format("a stand-alone source for the target '{}'", target.name),
                "use --target openmp, or print the kernels alone: --source");
  }
  return target.with_caller(stages.module);
}

int64_t rounding_depth(const ll::Program& low, const machine::Machine& machine) {
  const hl::Program& p = low.computation;
  const auto combines = [&](const hl::Dimension& d) {
    return d.combine.shape != hl::Shape::concatenate;
  };
  int64_t terms = 1;  // that meet in one result
  for (size_t d = 0; d < p.dimensions.size(); ++d) {
    if (combines(p.dimensions[d])) terms *= hl::sizes(p)[d];
  }
  int64_t depth = scalar::depth_of(hl::scalar_function(p));
  int64_t chain = 1;  // values that meet in one accumulator; padding adds none
  for (const ll::TaggedOperator& op : low.recompose) {
    if (!combines(p.dimensions[op.level.dimension])) continue;
    chain = op.parts < terms / chain ? chain * op.parts : terms;
    if (machine.find_layer(op.layer)->kind != machine::LayerKind::cores) continue;
    depth += chain - 1;
    chain = 1;
  }
  return depth + chain - 1;
}

}  // namespace mdh::driver
