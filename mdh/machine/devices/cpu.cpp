#include "mdh/machine/devices/devices.h"

namespace mdh::machine {

/// Our CPU: three caches, a register file and vector lanes inside each core.
Machine cpu() {
  return {.name = "cpu",
          .summary = "a multi-core CPU: MM, L3, L2, L1, REG | COR, SIMD",
          .layers = {{"MM", LayerKind::loop, "MM"},
                     {"L3", LayerKind::loop, "L3"},
                     {"L2", LayerKind::loop, "L2"},
                     {"L1", LayerKind::loop, "L1"},
                     {"REG", LayerKind::replicated, "REG"},
                     {"COR", LayerKind::cores, "MM"},
                     {"SIMD", LayerKind::replicated, "REG", true}},
          .regions = {{"MM", false, ""},
                      {"L3", true, ""},
                      {"L2", true, "COR"},
                      {"L1", true, "COR"},
                      {"REG", true, "COR"}}};
}

}  // namespace mdh::machine
