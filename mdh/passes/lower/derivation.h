// Why a low-level program computes what the high-level one says: one step per parameter, with the
// property that justifies it.
#pragma once

#include <string>
#include <vector>

#include "mdh/hl/program.h"
#include "mdh/ll/config.h"

namespace mdh::passes {

struct DerivationStep {
  std::string parameter;  // "fuse", "#PRT", "D1", ...
  std::string subject;    // the dimension, level or buffer it is about
  std::string property;   // the law that makes it sound
  friend bool operator==(const DerivationStep&, const DerivationStep&) = default;
};

/// The steps from the program to lower(program, machine, config), in the order of the parameters.
std::vector<DerivationStep> derivation(const hl::Program& program, const machine::Machine& machine,
                                       const ll::Config& config);

std::string print(const std::vector<DerivationStep>& steps);

}  // namespace mdh::passes
