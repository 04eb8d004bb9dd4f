#include "mdh/backend/opencl/opencl.h"

#include "mdh/backend/grid/printer.h"

namespace mdh::backend {

namespace {

/// Compilers count registers by the size of a group, and need not think of larger ones.
std::string kernel_of(const std::array<int64_t, 3>& items) {
  return fmt::format("__kernel __attribute__((reqd_work_group_size({}))) void",
                     fmt::join(items, ", "));
}

}  // namespace

kernel::Module print_opencl(const loop::Program& program, const std::string& name) {
  static const GridWords words = {
      .language = "opencl",
      .dialect = Dialect::opencl,
      .kernel = kernel_of,
      .local = "__local",
      .to_global = "__global ",
      .to_local = "__local ",
      .alone = "restrict",
      .group = {"get_group_id(0)", "get_group_id(1)", "get_group_id(2)"},
      .item = {"get_local_id(0)", "get_local_id(1)", "get_local_id(2)"},
      .item_of_all = "get_global_id(0)",
      .items_of_all = "get_global_size(0)",
      .barrier = "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)",
  };
  return print_grid(program, name, words);
}

Backend opencl() {
  return {.name = "opencl",
          .summary = "OpenCL C, by the device's driver; opencl:N is the N-th device",
          .machine = "gpu_nowarp",
          .facts = {.teams = machine::Teams::nested},
          .obeys = {.team_tree = true, .tags = true, .swizzle = true},
          .print = print_opencl};
}

}  // namespace mdh::backend
