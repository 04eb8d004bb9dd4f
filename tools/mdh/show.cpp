#include <cstdio>

#include "mdh/hl/print.h"
#include "mdh/ll/print.h"
#include "mdh/loop/print.h"
#include "tools/mdh/verbs.h"

namespace mdh::tool {
namespace {

const driver::Target& printable(const Problem& problem) {
  return problem.target->print ? *problem.target : driver::find_target("openmp");
}

}  // namespace

int show(const Request& request, const ShowOptions& options) {
  const Problem problem = resolve(request);
  const bool nothing_asked = !options.ll && !options.plan && !options.loop && !options.source;
  std::vector<std::string> texts;
  if (nothing_asked) {
    texts.push_back(hl::print(problem.program));
  } else {
    const driver::Stages stages = lower_all(problem.program, problem.machine, problem.config.config,
                                            printable(problem), "mdh_" + problem.program.name);
    if (options.ll) texts.push_back(ll::print(stages.low));
    if (options.plan) texts.push_back(loop::print(stages.structured));
    if (options.loop) texts.push_back(loop::print(stages.concrete));
    if (options.source) texts.push_back(stages.module.source);
  }
  for (size_t n = 0; n < texts.size(); ++n) fmt::print("{}{}", n > 0 ? "\n" : "", texts[n]);
  return 0;
}

}  // namespace mdh::tool
