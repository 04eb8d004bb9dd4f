#include "mdh/backend/cuda/cuda.h"

#include "mdh/backend/grid/printer.h"

namespace mdh::backend {
namespace {

/// Compilers may use as many registers as so many threads leave to each.
std::string kernel_of(const std::array<int64_t, 3>& items) {
  return fmt::format("extern \"C\" __global__ void __launch_bounds__({})",
                     items[0] * items[1] * items[2]);
}

}  // namespace

kernel::Module print_cuda(const loop::Program& program, const std::string& name) {
  static const GridWords words = {
      .language = "cuda",
      .dialect = Dialect::cuda,
      .kernel = kernel_of,
      .shared = "extern __shared__ __align__(16) char mdh_shared[]",
      .alone = "__restrict__",
      .group = {"blockIdx.x", "blockIdx.y", "blockIdx.z"},
      .item = {"threadIdx.x", "threadIdx.y", "threadIdx.z"},
      .item_of_all = "(long)blockIdx.x * blockDim.x + threadIdx.x",
      .items_of_all = "(long)gridDim.x * blockDim.x",
      .barrier = "__syncthreads()",
      .warp_barrier = "__syncwarp()",
      .copies = "copy_async",
  };
  return print_grid(program, name, words);
}

Backend cuda() {
  return {.name = "cuda",
          .summary = "CUDA C++, by NVRTC or nvcc; cuda:N is the N-th device",
          .machine = "gpu",
          .facts = {.teams = machine::Teams::nested, .lockstep = 32, .copies_in_flight = true},
          .obeys = {.team_tree = true, .tags = true, .swizzle = true},
          .print = print_cuda};
}

}  // namespace mdh::backend
