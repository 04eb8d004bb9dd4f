#include "mdh/backend/opencl/opencl.h"

#include <gtest/gtest.h>

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
    EXPECT_NE(source.find("const long g = (long)get_group_id(0);"), std::string::npos) << source;
    EXPECT_EQ(occurrences(source, "barrier("), 1u) << source;
  }
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
  EXPECT_NE(source.find("for (long a = 0; a < 4; ++a) {"), std::string::npos) << source;
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
    EXPECT_NE(source.find("const long g = mdh_group;"), std::string::npos) << source;
  }
}

TEST(OpenCL, a_group_begins_its_next_member_together) {
  const std::string source = module("on 4").source;
  EXPECT_EQ(occurrences(source, "barrier("), 2u) << source;
  EXPECT_LT(source.find("__local float s"), source.find("for (long mdh_group")) << source;
}

}  // namespace
}  // namespace mdh::backend::opencl_test
