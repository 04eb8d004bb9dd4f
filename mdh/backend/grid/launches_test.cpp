// How launches wait for each other, which pointers may be alone, and groups that begin in order.
#include <gtest/gtest.h>

#include "mdh/backend/cuda/cuda.h"
#include "mdh/backend/opencl/opencl.h"
#include "mdh/loop/parse.h"

namespace mdh::backend::launches_test {
namespace {

/// Groups of two results each.
loop::Program program(const std::string& share, const std::string& header = "") {
  return loop::parse(R"(mdh_loop 1
kernel sums
dimension i < 12 kept
digit g: BLK.i < 6 of i step 2 grid
digit v: VEC.i < 2 of i step 1 lanes
buffer output y: f32[12]
buffer output z: f32[12]
buffer input x: f32[12]
)" + header + R"(function f(x: f32, i: i64) { y: f32 = x; z: f32 = x; }
function combine(l0: f32, l1: f32, r0: f32, r1: f32) { y: f32 = l0 + r0; z: f32 = l1 + r1; }
body { deal grid (g < 6) { deal cores () { )" +
                     share + " } } }");
}

std::string cuda(const std::string& share, const std::string& header = "") {
  return print_cuda(program(share, header), "k").source;
}

// ---- waiting

const std::string copies = "load a = x[g]; store y[g] = a;";

TEST(Launches, of_cuda_wait_for_the_one_before_them_before_they_do_anything) {
  const std::string usual = cuda(copies), early = cuda(copies, "early\n");
  EXPECT_NE(usual.find(") {\n  mdh_wait_for_launch();\n"), std::string::npos) << usual;
  EXPECT_EQ(usual.find("mdh_let_next_launch_come();"), std::string::npos) << usual;
  EXPECT_NE(early.find(") {\n  mdh_let_next_launch_come();\n  mdh_wait_for_launch();\n"),
            std::string::npos)
      << early;
  EXPECT_NE(usual.find("griddepcontrol.wait"), std::string::npos);
  EXPECT_EQ(print_opencl(program(copies, "early\n"), "k").source.find("launch"), std::string::npos);
}

TEST(Launches, all_of_a_call_wait) {
  const std::string two = print_cuda(loop::parse(R"(mdh_loop 1
kernel twice
dimension i < 6 kept
digit g: BLK.i < 6 of i step 1 grid
buffer output y: f32[6]
buffer input x: f32[6]
buffer temporary w: f32[6] in DM of all per ()
function f(x: f32, i: i64) { y: f32 = x; }
function combine() { }
body {
  alloc w;
  deal grid (g < 6) { deal cores () { load a = x[g]; store w[g] = a; } }
  deal all (e < 6) collective { load b = w[5 - e]; store y[e] = b; }
})"),
                                     "k")
                              .source;
  size_t kernels = 0;
  for (size_t at = two.find(" k_"); at != std::string::npos; at = two.find(" k_", at + 1)) {
    const size_t body = two.find(") {\n", at) + 4;
    EXPECT_EQ(two.substr(body, 25), "  mdh_wait_for_launch();\n") << two;
    ++kernels;
  }
  EXPECT_EQ(kernels, 2u) << two;
}

// ---- pointers

const std::string alone = "float *__restrict__ y,";

/// Nobody else points to results, whoever wrote them before the launch.
bool is_alone(const std::string& share) {
  const std::string source = cuda(share);
  EXPECT_NE(source.find("const float *__restrict__ x,"), std::string::npos) << source;
  return source.find(alone) != std::string::npos;
}

TEST(Pointers, of_results_are_alone_where_nobody_reads_them) { EXPECT_TRUE(is_alone(copies)); }

TEST(Pointers, of_results_are_alone_where_their_reader_has_stored_them) {
  EXPECT_TRUE(is_alone(copies + "load b = y[g]; store z[g] = b;"));
  EXPECT_TRUE(is_alone(copies + "for - n < 3 sequential { load b = y[g]; store y[g] = b; }"));
  EXPECT_TRUE(
      is_alone("load (a, b) = x[g * 2]; store y[g * 2] = (a, b);"
               "load (c, d) = y[g * 2]; store z[g * 2] = (c, d);"));
}

/// These may be read from an earlier launch: not before this one has waited for it.
TEST(Pointers, of_results_of_others_are_not_alone) {
  EXPECT_FALSE(is_alone("load b = y[g]; store y[g] = b;"));
  EXPECT_FALSE(is_alone(copies + "load b = y[g + 1]; store z[g] = b;"));
  EXPECT_FALSE(is_alone("if g < 3 { " + copies + " } load b = y[g]; store z[g] = b;"));
  EXPECT_FALSE(
      is_alone("for - n < 3 sequential { " + copies + " } load b = y[g]; store z[g] = b;"));
  EXPECT_FALSE(
      is_alone("load a = x[g]; store y[g * 2] = a;"
               "load (c, d) = y[g * 2]; store z[g * 2] = (c, d);"));
}

/// What a round before has stored is what it has stored itself, but not in the first one.
TEST(Pointers, of_results_that_the_first_round_reads_are_not_alone) {
  EXPECT_FALSE(is_alone("for - n < 3 sequential { load b = y[g]; store y[g] = b; }"));
}

// ---- groups in their order

kernel::Module scan(const std::string& axes) {
  const auto axis = [&](size_t n) { return axes.empty() ? "" : fmt::format(" axis {}", axes[n]); };
  return print_cuda(loop::parse(fmt::format(R"(mdh_loop 1
kernel scan
dimension i < 5 scanned
dimension j < 3 kept
digit g: BLK.i < 5 of i step 1 grid{}
digit h: BLK.j < 3 of j step 1 grid{}
buffer output y: f32[3, 5]
buffer input x: f32[3, 5]
buffer temporary t: f32[3, 5] in DM of all per ()
function f(x: f32, i: i64, j: i64) {{ y: f32 = x; }}
function combine(l: f32, r: f32) {{ y: f32 = l + r; }}
body {{
  alloc t;
  deal grid (h < 3, g < 5) {{
    deal cores () {{ load a = x[h, g]; store t[h, g] = a; }}
    follow g from 0 step 1;
    deal cores () {{ load b = t[h, 0]; store y[h, g] = b; }}
  }}
}})",
                                            axis(0), axis(1))),
                    "k");
}

/// The device begins groups in the order of their numbers along the first axis only.
TEST(Followers, begin_in_the_order_of_their_numbers) {
  for (const std::string axes : {"", "yx"}) {
    const kernel::Module m = scan(axes);
    const auto launch = std::get<kernel::Launch>(m.steps.at(0).is);
    EXPECT_TRUE(launch.in_order);
    EXPECT_EQ(launch.groups, (std::array<int64_t, 3>{15, 1, 1})) << axes;
    for (const char* piece :
         {"const int mdh_number = blockIdx.x;\n", "const int h = mdh_number / 5;\n",
          "const int g = mdh_number % 5;\n"}) {
      EXPECT_NE(m.source.find(piece), std::string::npos) << piece << m.source;
    }
  }
  const kernel::Module other = print_cuda(program(copies), "k");
  EXPECT_FALSE(std::get<kernel::Launch>(other.steps.at(0).is).in_order);
}

/// The number of the launch is asked for behind a barrier: one item writes what all of them read.
TEST(Followers, count_themselves_for_all_launches) {
  const std::string source = scan("").source;
  EXPECT_NE(
      source.find("mdh_count_block((unsigned long long *)(workspace + 0), (unsigned long long "
                  "*)(mdh_shared + 0));\n"),
      std::string::npos)
      << source;
  EXPECT_NE(source.find("(unsigned long long *)(mdh_shared + 0), 15);\n"), std::string::npos)
      << source;
}

}  // namespace
}  // namespace mdh::backend::launches_test
