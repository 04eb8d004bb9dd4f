#include "mdh/backend/opencl/opencl.h"

#include <gtest/gtest.h>

#include "mdh/backend/cuda/cuda.h"
#include "mdh/backend/grid/kernel_text.h"
#include "mdh/loop/parse.h"

namespace mdh::backend::opencl_test {
namespace {

kernel::Module module(const std::string& dealing) {
  return print_opencl(loop::parse(R"(mdh_loop 1
kernel sums
dimension i < 24 kept
digit g: BLK.i < 6 of i step 4 grid
digit t: THR.i < 4 of i step 1 cores
buffer output y: f32[24]
buffer input x: f32[24]
buffer temporary s: f32[4] in SM of group per (g)
function f(x: f32, i: i64) { y: f32 = x; }
function combine() { }
body {
  deal grid (g < 6) )" + dealing + R"( {
    alloc s;
    deal cores (t < 4) { load a = x[g * 4 + t]; store s[3 - t] = a; }
    barrier cores;
    deal cores (t < 4) { load b = s[t]; store y[g * 4 + t] = b; }
  }
})"),
                      "k");
}

kernel::Launch launch(const std::string& dealing) {
  return std::get<kernel::Launch>(module(dealing).steps.at(0).is);
}

size_t occurrences(const std::string& text, const std::string& piece) {
  size_t count = 0;
  for (size_t at = text.find(piece); at != std::string::npos; at = text.find(piece, at + 1)) {
    ++count;
  }
  return count;
}

TEST(OpenCL, every_member_of_the_grid_is_a_group) {
  for (const std::string dealing : {"", "cyclic", "on 6"}) {
    EXPECT_EQ(launch(dealing).groups[0], 6) << dealing;
    EXPECT_EQ(launch(dealing).items[0], 4) << dealing;
    const std::string source = module(dealing).source;
    EXPECT_NE(source.find("const int g = (int)get_group_id(0);"), std::string::npos) << source;
    EXPECT_EQ(occurrences(source, "barrier("), 1u) << source;
  }
}

TEST(Grid, items_of_a_warp_wait_for_themselves_where_the_language_has_a_word_for_it) {
  const loop::Program p = loop::parse(R"(mdh_loop 1
kernel pairs
dimension i < 8 kept
digit t: THR.i < 4 of i step 2 cores
digit u: THR.i < 2 of i step 1 cores
warp 2
buffer output y: f32[8]
buffer input x: f32[8]
buffer temporary s: f32[2] in SM of group per (t)
function f(x: f32, i: i64) { y: f32 = x; }
function combine() { }
body {
  deal grid () {
    alloc s;
    deal cores (t < 4, u < 2) { load a = x[t * 2 + u]; store s[u] = a; }
    barrier warp;
    deal cores (t < 4, v < 2) collective { load b = s[1 - v]; store y[t * 2 + v] = b; }
  }
})");
  EXPECT_EQ(occurrences(print_cuda(p, "k").source, "__syncwarp();"), 1u);
  EXPECT_EQ(occurrences(print_cuda(p, "k").source, "__syncthreads();"), 0u);
  EXPECT_EQ(occurrences(print_opencl(p, "k").source, "barrier("), 1u);
}

TEST(Grid, compilers_of_cuda_count_on_the_bounds_of_launches) {
  const auto begin = [](const std::string& bounds) {
    const std::string source = print_cuda(loop::parse(R"(mdh_loop 1
kernel copy
dimension i < 8 kept
digit t: THR.i < 8 of i step 1 cores
buffer output y: f32[8]
buffer input x: f32[8]
)" + bounds + R"(
function f(x: f32, i: i64) { y: f32 = x; }
function combine() { }
body { deal grid () { deal cores (t < 8) { load a = x[t]; store y[t] = a; } } })"),
                                          "k")
                                   .source;
    return source.substr(source.find("__launch_bounds__"));
  };
  EXPECT_EQ(begin("").substr(0, 20), "__launch_bounds__(8)");
  EXPECT_EQ(begin("bounds 0 3").substr(0, 23), "__launch_bounds__(8, 3)");
  EXPECT_EQ(begin("bounds 4 0").substr(0, 20), "__launch_bounds__(8)")
      << "not fewer than there are";
  EXPECT_EQ(begin("bounds 16 2").substr(0, 24), "__launch_bounds__(16, 2)");
}

TEST(OpenCL, squares_are_loops_and_nothing_is_hidden) {
  const std::string source = print_opencl(loop::parse(R"(mdh_loop 1
kernel square
dimension i < 4 kept
digit t: THR.i < 1 of i step 4 cores
buffer output y: f32[4, 4]
buffer input x: f32[4, 4]
buffer temporary s: f32[4] in RM of registers per (t) opaque
function f(x: f32, i: i64) { y: f32 = x; }
function combine() { }
body {
  deal cores (t < 1) {
    alloc s;
    load v = x[0, 0];
    store s[0] = v;
    opaque s;
    load w = s[0];
    transpose (a < 4, b < 4) y[b, a] = x[a, b];
  }
})"),
                                          "k")
                                 .source;
  EXPECT_NE(source.find("for (int a = 0; a < 4; ++a) {"), std::string::npos) << source;
  EXPECT_NE(source.find("y[b * 4 + a] = moved;"), std::string::npos) << source;
  EXPECT_EQ(source.find("opaque"), std::string::npos) << source;
}

TEST(OpenCL, groups_that_stay_run_several_members) {
  EXPECT_EQ(launch("on 4").groups[0], 4);
  EXPECT_EQ(launch("on 4").items[0], 4);
  const std::string block = module("on 4").source;
  EXPECT_NE(block.find("for (long mdh_group = 6 * (long)get_group_id(0) / 4; mdh_group < 6 * "
                       "((long)get_group_id(0) + 1) / 4; ++mdh_group) {"),
            std::string::npos)
      << block;
  for (const std::string dealing : {"cyclic", "dynamic"}) {
    const std::string source = module(dealing + " on 4").source;
    EXPECT_NE(
        source.find("for (long mdh_group = get_group_id(0); mdh_group < 6; mdh_group += 4) {"),
        std::string::npos)
        << source;
    EXPECT_NE(source.find("const int g = mdh_group;"), std::string::npos) << source;
  }
}

TEST(OpenCL, a_group_begins_its_next_member_together) {
  const std::string source = module("on 4").source;
  EXPECT_EQ(occurrences(source, "barrier("), 2u) << source;
  EXPECT_LT(source.find("__local float s"), source.find("for (long mdh_group")) << source;
}

// ---- axes of launches

/// A grid of 5 x 3 groups of 4 x 2 items; each share says what it does.
kernel::Module on_axes(const std::string& blocks_i, const std::string& blocks_j,
                       const std::string& items_i, const std::string& items_j,
                       const std::string& dealing = "") {
  return print_opencl(loop::parse(fmt::format(
                          R"(mdh_loop 1
kernel plane
dimension i < 20 kept
dimension j < 6 kept
digit gi: BLK.i < 5 of i step 4 grid{}
digit gj: BLK.j < 3 of j step 2 grid{}
digit ti: THR.i < 4 of i step 1 cores{}
digit tj: THR.j < 2 of j step 1 cores{}
buffer output y: f32[20, 6]
buffer input x: f32[20, 6]
buffer temporary s: f32[8] in SM of group per (gi, gj)
function f(x: f32, i: i64, j: i64) {{ y: f32 = x; }}
function combine() {{ }}
body {{
  deal grid (gi < 5, gj < 3) {} {{
    alloc s;
    deal cores (ti < 4, tj < 2) {{
      load a = x[gi * 4 + ti, gj * 2 + tj]; store s[ti * 2 + tj] = a;
    }}
    barrier cores;
    deal cores (e < 8) collective {{ load a = s[e]; store s[e] = a; }}
    barrier cores;
    deal cores (ti < 4, tj < 2) {{
      load b = s[ti * 2 + tj]; store y[gi * 4 + ti, gj * 2 + tj] = b;
    }}
  }}
}})",
                          blocks_i, blocks_j, items_i, items_j, dealing)),
                      "k");
}

kernel::Launch first_launch(const kernel::Module& m) {
  return std::get<kernel::Launch>(m.steps.at(0).is);
}

using Extents = std::array<int64_t, 3>;

TEST(OpenCL, without_axes_launches_are_flat) {
  const kernel::Module m = on_axes("", "", "", "");
  EXPECT_EQ(first_launch(m).groups, (Extents{15, 1, 1}));
  EXPECT_EQ(first_launch(m).items, (Extents{8, 1, 1}));
  EXPECT_EQ(m.source.find("mdh_item"), std::string::npos) << m.source;
}

TEST(OpenCL, groups_and_items_are_on_the_axes_of_their_digits) {
  const kernel::Module m = on_axes(" axis y", " axis x", " axis z", " axis x");
  EXPECT_EQ(first_launch(m).groups, (Extents{3, 5, 1}));
  EXPECT_EQ(first_launch(m).items, (Extents{2, 1, 4}));
  for (const char* text :
       {"const int gi = (int)get_group_id(1);", "const int gj = (int)get_group_id(0);",
        "const int ti = (int)get_local_id(2);", "const int tj = (int)get_local_id(0);",
        "const int mdh_item = ((int)get_local_id(2) * 1 + (int)get_local_id(1)) * 2 + "
        "(int)get_local_id(0);",
        "const int part = mdh_item;"}) {
    EXPECT_NE(m.source.find(text), std::string::npos) << text << "\n" << m.source;
  }
}

TEST(OpenCL, digits_that_share_an_axis_divide_it) {
  const kernel::Module m = on_axes(" axis z", " axis z", " axis y", "");
  EXPECT_EQ(first_launch(m).groups, (Extents{1, 1, 15}));
  EXPECT_EQ(first_launch(m).items, (Extents{2, 4, 1}));
  EXPECT_NE(m.source.find("const int gi = (int)get_group_id(2) / 3;"), std::string::npos)
      << m.source;
  EXPECT_NE(m.source.find("const int gj = (int)get_group_id(2) % 3;"), std::string::npos);
}

TEST(OpenCL, groups_that_stay_are_counted_along_one_axis) {
  const kernel::Module m = on_axes(" axis y", " axis x", "", "", "on 4");
  EXPECT_EQ(first_launch(m).groups, (Extents{4, 1, 1}));
  EXPECT_NE(m.source.find("const int gi = mdh_group / 3;"), std::string::npos) << m.source;
}

TEST(OpenCL, a_swizzled_grid_has_the_same_groups) {
  for (const char* axis : {"", " axis y"}) {
    const kernel::Module plain = on_axes(axis, "", "", ""),
                         m = on_axes(axis, "", "", "", "swizzle 2");
    EXPECT_EQ(first_launch(m), first_launch(plain));
    EXPECT_NE(m.source.find("const int mdh_block = mdh_flat / 6;"), std::string::npos) << m.source;
    EXPECT_EQ(plain.source.find("mdh_block"), std::string::npos) << plain.source;
  }
}

/// A workspace that a group fills, and what comes behind that.
std::string workspace_kernel(const std::string& then) {
  return print_opencl(loop::parse(
                          R"(mdh_loop 1
kernel sums
dimension i < 8 kept
digit t: THR.i < 8 of i step 1 cores
buffer output y: f32[8]
buffer input x: f32[8]
buffer temporary w: f32[8] in MM of all per ()
function f(x: f32, i: i64) { y: f32 = x; }
function combine() { }
body {
  alloc w;
  deal grid () {
    deal cores (t < 8) { load a = x[t]; store w[7 - t] = a; }
    )" + then +
                          R"(
  }
})"),
                      "k")
      .source;
}

