#include "mdh/driver/development.h"

#include <algorithm>

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

/// What a pass does, and below it why it stands there.
std::string row_of(const passes::Pass& pass) {
  return fmt::format("  {:18}{}\n  {:18}({})\n", pass.name, pass.summary, "", pass.why);
}

/// The targets that are printed for such teams.
std::string names_with(passes::Teams teams) {
  std::vector<std::string> names;
  for (const Target& target : targets()) {
    if (target.print && target.facts.teams == teams) names.push_back(target.name);
  }
  return join(names, ", ");
}

bool has_pass(const std::vector<passes::Pass>& pipeline, const std::string& name) {
  return std::any_of(pipeline.begin(), pipeline.end(),
                     [&](const passes::Pass& pass) { return pass.name == name; });
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
  const std::vector<passes::Pass>& one = passes::pipeline(passes::Teams::one);
  std::string text = names_with(passes::Teams::one) + ": one team of all cores\n";
  for (const passes::Pass& pass : one) text += row_of(pass);
  text += names_with(passes::Teams::nested) +
          ": a grid of teams, the same but for form-teams, in whose place are\n";
  for (const passes::Pass& pass : passes::pipeline(passes::Teams::nested)) {
    if (!has_pass(one, pass.name)) text += row_of(pass);
  }
  return text;
}

}  // namespace mdh::driver
