// The program that proves an instruction set.
#pragma once

#include <string>

namespace mdh::runtime::host {

/// C that ends with exit code 0 if its loops, vectorised as the compiler likes, compute what they
/// should, and if the CPU has what the compiler took for granted.
const std::string& isa_program();

}  // namespace mdh::runtime::host
