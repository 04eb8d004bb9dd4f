#include "mdh/backend/cuda/cuda.h"

#include <algorithm>

#include "mdh/backend/grid/printer.h"

namespace mdh::backend {
namespace {

/// On every device that has clusters.
constexpr int64_t most_in_cluster = 8;

/// Compilers may use as many registers as so many threads leave to each.
std::string cuda_kernel(const std::array<int64_t, 3>& items, const loop::LaunchBounds& bounds,
                        const std::array<int64_t, 3>& cluster) {
  const int64_t threads = std::max(items[0] * items[1] * items[2], bounds.cores);
  const std::string blocks = bounds.groups == 0 ? "" : fmt::format(", {}", bounds.groups);
  const bool is_cluster = cluster != std::array<int64_t, 3>{1, 1, 1};
  const std::string together =
      is_cluster ? fmt::format(" __cluster_dims__({})", fmt::join(cluster, ", ")) : "";
  return fmt::format("extern \"C\" __global__ void{} __launch_bounds__({}{})", together, threads,
                     blocks);
}

/// As the headers of CUDA have them, which are not included.
std::string cuda_neighbours(scalar::Scalar type, int64_t count, Helpers& helpers) {
  const std::string name = fmt::format("{}x{}", scalar::to_string(type), count);
  helpers.define_type(
      name,
      fmt::format("struct __align__({}) mdh_{} {{ {} {}; }};\n", count * scalar::bytes_of(type),
                  name, helpers.storage_type(type), count == 2 ? "x, y" : "x, y, z, w"));
  return "mdh_" + name;
}

}  // namespace

kernel::Module print_cuda(const loop::Program& program, const std::string& name) {
  static const GridWords words = {
      .language = "cuda",
      .dialect = Dialect::cuda,
      .kernel = cuda_kernel,
      .shared = "extern __shared__ __align__(16) char mdh_shared[]",
      .alone = "__restrict__",
      .group = {"blockIdx.x", "blockIdx.y", "blockIdx.z"},
      .item = {"threadIdx.x", "threadIdx.y", "threadIdx.z"},
      .item_of_all = "(long)blockIdx.x * blockDim.x + threadIdx.x",
      .items_of_all = "(long)gridDim.x * blockDim.x",
      .barrier = "__syncthreads()",
      .neighbours = cuda_neighbours,
      .warp = 32,
      .warp_barrier = "__syncwarp()",
      .exchange = "__shfl_sync",
      .arrivals = "arrive_last",
      .atomics = true,
      .follows = "follow",
      .clusters = "cluster",
      .copies = "copy_async",
      .waits = "wait_for_launch",
      .streams = "store_streaming",
  };
  return print_grid(program, name, words);
}

Backend cuda() {
  return {.name = "cuda",
          .summary = "CUDA C++, by NVRTC or nvcc; cuda:N is the N-th device",
          .machine = "gpu",
          .facts = {.teams = machine::Teams::nested,
                    .access_bytes = 16,
                    .lockstep = 32,
                    .exchanges = true,
                    .knows_last = true,
                    .atomics = true,
                    .follows = true,
                    .most_that_meet = most_in_cluster,
                    .copies_in_flight = true},
          .obeys = {.emit = true,
                    .store = true,
                    .team_tree = true,
                    .shuffle = true,
                    .last_core = true,
                    .atomic = true,
                    .look_back = true,
                    .cluster = true,
                    .tags = true,
                    .swizzle = true,
                    .launch_bounds = true,
                    .start = true,
                    .transport = true,
                    .width = true,
                    .tile_swizzle = true},
          .print = print_cuda};
}

}  // namespace mdh::backend
