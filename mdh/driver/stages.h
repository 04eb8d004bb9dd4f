// The way of a program: every stage from the computation to source text.
#pragma once

#include <string>

#include "mdh/driver/target.h"
#include "mdh/hl/program.h"
#include "mdh/kernel/module.h"
#include "mdh/ll/config.h"
#include "mdh/ll/program.h"
#include "mdh/loop/program.h"
#include "mdh/machine/machine.h"

namespace mdh::driver {

struct Stages {
  ll::Program low;
  loop::Program structured;
  loop::Program concrete;
  kernel::Module module;
};

/// The C name of a program's kernel; no helper of printed code and no keyword is called that.
std::string kernel_name(const hl::Program& program);

/// Lowers a concrete program with a valid configuration. `name` is the C name of the kernel.
Stages lower_all(const hl::Program& program, const machine::Machine& machine,
                 const ll::Config& config, const Target& target, const std::string& name);

/// The stages that have a text form, by name: "ll", "plan" (structured loops), "loop" (concrete
/// loops), "source".
std::string print_stage(const Stages& stages, const std::string& stage);

/// The source and a plain function around it. "Not supported" where the target has none.
std::string stand_alone_source(const Stages& stages, const Target& target);

/// Longest chain of roundings on the way to a result: the operations of f, then one per value that
/// an accumulator takes in. Loops one inside the other share an accumulator, so their parts
/// multiply; inside a reduction over cores every core begins one of its own.
int64_t rounding_depth(const ll::Program& low, const machine::Machine& machine);

}  // namespace mdh::driver
