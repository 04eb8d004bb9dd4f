// Which instruction sets really run on this machine.
//
// A compiler asked for the native instruction set believes the name of the CPU, and the operating
// system or a virtual machine may have switched parts of it off: the first vector instruction then
// ends the program. So nothing is believed. For each candidate, the strongest first, a program full
// of loops that compilers vectorise is compiled and executed; the first one that runs to its end
// and computes the right numbers has proven its flags.
#pragma once

#include <string>
#include <vector>

#include "mdh/runtime/cache.h"

namespace mdh::runtime::host {

/// Flags to try on an architecture as `uname -m` calls it, strongest first.
std::vector<std::string> isa_candidates(const std::string& architecture);

/// The first of the flags with which the compiler makes a program that runs and is right; an empty
/// text if there is none.
std::string first_isa_that_runs(const std::string& compiler,
                                const std::vector<std::string>& candidates);

/// The proven flags of a compiler on this machine, none if only the baseline runs. The proof is
/// kept in the cache, under the compiler's identity and the model of the CPU.
std::vector<std::string> proven_isa(const std::string& compiler, const Cache& cache);

/// What the system says about the CPU: model and features.
std::string cpu_model();

}  // namespace mdh::runtime::host
