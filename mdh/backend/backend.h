// A back end: one language in which programs are printed, and what is known about it before
// anything runs. How the printed code gets onto a device is the business of a runtime
// (runtime/device.h); a row of the table of targets (driver/target.cpp) joins the two.
#pragma once

#include <functional>
#include <string>

#include "mdh/kernel/module.h"
#include "mdh/ll/obeys.h"
#include "mdh/loop/program.h"
#include "mdh/machine/target_facts.h"

namespace mdh::backend {

/// Which decisions of a configuration have an effect on what is printed: so these are the choices
/// that a back end adds to the spaces of searches.
using ll::Obeys;

struct Backend {
  std::string name;
  std::string summary;
  std::string machine;  // the machine it is configured for unless the user names one
  machine::TargetFacts facts;
  Obeys obeys;
  /// Source text and how to call it; none for the reference, which is interpreted. A test may print
  /// something else.
  std::function<kernel::Module(const loop::Program&, const std::string& name)> print;
  /// The source with a plain function around it, which programs that know nothing of mdh can call.
  /// None where nobody has built that yet.
  std::function<std::string(const kernel::Module&)> with_caller;
};

}  // namespace mdh::backend
