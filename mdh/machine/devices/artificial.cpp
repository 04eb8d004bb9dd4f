#include "mdh/machine/devices/devices.h"

namespace mdh::machine {

/// The paper's artificial machine: main memory, one cache, one layer of cores.
Machine artificial() {
  return {.name = "artificial",
          .summary = "the paper's example machine: HM, L1 | COR",
          .layers = {{.name = "HM", .region = "HM"},
                     {.name = "L1", .region = "L1"},
                     {.name = "COR", .kind = LayerKind::cores, .region = "HM", .barrier = true}},
          .regions = {{.name = "HM"}, {.name = "L1", .is_explicit = true, .owner = "COR"}}};
}

}  // namespace mdh::machine
