#include <cstdio>

#include "mdh/hl/print.h"
#include "mdh/ll/footprint.h"
#include "mdh/ll/print.h"
#include "mdh/ll/table.h"
#include "mdh/passes/derivation.h"
#include "mdh/passes/lower.h"
#include "tools/mdh/verbs.h"

namespace mdh::tool {
namespace {

const driver::Target& printable(const Problem& problem) {
  return problem.target->print ? *problem.target : driver::find_target("openmp");
}

/// Stages of the low level need no code: they show what code generation may still refuse.
std::string text_of(const Problem& problem, const std::string& stage) {
  const ll::Config& config = problem.config.config;
  if (stage == "derivation") {
    return print(passes::derivation(problem.program, problem.machine, config));
  }
  if (stage == "ll" || stage == "table" || stage == "footprint") {
    const ll::Program low = passes::lower(problem.program, problem.machine, config);
    if (stage == "ll") return ll::print(low);
    if (stage == "table") return ll::print_table(config, low.computation, problem.machine);
    return print(ll::footprint(low, problem.machine, config.code), low);
  }
  return print_stage(lower_all(problem.program, problem.machine, config, printable(problem),
                               driver::kernel_name(problem.program)),
                     stage);
}

}  // namespace

int show(const Request& request, const std::vector<std::string>& stages) {
  const Problem problem = resolve(request);
  if (stages.empty()) {
    fmt::print("{}", hl::print(problem.program));
    return 0;
  }
  for (size_t n = 0; n < stages.size(); ++n) {
    fmt::print("{}{}", n > 0 ? "\n" : "", text_of(problem, stages[n]));
  }
  return 0;
}

}  // namespace mdh::tool
