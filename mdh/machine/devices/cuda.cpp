#include "mdh/machine/devices/devices.h"

namespace mdh::machine {

namespace {

Layer blocks() {
  return {.name = "SMX", .kind = LayerKind::cores, .region = "DM", .aliases = {"BLK"}};
}

Layer threads() {
  return {
      .name = "CC", .kind = LayerKind::cores, .region = "SM", .barrier = true, .aliases = {"THR"}};
}

std::vector<Layer> memory_layers() {
  return {{.name = "DM", .region = "DM", .aliases = {"DEV"}},
          {.name = "SM", .region = "SM", .aliases = {"SHR"}},
          {.name = "RM", .region = "RM", .aliases = {"REG"}}};
}

/// Of a launch along each axis, on all devices.
std::vector<Constraint> limits_of_grids() {
  return {PartsAtMost{{"SMX"}, 2147483647, "x"}, PartsAtMost{{"SMX"}, 65535, "y"},
          PartsAtMost{{"SMX"}, 65535, "z"}};
}

}  // namespace

/// The paper's CUDA machine: blocks meet in device memory only, threads also in shared memory.
Machine cuda() {
  Machine m{.name = "cuda",
            .summary = "the paper's CUDA machine: DM, SM, RM | SMX (blocks), CC (threads)",
            .layers = memory_layers(),
            .regions = {{.name = "DM", .is_explicit = true},
                        {.name = "SM", .is_explicit = true, .owner = "SMX"},
                        {.name = "RM", .is_explicit = true, .owner = "CC"}},
            .constraints = {PartsAtMost{{"CC"}, 1024, ""}, CombinesIn{"SMX", {"DM"}},
                            CombinesIn{"CC", {"DM", "SM"}}}};
  m.layers.push_back(blocks());
  m.layers.push_back(threads());
  for (const Constraint& rule : limits_of_grids()) m.constraints.push_back(rule);
  return m;
}

/// Threads of a warp exchange registers, so they may also combine there. A warp has 32 of them, a
/// block at most 1024.
Machine cuda_wrp() {
  Machine m = cuda();
  m.name = "cuda_wrp";
  m.summary = "CUDA with warps: DM, SM, RM | SMX (blocks), WRP, CC (threads of a warp)";
  m.layers.insert(m.layers.end() - 1,
                  {.name = "WRP", .kind = LayerKind::cores, .region = "SM", .barrier = true});
  m.constraints = {PartsAtMost{{"CC"}, 32, ""}, PartsAtMost{{"WRP", "CC"}, 1024, ""},
                   CombinesIn{"SMX", {"DM"}}, CombinesIn{"WRP", {"DM", "SM"}},
                   CombinesIn{"CC", {"DM", "SM", "RM"}}};
  for (const Constraint& rule : limits_of_grids()) m.constraints.push_back(rule);
  return m;
}

/// Several devices in one host, which all see its memory.
Machine multi_gpu() {
  Machine m = cuda();
  m.name = "multi_gpu";
  m.summary = "several GPUs in a host: HM, DM, SM, RM | GPU, SMX, CC";
  m.layers.insert(m.layers.begin(), {.name = "HM", .region = "HM"});
  m.layers.insert(m.layers.end() - 2, {.name = "GPU", .kind = LayerKind::cores, .region = "HM"});
  m.regions.insert(m.regions.begin(), {.name = "HM", .is_explicit = true});
  m.regions[1].owner = "GPU";
  m.constraints.push_back(CombinesIn{"GPU", {"HM"}});
  return m;
}

/// Several hosts, which see each other's data in the memory of the network only.
Machine multi_node_multi_gpu() {
  Machine m = multi_gpu();
  m.name = "multi_node_multi_gpu";
  m.summary = "several hosts with GPUs: NM, HM, DM, SM, RM | NOD, GPU, SMX, CC";
  m.layers.insert(m.layers.begin(), {.name = "NM", .region = "NM"});
  m.layers.insert(m.layers.end() - 3, {.name = "NOD", .kind = LayerKind::cores, .region = "NM"});
  m.regions.insert(m.regions.begin(), {.name = "NM", .is_explicit = true});
  m.regions[1].owner = "NOD";
  m.constraints.push_back(CombinesIn{"NOD", {"NM"}});
  return m;
}

}  // namespace mdh::machine
