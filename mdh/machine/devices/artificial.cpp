#include "mdh/machine/devices/devices.h"

namespace mdh::machine {

/// The paper's artificial machine: main memory, one cache, one layer of cores.
Machine artificial() {
  return {.name = "artificial",
          .summary = "the paper's example machine: HM, L1 | COR",
          .layers = {{"HM", LayerKind::loop, "HM"},
                     {"L1", LayerKind::loop, "L1"},
                     {"COR", LayerKind::cores, "HM"}},
          .regions = {{"HM", false, ""}, {"L1", true, "COR"}}};
}

}  // namespace mdh::machine
