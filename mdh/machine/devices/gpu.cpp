#include "mdh/machine/devices/devices.h"

namespace mdh::machine {

/// Our GPU: registers and vector accesses are layers of their own, over one region. The limits are
/// those of recent NVIDIA devices; a device at hand replaces them by its own.
Machine gpu() {
  return {
      .name = "gpu",
      .summary = "a GPU: DEV, SHR, REG, VEC | BLK, WRP, THR",
      .layers = {{.name = "DEV", .region = "DM"},
                 {.name = "SHR", .region = "SM"},
                 {.name = "REG", .kind = LayerKind::replicated, .region = "RM"},
                 {.name = "VEC", .kind = LayerKind::replicated, .region = "RM", .lanes = true},
                 {.name = "BLK", .kind = LayerKind::cores, .region = "DM", .aliases = {"SMX"}},
                 {.name = "WRP", .kind = LayerKind::cores, .region = "SM", .barrier = true},
                 {.name = "THR",
                  .kind = LayerKind::cores,
                  .region = "SM",
                  .barrier = true,
                  .aliases = {"CC"}}},
      .regions =
          {{.name = "DM", .is_explicit = true},
           {.name = "SM", .is_explicit = true, .owner = "BLK", .capacity = 232448},
           {.name = "RM", .is_explicit = true, .owner = "THR", .capacity = 255 * 4, .soft = true}},
      .constraints = {PartsAtMost{{"THR"}, 32, ""}, PartsAtMost{{"WRP", "THR"}, 1024, ""},
                      PartsAtMost{{"BLK"}, 2147483647, "x"}, PartsAtMost{{"BLK"}, 65535, "y"},
                      PartsAtMost{{"BLK"}, 65535, "z"}, CombinesIn{"BLK", {"DM"}},
                      CombinesIn{"WRP", {"DM", "SM"}}, CombinesIn{"THR", {"DM", "SM", "RM"}}}};
}

/// The same without warps: what a device has that does not tell about them.
Machine gpu_nowarp() {
  Machine m = gpu();
  m.name = "gpu_nowarp";
  m.summary = "a GPU without warps: DEV, SHR, REG, VEC | BLK, THR";
  std::erase_if(m.layers, [](const Layer& layer) { return layer.name == "WRP"; });
  m.constraints = {PartsAtMost{{"THR"}, 1024, ""}, PartsAtMost{{"BLK"}, 2147483647, ""},
                   CombinesIn{"BLK", {"DM"}}, CombinesIn{"THR", {"DM", "SM", "RM"}}};
  return m;
}

}  // namespace mdh::machine
