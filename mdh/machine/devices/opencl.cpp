#include "mdh/machine/devices/devices.h"

namespace mdh::machine {

/// The paper's OpenCL machine. 1024 work-items is what most devices allow; the limit of the device
/// at hand replaces it where one is asked.
Machine opencl() {
  return {.name = "opencl",
          .summary = "the paper's OpenCL machine: GM, LM, PM | CU (work-groups), PE (work-items)",
          .layers = {{.name = "GM", .region = "GM"},
                     {.name = "LM", .region = "LM"},
                     {.name = "PM", .region = "PM"},
                     {.name = "CU", .kind = LayerKind::cores, .region = "GM", .aliases = {"WG"}},
                     {.name = "PE",
                      .kind = LayerKind::cores,
                      .region = "LM",
                      .barrier = true,
                      .aliases = {"WI"}}},
          .regions = {{.name = "GM", .is_explicit = true},
                      {.name = "LM", .is_explicit = true, .owner = "CU"},
                      {.name = "PM", .is_explicit = true, .owner = "PE"}},
          .constraints = {PartsAtMost{{"PE"}, 1024, ""}, CombinesIn{"CU", {"GM"}},
                          CombinesIn{"PE", {"GM", "LM"}}}};
}

}  // namespace mdh::machine
