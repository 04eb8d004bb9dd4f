// Random triples through the back ends.
#pragma once

#include <string>
#include <vector>

#include "mdh/runtime/device.h"
#include "mdh/runtime/host/library.h"
#include "tests/campaign/standalone.h"
#include "tests/property/triples.h"

namespace mdh::test {

/// A triple, lowered for one target, with its data.
struct Prepared {
  uint64_t seed = 0;
  Triple triple;
  ll::Program low;
  kernel::Module module;
  std::vector<scalar::Array> inputs;
};

/// Nothing for what no back end does; the error says so.
std::optional<Prepared> prepare(const Triple& triple, uint64_t seed, const std::string& target);

/// The targets whose code the emulation takes (tests/emulation/device.h).
std::vector<std::string> emulated_targets();

/// All that `mdh run` may compile a kernel with here - the usual compiler, those of tuned kernels,
/// each with the instruction set of this machine - and first one that is quick.
std::vector<runtime::host::Compiler> compilers_of_run();

/// What is wrong with each of them; empty texts where nothing is. All are compiled together and run
/// twice on poisoned outputs, each with a number of threads of its own.
std::vector<std::string> run_on_openmp(const std::vector<Prepared>& all,
                                       const runtime::host::Compiler& compiler);
std::vector<std::string> run_on_opencl(const std::vector<Prepared>& all);
/// On any device that takes their language, and built for it as one unit.
std::vector<std::string> run_on(const runtime::Device& device, const std::vector<Prepared>& all);

std::vector<std::string> run_sanitized(const std::vector<Prepared>& all,
                                       const Sanitizer& sanitizer);

/// All evaluators of the loop representation, planned and after every pass, on one triple.
std::string run_evaluators(const Triple& triple, uint64_t seed);

/// The triple as files of a test: program, machine, configuration, seed.
std::string describe(const Prepared& one);

}  // namespace mdh::test
