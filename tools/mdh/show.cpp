#include <algorithm>
#include <cstdio>

#include "mdh/driver/development.h"
#include "mdh/driver/devices.h"
#include "mdh/driver/low_level.h"
#include "mdh/driver/needs.h"
#include "mdh/driver/rates.h"
#include "mdh/hl/print.h"
#include "mdh/support/cores.h"
#include "tools/mdh/verbs.h"

namespace mdh::tool {
namespace {

/// What code is made for, and where: text is that of the device, if it is there or described.
struct Place {
  const driver::Target& target;
  std::string device;

  driver::Target on_device() const { return driver::target_on(target, device); }
};

Place printable(const Problem& problem, const std::string& device) {
  if (problem.target->print) return {*problem.target, device};
  return {driver::usual_target(), ""};
}

/// Stages of the low level need no code: they show what code generation may still refuse.
std::string text_of(const Problem& problem, const std::string& device, const std::string& stage) {
  const ll::Config& config = problem.config.config;
  if (driver::is_low_level_stage(stage)) {
    // Measured where they are not known, which takes half a second.
    const model::Rates rates =
        stage == "cost"
            ? driver::rates_on(*problem.target, device, problem.machine, available_cores())
            : model::Rates{};
    return driver::print_low_level(problem.program, problem.machine, config, stage, rates);
  }
  const Place place = printable(problem, device);
  if (stage == "resources") {
    return driver::print_needs(problem.program, problem.machine, config, place.target,
                               place.device);
  }
  const driver::Target target = place.on_device();
  const driver::Stages stages = lower_all(problem.program, problem.machine, config, target,
                                          driver::kernel_name(problem.program));
  return stage == "stand-alone" ? stand_alone_source(stages, target) : print_stage(stages, stage);
}

std::string text_after(const Problem& problem, const std::string& device, const std::string& pass) {
  return driver::print_after(pass, problem.program, problem.machine, problem.config.config,
                             printable(problem, device).on_device());
}

}  // namespace

int show(const Request& given, const std::vector<std::string>& stages, const std::string& after) {
  Request request = given;
  request.needs_config = !stages.empty() || !after.empty();
  request.may_be_open =
      after.empty() && std::all_of(stages.begin(), stages.end(), driver::is_low_level_stage);
  request.may_lack_device = true;
  const Problem problem = resolve(request);
  if (!request.needs_config) {
    fmt::print("{}", hl::print(problem.program));
    return 0;
  }
  note_unused_if_named(problem, request);
  for (size_t n = 0; n < stages.size(); ++n) {
    fmt::print("{}{}", n > 0 ? "\n" : "", text_of(problem, request.target, stages[n]));
  }
  if (!after.empty()) {
    fmt::print("{}{}", stages.empty() ? "" : "\n", text_after(problem, request.target, after));
  }
  return 0;
}

}  // namespace mdh::tool
