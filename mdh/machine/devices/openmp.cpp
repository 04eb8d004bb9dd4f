#include "mdh/machine/devices/devices.h"

namespace mdh::machine {

/// The paper's OpenMP machine. Its regions are hints: caches hold what they please.
Machine openmp() {
  return {.name = "openmp",
          .summary = "the paper's OpenMP machine: MM, L2, L1 | COR; regions are hints",
          .layers = {{"MM", LayerKind::loop, "MM"},
                     {"L2", LayerKind::loop, "L2"},
                     {"L1", LayerKind::loop, "L1"},
                     {"COR", LayerKind::cores, "MM"}},
          .regions = {{"MM", false, ""}, {"L2", false, "COR"}, {"L1", false, "COR"}}};
}

}  // namespace mdh::machine
