// Members of a grid that meet, in printed kernels.
#include <gtest/gtest.h>

#include "mdh/backend/cuda/cuda.h"
#include "mdh/loop/parse.h"

namespace mdh::backend::cluster_test {
namespace {

/// Rows of two parts each, and what a member does with those of its row.
kernel::Module module(const std::string& axes = "", const std::string& attributes = "",
                      const std::string& type = "f32") {
  const auto axis = [&](size_t n) { return axes.empty() ? "" : fmt::format(" axis {}", axes[n]); };
  return print_cuda(
      loop::parse(fmt::format(
          R"(mdh_loop 1
kernel sums
dimension i < 12 kept
dimension j < 8 kept
dimension k < 2 reduced
digit g: BLK.i < 12 of i step 1 grid{}
digit b: BLK.k < 2 of k step 1 grid{}
digit h: BLK.j < 2 of j step 4 grid{}
digit t: THR.j < 4 of j step 1 cores
buffer output y: {}[12, 8]
buffer input x: {}[12, 8, 2]
buffer temporary s: {}[2, 4] in SM of group per (g, h) across b
function f(x: {}, i: i64, j: i64, k: i64) {{ y: {} = x; }}
function combine(l: {}, r: {}) {{ y: {} = l + r; }}
body {{
  deal grid (g < 12, b < 2, h < 2) {} {{
    alloc s;
    deal cores (t < 4) {{ load a = x[g, h * 4 + t, b]; store s[b, t] = a; }}
    meet b;
    deal cores (o < 2) collective {{
      load l = s[0, b * 2 + o];
      load r = s[1, b * 2 + o];
      combine n = (l; r);
      store y[g, h * 4 + b * 2 + o] = n;
    }}
    meet b;
  }}
}})",
          axis(0), axis(1), axis(2), type, type, type, type, type, type, type, type, attributes)),
      "k");
}

kernel::Launch launch_of(const kernel::Module& m) {
  return std::get<kernel::Launch>(m.steps.at(0).is);
}

void expect_has(const kernel::Module& m, const std::vector<std::string>& pieces) {
  for (const std::string& piece : pieces) {
    EXPECT_NE(m.source.find(piece), std::string::npos) << piece << "\n" << m.source;
  }
}

using Extents = std::array<int64_t, 3>;

TEST(Clusters, members_that_meet_are_neighbours) {
  const kernel::Module m = module();
  EXPECT_EQ(launch_of(m).groups, (Extents{48, 1, 1}));
  EXPECT_EQ(launch_of(m).cluster, (Extents{2, 1, 1}));
  expect_has(m, {"__global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(4) k_1(",
                 "const int b = (int)blockIdx.x % 2;\n", "const int g = (int)blockIdx.x / 2 / 2;\n",
                 "const int h = (int)blockIdx.x / 2 % 2;\n"});
}

TEST(Clusters, every_member_keeps_its_own_and_reads_all) {
  const kernel::Module m = module();
  EXPECT_EQ(launch_of(m).local_bytes, 16) << "four numbers, not eight";
  expect_has(m, {"s[t] = a;", "const float l = mdh_of_member(s, 0)[b * 2 + o];",
                 "const float r = mdh_of_member(s, 1)[b * 2 + o];", "  mdh_meet_members();\n",
                 "barrier.cluster.arrive.release.aligned"});
  EXPECT_EQ(m.source.find("__syncthreads"), std::string::npos) << m.source;
  expect_has(module("", "", "u8"), {"mdh_of_member(s, 1)[b * 2 + o]"});
}

TEST(Clusters, on_axes_of_a_launch) {
  const kernel::Module rows = module("xyx");
  EXPECT_EQ(launch_of(rows).groups, (Extents{24, 2, 1}));
  EXPECT_EQ(launch_of(rows).cluster, (Extents{1, 2, 1}));
  expect_has(rows,
             {"__cluster_dims__(1, 2, 1)", "const int b = (int)blockIdx.y % 2;\n",
              "const int g = (int)blockIdx.x / 2;\n", "const int h = (int)blockIdx.x % 2;\n"});
  const kernel::Module one = module("yxx");
  EXPECT_EQ(launch_of(one).groups, (Extents{4, 12, 1}));
  EXPECT_EQ(launch_of(one).cluster, (Extents{2, 1, 1}));
  expect_has(one, {"const int b = (int)blockIdx.x % 2;\n", "const int g = (int)blockIdx.y;\n",
                   "const int h = (int)blockIdx.x / 2;\n"});
}

/// Whole clusters change places.
TEST(Clusters, that_begin_side_by_side) {
  expect_has(module("", "swizzle 4"),
             {"const int b = (int)blockIdx.x % 2;\n", "const int mdh_flat = (int)blockIdx.x / 2;\n",
              "const int mdh_member = mdh_row * 2 + mdh_column;\n"});
  expect_has(module("yxx", "swizzle 4"),
             {"const int mdh_flat = (int)blockIdx.y * 2 + (int)blockIdx.x / 2;\n"});
}

TEST(Clusters, kernels_without_meetings_have_none) {
  const kernel::Module m = print_cuda(loop::parse(R"(mdh_loop 1
kernel copy
dimension i < 8 kept
digit g: BLK.i < 8 of i step 1 grid
buffer output y: f32[8]
buffer input x: f32[8]
function f(x: f32, i: i64) { y: f32 = x; }
function combine() { }
body { deal grid (g < 8) { deal cores () { load a = x[g]; store y[g] = a; } } })"),
                                      "k");
  EXPECT_EQ(m.source.find("cluster"), std::string::npos) << m.source;
  EXPECT_EQ(launch_of(m).cluster, (Extents{1, 1, 1}));
}

}  // namespace
}  // namespace mdh::backend::cluster_test
