#include "mdh/driver/development.h"

#include "mdh/loop/parse.h"
#include "mdh/loop/print.h"
#include "mdh/loop/verify.h"
#include "mdh/passes/lower/lower.h"
#include "mdh/passes/pipeline.h"
#include "mdh/passes/plan/plan.h"
#include "mdh/support/files.h"
#include "mdh/support/text.h"

namespace mdh::driver {
namespace {

passes::Pass find_pass(const std::string& name, const std::vector<passes::Teams>& pipelines,
                       std::vector<std::string> known = {}) {
  for (const passes::Teams teams : pipelines) {
    for (const passes::Pass& pass : passes::pipeline(teams)) {
      if (pass.name == name) return pass;
      known.push_back(pass.name);
    }
  }
  user_error("E813", {}, fmt::format("there is no pass '{}'", name), suggestion(name, known));
}

std::string table_of(passes::Teams teams, const char* title) {
  std::string text = title;
  for (const passes::Pass& pass : passes::pipeline(teams)) {
    text += fmt::format("  {:14}{}\n", pass.name, pass.summary);
  }
  return text;
}

}  // namespace

std::string run_pass(const std::string& pass, const std::string& file) {
  const passes::Pass found = find_pass(pass, {passes::Teams::one, passes::Teams::nested});
  const loop::Program result = found.run(loop::parse(read_file(file), file));
  loop::verify(result);
  return loop::print(result);
}

std::string print_after(const std::string& pass, const hl::Program& program,
                        const machine::Machine& machine, const ll::Config& config,
                        const Target& target) {
  const bool all = pass == "all";
  if (!all) find_pass(pass, {target.facts.teams}, {"all"});
  const loop::Program planned = passes::plan(passes::lower(program, machine, config), machine);
  loop::Program before = planned, last = planned;
  std::string each;
  passes::run_pipeline(planned, target.facts, [&](const passes::Pass& ran, const auto& now) {
    each += fmt::format("// after {}", ran.name);
    each += now == before ? ": unchanged\n" : "\n" + loop::print(now);
    before = now;
    if (ran.name == pass) last = now;
  });
  return all ? each : loop::print(last);
}

std::string list_passes() {
  return table_of(passes::Teams::one, "openmp: one team of all cores\n") +
         table_of(passes::Teams::nested, "opencl: a grid of teams\n");
}

}  // namespace mdh::driver
