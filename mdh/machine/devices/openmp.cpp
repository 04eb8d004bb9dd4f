#include "mdh/machine/devices/devices.h"

namespace mdh::machine {

namespace {

Layer cores() { return {.name = "COR", .kind = LayerKind::cores, .region = "MM", .barrier = true}; }

}  // namespace

/// The paper's OpenMP machine. Its regions are hints: caches hold what they please.
Machine openmp() {
  return {
      .name = "openmp",
      .summary = "the paper's OpenMP machine: MM, L2, L1 | COR; regions are hints",
      .layers = {{.name = "MM", .region = "MM"},
                 {.name = "L2", .region = "L2"},
                 {.name = "L1", .region = "L1"},
                 cores()},
      .regions = {{.name = "MM"}, {.name = "L2", .owner = "COR"}, {.name = "L1", .owner = "COR"}}};
}

Machine openmp_l3() {
  Machine m = openmp();
  m.name = "openmp_l3";
  m.summary = "OpenMP with a shared cache: MM, L3, L2, L1 | COR";
  m.layers.insert(m.layers.begin() + 1, {.name = "L3", .region = "L3"});
  m.regions.insert(m.regions.begin() + 1, {.name = "L3"});
  return m;
}

Machine openmp_l3_simd() {
  Machine m = openmp_l3();
  m.name = "openmp_l3_simd";
  m.summary = "OpenMP with a shared cache and lanes: MM, L3, L2, L1 | COR, SIMD";
  m.layers.push_back(
      {.name = "SIMD", .kind = LayerKind::replicated, .region = "L1", .lanes = true});
  return m;
}

}  // namespace mdh::machine
