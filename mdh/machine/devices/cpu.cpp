#include "mdh/machine/devices/devices.h"

namespace mdh::machine {

/// Our CPU: three caches, a register file and vector lanes inside each core. Caches are hints
/// unless a layout asks for a copy; registers are what code names.
Machine cpu() {
  return {
      .name = "cpu",
      .summary = "a multi-core CPU: MM, L3, L2, L1, REG | COR, SIMD",
      .layers = {{.name = "MM", .region = "MM"},
                 {.name = "L3", .region = "L3"},
                 {.name = "L2", .region = "L2"},
                 {.name = "L1", .region = "L1"},
                 {.name = "REG", .kind = LayerKind::replicated, .region = "REG"},
                 {.name = "COR", .kind = LayerKind::cores, .region = "MM", .barrier = true},
                 {.name = "SIMD", .kind = LayerKind::replicated, .region = "REG", .lanes = true}},
      .regions = {{.name = "MM"},
                  {.name = "L3"},
                  {.name = "L2", .owner = "COR"},
                  {.name = "L1", .owner = "COR"},
                  {.name = "REG", .is_explicit = true, .owner = "COR"}}};
}

}  // namespace mdh::machine
