// What a pass is: a function from programs to programs, and what the pipeline knows about it.
#pragma once

#include <set>
#include <string>
#include <variant>

#include "mdh/loop/program.h"
#include "mdh/machine/target_facts.h"
#include "mdh/passes/properties.h"

namespace mdh::passes {

using machine::TargetFacts;
using machine::Teams;

/// The function of a pass. Few passes depend on the target; only those take its facts.
class PassFunction {
 public:
  using Plain = loop::Program (*)(const loop::Program&);
  using Asking = loop::Program (*)(const loop::Program&, const TargetFacts&);

  // Not explicit, so that a table names functions of both kinds alike.
  PassFunction(Plain function) : function_(function) {}
  PassFunction(Asking function) : function_(function) {}

  loop::Program operator()(const loop::Program& program, const TargetFacts& facts = {}) const {
    if (const auto* asking = std::get_if<Asking>(&function_)) return (*asking)(program, facts);
    return std::get<Plain>(function_)(program);
  }

 private:
  std::variant<Plain, Asking> function_;
};

/// A row of the pipeline.
struct Pass {
  std::string name;  // as on the command line
  std::string summary;
  std::string why;  // it stands where it stands: what must be before or after it, for what reason
  PassFunction run;
  std::set<Property> needs = {};  // of what it is given
  std::set<Property> gives = {};  // no later pass takes it away
};

}  // namespace mdh::passes