const std::string both_fences = "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);";
const std::string restricted = "float *restrict y, __global const float *restrict x";

TEST(OpenCL, says_nothing_of_pointers_where_groups_wait_for_the_workspace) {
  const std::string alone = workspace_kernel("");
  EXPECT_NE(alone.find(restricted), std::string::npos) << alone;
  const std::string read =
      workspace_kernel("barrier cores; deal cores (t < 8) { load b = w[t]; store y[t] = b; }");
  EXPECT_EQ(read.find("restrict"), std::string::npos) << read;
  EXPECT_EQ(occurrences(read, both_fences), 1u);
  EXPECT_NE(module("").source.find("restrict"), std::string::npos) << "memory of the group";
}

TEST(OpenCL, groups_that_only_write_to_the_workspace_wait_for_their_own_memory) {
  const std::string written =
      workspace_kernel("barrier cores; deal cores (t < 8) { load b = x[t]; store y[t] = b; }");
  EXPECT_NE(written.find(restricted), std::string::npos) << written;
  EXPECT_EQ(occurrences(written, "barrier(CLK_LOCAL_MEM_FENCE);"), 1u) << written;
  EXPECT_EQ(occurrences(written, both_fences), 0u);
}

TEST(OpenCL, says_nothing_of_pointers_where_groups_wait_for_results) {
  const auto source = [](const std::string& from) {
    return print_opencl(loop::parse(R"(mdh_loop 1
kernel steps
dimension i < 8 kept
digit t: THR.i < 8 of i step 1 cores
buffer output y: f32[8]
buffer output z: f32[8]
buffer input x: f32[8]
function f(x: f32, i: i64) { y: f32 = x; z: f32 = x; }
function combine() { }
body {
  deal grid () {
    deal cores (t < 8) { load a = x[t]; store y[7 - t] = a; }
    barrier cores;
    deal cores (t < 8) { load b = )" +
                                    from + R"([t]; store z[t] = b; }
  }
})"),
                        "k")
        .source;
  };
  EXPECT_EQ(source("y").find("restrict"), std::string::npos) << source("y");
  EXPECT_NE(source("x").find("restrict"), std::string::npos) << source("x");
}

