#include "mdh/backend/opencl/opencl.h"

#include <map>

#include "mdh/backend/grid/printer.h"

namespace mdh::backend {

namespace {

/// Compilers count registers by the size of a group, and need not think of larger ones.
std::string opencl_kernel(const std::array<int64_t, 3>& items, const loop::LaunchBounds&,
                          const std::array<int64_t, 3>&) {
  return fmt::format("__kernel __attribute__((reqd_work_group_size({}))) void",
                     fmt::join(items, ", "));
}

/// The language has them.
std::string opencl_neighbours(scalar::Scalar type, int64_t count, Helpers& helpers) {
  static const std::map<std::string, std::string> shorter = {{"unsigned", "uint"},
                                                             {"unsigned long", "ulong"}};
  const std::string name = helpers.storage_type(type);
  const auto found = shorter.find(name);
  return (found == shorter.end() ? name : found->second) + std::to_string(count);
}

}  // namespace

kernel::Module print_opencl(const loop::Program& program, const std::string& name) {
  static const GridWords words = {
      .language = "opencl",
      .dialect = Dialect::opencl,
      .kernel = opencl_kernel,
      .local = "__local",
      .to_global = "__global ",
      .to_local = "__local ",
      .alone = "restrict",
      .alone_at_barriers = false,  // NVIDIA's compiler, as of driver 580
      .many_items = 64,            // devices may have no more
      .group = {"get_group_id(0)", "get_group_id(1)", "get_group_id(2)"},
      .item = {"get_local_id(0)", "get_local_id(1)", "get_local_id(2)"},
      .item_of_all = "get_global_id(0)",
      .items_of_all = "get_global_size(0)",
      .barrier = "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)",
      .local_barrier = "barrier(CLK_LOCAL_MEM_FENCE)",
      .neighbours = opencl_neighbours,
  };
  return print_grid(program, name, words);
}

Backend opencl() {
  return {.name = "opencl",
          .summary = "OpenCL C, by the device's driver; opencl:N is the N-th device",
          .machine = "gpu_nowarp",
          .facts = {.teams = machine::Teams::nested, .access_bytes = 16},
          .obeys = {.emit = true,
                    .team_tree = true,
                    .tags = true,
                    .swizzle = true,
                    .transport = true,
                    .width = true,
                    .tile_swizzle = true},
          .print = print_opencl};
}

}  // namespace mdh::backend
