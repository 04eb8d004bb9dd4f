#include <cstdio>

#include "mdh/driver/devices.h"
#include "mdh/driver/low_level.h"
#include "mdh/driver/needs.h"
#include "mdh/driver/stages.h"
#include "mdh/hl/analysis.h"
#include "mdh/support/text.h"
#include "tools/mdh/say.h"
#include "tools/mdh/verbs.h"

namespace mdh::tool {
namespace {

void print_buffers(const hl::Program& p) {
  for (const auto* views : {&p.outputs, &p.inputs}) {
    for (const hl::BufferView& view : *views) {
      std::vector<std::string> extents;
      for (const int64_t n : hl::extents(p, view)) extents.push_back(std::to_string(n));
      fmt::print("{} {}: {}[{}]\n", views == &p.outputs ? "output" : "input ", view.symbol.name,
                 to_string(view.type), join(extents, ", "));
      if (views == &p.outputs && !hl::is_injective(p, view)) {
        fmt::print(
            stderr,
            "{}: warning: the index functions of output '{}' are not provably injective; only "
            "the reference runs this program\n",
            to_string(view.where), view.symbol.name);
      }
    }
  }
}

/// Whether tiles can be padded or shifted back is known once there are loops; how much memory groups
/// need besides that for tiles, once there is code.
void check_code(const Problem& problem, const std::string& device, const ll::Config& config) {
  const driver::Target& target = *problem.target;
  const bool has_code = hl::is_concrete(problem.program) && target.print != nullptr;
  const bool has_groups = target.facts.teams == machine::Teams::nested;
  if (!has_code || (config.code.edge.empty() && !has_groups)) return;
  try {
    const driver::Stages stages =
        driver::lower_all(problem.program, problem.machine, config,
                          driver::target_on(target, device), driver::kernel_name(problem.program));
    driver::check_memory_of_groups(stages.module, problem.machine);
  } catch (const Error& e) {
    if (e.diagnostic().kind != DiagnosticKind::unsupported) throw;
  }
}

}  // namespace

int check(const Request& given) {
  Request request = given;
  request.may_be_open = true;
  request.may_lack_device = true;
  const Problem problem = resolve(request);
  const hl::Program& p = problem.program;
  const ll::Config config = with_origin(problem.config.config, problem, problem.machine.name);
  note_unused_if_named(problem, request);
  check_code(problem, request.target, config);
  const driver::Resources needs = driver::resources(p, problem.machine, config);
  if (hl::is_concrete(p)) {
    fmt::print("{}: {} points, {} operations, {} bytes\n", p.name, hl::points(p), hl::operations(p),
               hl::bytes(p));
    print_buffers(p);
  } else {
    fmt::print("{}: for any size\n", p.name);
  }
  fmt::print("{}", needs.counts);
  for (const std::string& warning : needs.warnings) {
    say("mdh: warning: {}\n", warning);
  }
  fmt::print("configuration ({}):\n{}", describe(problem.config), print(config));
  return 0;
}

}  // namespace mdh::tool