/// Nobody owns the shares: any number of items can have them.
TEST(Grid, items_that_share_are_as_many_as_devices_have) {
  for (const auto& [shares, on_cuda] : {std::pair{40, 40}, {200, 200}, {1000, 256}}) {
    const loop::Program p = loop::parse(fmt::format(R"(mdh_loop 1
kernel lines
dimension i < {0} kept
buffer output y: f32[{0}]
buffer input x: f32[{0}]
function f(x: f32, i: i64) {{ y: f32 = x; }}
function combine() {{ }}
body {{ deal grid () {{ deal cores (e < {0}) collective {{ load a = x[e]; store y[e] = a; }} }} }})",
                                                    shares));
    const auto items = [](const kernel::Module& m) {
      return std::get<kernel::Launch>(m.steps.at(0).is).items[0];
    };
    EXPECT_EQ(items(print_cuda(p, "k")), on_cuda);
    EXPECT_EQ(items(print_opencl(p, "k")), std::min(shares, 64)) << "devices may have no more";
  }
}

TEST(Grid, many_elements_have_larger_groups_where_devices_have_them) {
  const GridWords small{.many_items = 64}, large{};
  EXPECT_EQ(items_of_elements(3, large), 3);
  EXPECT_EQ(items_of_elements(65535, large), 64);
  EXPECT_EQ(items_of_elements(65536, large), 256);
  EXPECT_EQ(items_of_elements(65536, small), 64);
}

}  // namespace
}  // namespace mdh::backend::opencl_test
