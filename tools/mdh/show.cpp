#include <cstdio>

#include "mdh/hl/print.h"
#include "tools/mdh/verbs.h"

namespace mdh::tool {
namespace {

const driver::Target& printable(const Problem& problem) {
  return problem.target->print ? *problem.target : driver::find_target("openmp");
}

}  // namespace

int show(const Request& request, const std::vector<std::string>& stages) {
  const Problem problem = resolve(request);
  if (stages.empty()) {
    fmt::print("{}", hl::print(problem.program));
    return 0;
  }
  const driver::Stages all = lower_all(problem.program, problem.machine, problem.config.config,
                                       printable(problem), driver::kernel_name(problem.program));
  for (size_t n = 0; n < stages.size(); ++n) {
    fmt::print("{}{}", n > 0 ? "\n" : "", print_stage(all, stages[n]));
  }
  return 0;
}

}  // namespace mdh::tool
