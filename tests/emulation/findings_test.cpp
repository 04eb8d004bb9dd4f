// Every kind of finding, by a tiny kernel that deserves it and a neighbour that does not.
#include <gtest/gtest.h>

#include "tests/emulation/testing.h"

namespace mdh::emulation::findings_test {
namespace {

class Findings : public OnEmulation<testing::Test> {};

kernel::Module opencl(const std::string& body) { return tiny_module("opencl", body); }

std::string about(const std::string& body) { return complaint_about(opencl(body)); }

const std::string barrier = "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n";
const std::string tile = "__local int tile[4];\n";

TEST_F(Findings, nothing_is_wrong_with_a_kernel_that_is_right) {
  std::vector<int> out;
  EXPECT_EQ(complaint_about(
                opencl(tile + "tile[i] = in[g];\n" + barrier + "out[g] = tile[3 - i] * 10;"), &out),
            "");
  EXPECT_EQ(out, (std::vector<int>{30, 20, 10, 0, 70, 60, 50, 40}));
}

// ---- races

TEST_F(Findings, read_of_what_another_item_wrote_in_local_memory) {
  const std::string text = tile + "tile[i] = in[g];\n";
  EXPECT_TRUE(tells(opencl(text + "if (i > 0) out[g] = tile[i - 1];"),
                    "race: item 1 of group 0 reads element 0 of local memory 'tile', which item 0 "
                    "has written since the last barrier (kernel 'tiny_1', items forwards, line 6: "
                    "if (i > 0) out[g] = tile[i - 1];)"));
  EXPECT_EQ(about(text + barrier + "if (i > 0) out[g] = tile[i - 1];"), "");
}

TEST_F(Findings, write_of_what_another_item_wrote) {
  EXPECT_TRUE(tells(opencl(tile + "tile[0] = in[g];"), "which item 0 has written since"));
}

TEST_F(Findings, write_of_what_another_item_read) {
  const std::string text = tile + "tile[i] = in[g];\n" + barrier + "out[g] = tile[(i + 1) % 4];\n";
  EXPECT_TRUE(tells(opencl(text + "tile[i] = 5;"), "has read since the last barrier"));
  EXPECT_EQ(about(text + barrier + "tile[i] = 5;"), "");
}

/// The last of them to read is the one that writes.
TEST_F(Findings, write_of_what_several_items_read) {
  const std::string text = tile + "tile[i] = in[g];\n" + barrier + "int x = tile[0];\n";
  EXPECT_TRUE(tells(opencl(text + "if (i == 3) tile[0] = x;"),
                    "which one of several items of warp 0 has read since"));
  EXPECT_EQ(about(text + barrier + "if (i == 3) tile[0] = x;"), "");
}

TEST_F(Findings, race_in_global_memory_within_a_group) {
  const std::string text = "out[g] = in[g];\n";
  EXPECT_TRUE(tells(opencl(text + "if (i == 1) out[g - 1] = 5;"), "element 0 of buffer 'out'"));
  EXPECT_EQ(about(text + barrier + "if (i == 1) out[g - 1] = 5;"), "");
}

TEST_F(Findings, barrier_orders_the_memory_that_it_names) {
  const std::string text = "out[g] = in[g];\n", use = "if (i == 1) out[g - 1] = 5;";
  EXPECT_TRUE(tells(opencl(text + "barrier(CLK_LOCAL_MEM_FENCE);\n" + use), "race: item"));
  EXPECT_EQ(about(text + "barrier(CLK_GLOBAL_MEM_FENCE);\n" + use), "");
}

TEST_F(Findings, race_between_groups) {
  EXPECT_TRUE(tells(opencl("if (i == 0) out[0] = in[g];"),
                    "race between groups: item 0 of group 1 writes element 0 of buffer 'out', "
                    "which group 0 has written"));
  EXPECT_TRUE(tells(opencl("out[g] = in[g];\nif (g == 4) out[g + 1] = out[0];"),
                    "race between groups: item 0 of group 1 reads element 0 of buffer 'out'"));
  // No barrier helps.
  EXPECT_TRUE(tells(opencl(barrier + "if (i == 0) out[0] = in[g];\n" + barrier), "between groups"));
}

/// Backwards, the group that reads runs first.
TEST_F(Findings, write_of_what_another_group_read) {
  kernel::Module m = opencl("if (g == 0) out[0] = 1;");
  m.source +=
      "__kernel void tiny_2(__global int *restrict out, __global const int *restrict in,\n"
      "                     __global char *workspace) {\n"
      "  if (get_global_id(0) == 0) out[1] = out[0];\n"
      "  if (get_global_id(0) == 4) out[0] = 2;\n}\n";
  m.steps.push_back({kernel::Launch{"tiny_2", {2, 1, 1}, {4, 1, 1}, 0}});
  EXPECT_TRUE(tells(m,
                    "race between groups: item 0 of group 1 writes element 0 of buffer 'out', "
                    "which group 0 has read"));
}

TEST_F(Findings, launches_wait_for_one_another) {
  kernel::Module m = opencl("((__global int *)(workspace + 0))[g] = in[g];");
  m.source +=
      "__kernel void tiny_2(__global int *restrict out, __global const int *restrict in,\n"
      "                     __global char *workspace, long n) {\n"
      "  const long g = get_global_id(0);\n"
      "  out[g] = ((__global int *)(workspace + 0))[7 - g] + n;\n}\n";
  m.steps.push_back({kernel::Repeat{3, {{kernel::Launch{"tiny_2", {1, 1, 1}, {8, 1, 1}, 0}}}}});
  std::vector<int> out;
  EXPECT_EQ(complaint_about(m, &out), "");
  EXPECT_EQ(out, (std::vector<int>{9, 8, 7, 6, 5, 4, 3, 2}));
}

/// Memory of launches is not used up by repeating them.
TEST_F(Findings, launches_that_take_turns_many_times) {
  kernel::Module m = opencl(tile + "tile[i] = in[g];\nout[g] = tile[i];");
  m.source +=
      "__kernel void tiny_2(__global int *restrict out, __global const int *restrict in,\n"
      "                     __global char *workspace, long n) {\n"
      "  __local int tile[4];\n  const long g = get_global_id(0);\n"
      "  tile[g % 4] = n;\n  out[g] = tile[g % 4];\n}\n";
  const std::string first = m.source;
  m.source.replace(first.find("char *workspace) {"), 18, "char *workspace, long n) {");
  m.steps.push_back({kernel::Launch{"tiny_2", {2, 1, 1}, {4, 1, 1}, 64}});
  m.steps = {{kernel::Repeat{500, m.steps}}};
  std::vector<int> out;
  EXPECT_EQ(complaint_about(m, &out), "");
  EXPECT_EQ(out, std::vector<int>(8, 499));
}

// ---- memory that nobody wrote, or that is not there

TEST_F(Findings, read_of_what_nobody_wrote) {
  EXPECT_TRUE(tells(opencl(tile + "out[g] = tile[i];"),
                    "never written: item 0 of group 0 reads element 0 of local memory 'tile'"));
  EXPECT_TRUE(tells(opencl("out[g] += in[g];"), "reads element 0 of buffer 'out'"));
  EXPECT_TRUE(
      tells(opencl("out[g] = ((__global int *)(workspace + 64))[i];"), "the workspace at 64"));
}

/// What a group leaves in local memory is not there for the next one.
TEST_F(Findings, local_memory_begins_anew_with_every_group) {
  EXPECT_TRUE(tells(opencl(tile + "if (g < 4) tile[i] = 1;\nout[g] = tile[i];"),
                    "never written: item 0 of group 1"));
}

TEST_F(Findings, out_of_bounds_by_one) {
  EXPECT_TRUE(
      tells(opencl("out[g] = in[g + 1];"),
            "out of bounds: item 3 of group 1 reads element 8 of buffer 'in', which has 8"));
  EXPECT_TRUE(tells(opencl("out[g - 1] = in[g];"),
                    "out of bounds: item 0 of group 0 writes element -1 of buffer 'out'"));
  EXPECT_TRUE(tells(opencl(tile + "tile[i + 1] = in[g];\nout[g] = 0;"),
                    "element 4 of local memory 'tile', which has 4"));
}

TEST_F(Findings, out_of_bounds_by_far) {
  EXPECT_TRUE(tells(opencl("out[g] = in[g + 4000];"), "out of bounds"));
  EXPECT_TRUE(tells(opencl("out[g] = in[g + 4000000000];"), "which is in no memory"));
}

/// Pieces of the workspace are arrays of their own.
TEST_F(Findings, out_of_bounds_within_the_workspace) {
  const std::string text =
      "__global int *const a = (__global int *)(workspace + 0);\n"
      "__global int *const b = (__global int *)(workspace + 64);\n"
      "if (g == 0) b[0] = in[0];\n";
  EXPECT_TRUE(tells(opencl(text + "if (g == 0) out[0] = a[16];"), "out of bounds"));
  EXPECT_EQ(about(text + "if (g == 0) out[0] = b[0];"), "");
}

TEST_F(Findings, inputs_are_not_written) {
  EXPECT_TRUE(tells(opencl("((__global int *)in)[g] = 1;"), "an input is written"));
}

TEST_F(Findings, misaligned_access) {
  EXPECT_TRUE(tells(opencl("out[g] = (int)*(__global const long *)(in + g % 7);"), "misaligned"));
}

/// Compilers place an array where its elements may begin, and need not do better.
TEST_F(Findings, wide_access_to_an_array_of_narrow_elements) {
  const std::string body =
      ";\ntile[i] = in[g];\n" + barrier +
      "const int2 both = *(__local const int2 *)&tile[i / 2 * 2];\nout[g] = both.x + both.y;";
  EXPECT_TRUE(tells(opencl("__local int tile[4]" + body), "misaligned"));
  EXPECT_EQ(about("__local int tile[4] __attribute__((aligned(8)))" + body), "");
  EXPECT_TRUE(tells(opencl("const int2 both = *(__global const int2 *)&in[g / 2 * 2];\n"
                           "out[g] = both.x + both.y;"),
                    "misaligned"));
}

TEST_F(Findings, private_memory_of_another_item) {
  EXPECT_TRUE(
      tells(opencl("int mine = 5;\n__local long at[1];\nif (i == 0) at[0] = (long)&mine;\n" +
                   barrier + "out[g] = *(int *)at[0];"),
            "touches private memory of item 0"));
}

// ---- barriers

TEST_F(Findings, items_that_end_before_a_barrier) {
  EXPECT_TRUE(tells(opencl("if (i < 3) {\n" + barrier + "}\nout[g] = 1;"),
                    "divergent barrier: in group 0 item 0 waits for its group at line 5 while item "
                    "3 has ended"));
}

TEST_F(Findings, items_at_two_barriers) {
  EXPECT_TRUE(tells(opencl("if (i < 2) {\n" + barrier + "} else {\n" + barrier + "}"),
                    "waits for its group at line 5 while item 2 waits for its group at line 7"));
}

// ---- all the rest

TEST_F(Findings, crash) {
  EXPECT_TRUE(
      tells(opencl("if (in[g] == 5) __builtin_trap();\nout[g] = 1;"), "crash: item 1 of group 1"));
}

TEST_F(Findings, too_much_private_memory) {
  EXPECT_TRUE(tells(opencl("char large[4000000];\nlarge[g] = in[g];\nout[g] = large[g];"),
                    "stack overflow"));
}

TEST_F(Findings, text_that_does_not_compile_is_refused) {
  const kernel::Module m = opencl("this is no language");
  EXPECT_THROW(device()->load({&m, 1}), Error);
}

}  // namespace
}  // namespace mdh::emulation::findings_test
