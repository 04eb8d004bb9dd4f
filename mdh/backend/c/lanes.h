// Statements on vectors: the body of Lanes in C.
#pragma once

#include <map>
#include <string>

#include "mdh/backend/c/registers.h"
#include "mdh/backend/c/vector.h"
#include "mdh/loop/program.h"

namespace mdh::backend {

/// Temporaries that are variables here, by name.
using RegisterMap = std::map<std::string, Registers>;

/// Values that are used once, and elements of registers, are printed where they are used.
std::string print_lanes(const loop::Program& p, const loop::Lanes& s, const RegisterMap& registers,
                        ExprPrinter& expressions);

}  // namespace mdh::backend
