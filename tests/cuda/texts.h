// CUDA text that compilers are given: what is printed for the catalogue, for the stored
// configurations, and for a program with every function.
#pragma once

#include <string>
#include <vector>

#include "mdh/kernel/module.h"

namespace mdh::test {

struct CudaText {
  std::string name;  // "dot f32 odd"
  kernel::Module module;
};

/// Texts that are compiled together.
struct CudaUnit {
  std::string name;
  std::vector<CudaText> texts;
};

/// The names of all units: one per program of the catalogue - in all its types, at odd and at usual
/// sizes, by the default configuration and at odd sizes by one that is drawn -, one per stored
/// configuration, "measured_..." those that times are told of, and "mathematics".
std::vector<std::string> cuda_unit_names();

CudaUnit cuda_unit(const std::string& name);

}  // namespace mdh::test
