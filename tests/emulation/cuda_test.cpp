// The words of CUDA: shared memory, warps, asynchronous copies.
#include <gtest/gtest.h>

#include "tests/emulation/testing.h"

namespace mdh::emulation::cuda_test {
namespace {

class Cuda : public OnEmulation<testing::Test> {};

kernel::Module cuda(const std::string& body) { return tiny_module("cuda", body); }

std::string about(const std::string& body) { return complaint_about(cuda(body)); }

const std::string tile = "int *const tile = (int *)(mdh_shared + 0);\n";

TEST_F(Cuda, shared_arrays) {
  std::vector<int> out;
  EXPECT_EQ(complaint_about(
                cuda(tile + "tile[i] = in[g];\n__syncthreads();\nout[g] = tile[3 - i];"), &out),
            "");
  EXPECT_EQ(out, (std::vector<int>{3, 2, 1, 0, 7, 6, 5, 4}));
  EXPECT_EQ(
      about("__shared__ int own[4];\nown[i] = in[g];\n__syncthreads();\nout[g] = own[3 - i];"), "");
  EXPECT_TRUE(
      tells(cuda(tile + "tile[i] = in[g];\nif (i > 0) out[g] = tile[i - 1];"), "race: item"));
}

TEST_F(Cuda, pieces_of_dynamic_memory_are_arrays_of_their_own) {
  const std::string text = tile + "int *const other = (int *)(mdh_shared + 16);\nother[i] = 1;\n";
  EXPECT_TRUE(tells(cuda(text + "tile[i + 1] = in[g];"), "out of bounds"));
  EXPECT_EQ(about(text + "tile[i] = in[g];\nout[g] = tile[i] + other[i];"), "");
  EXPECT_TRUE(tells(cuda(text + "other[i + 9] = in[g];"), "which has 48"));
}

TEST_F(Cuda, wide_accesses_are_aligned) {
  kernel::Module four = cuda("if (i == 0) *(int4 *)(out + g) = *(const int4 *)(in + g);");
  EXPECT_TRUE(tells(four, "misaligned"));
  for (kernel::Argument& argument : four.arguments) argument.alignment = 16;
  EXPECT_EQ(complaint_about(four), "");
  EXPECT_TRUE(
      tells(cuda("if (i == 0) *(int4 *)(out + g) = *(const int4 *)(in + (g + 4) % 8 - g % 3);"),
            "misaligned"));
}

// ---- asynchronous copies

const std::string ask = tile + "mdh_copy_async_4(tile + i, in + g);\nmdh_copy_commit();\n";

TEST_F(Cuda, copies_land_when_they_are_waited_for) {
  std::vector<int> out;
  EXPECT_EQ(complaint_about(
                cuda(ask + "mdh_copy_wait(0);\n__syncthreads();\nout[g] = tile[3 - i];"), &out),
            "");
  EXPECT_EQ(out, (std::vector<int>{3, 2, 1, 0, 7, 6, 5, 4}));
}

TEST_F(Cuda, read_of_data_in_flight) {
  EXPECT_TRUE(tells(cuda(ask + "__syncthreads();\nout[g] = tile[i];"),
                    "in flight (an asynchronous copy to there was not waited for): item 0 of group "
                    "0 reads element 0 of the local memory at 0"));
  // The wait leaves one batch open: this one.
  EXPECT_TRUE(
      tells(cuda(ask + "mdh_copy_wait(1);\n__syncthreads();\nout[g] = tile[i];"), "in flight"));
  // What is not committed is not waited for.
  EXPECT_TRUE(tells(cuda(tile + "mdh_copy_async_4(tile + i, in + g);\nmdh_copy_wait(0);\n"
                                "out[g] = tile[i];"),
                    "in flight"));
}

TEST_F(Cuda, copies_of_others_need_a_barrier_too) {
  EXPECT_TRUE(
      tells(cuda(ask + "mdh_copy_wait(0);\nif (i > 0) out[g] = tile[i - 1];"), "race: item"));
  EXPECT_EQ(about(ask + "mdh_copy_wait(0);\nout[g] = tile[i];"), "");
}

TEST_F(Cuda, write_to_data_in_flight) {
  EXPECT_TRUE(tells(cuda(ask + "tile[i] = 5;\nmdh_copy_wait(0);"), "in flight"));
  EXPECT_TRUE(tells(cuda(tile + "out[g] = in[g];\nmdh_copy_async_4(tile + i, out + g);\n"
                                "out[g] = 5;\nmdh_copy_commit();\nmdh_copy_wait(0);"),
                    "in flight (an asynchronous copy from there"));
}

/// The tile is asked for again while others still read it.
TEST_F(Cuda, copy_to_what_others_read) {
  const std::string text = ask + "mdh_copy_wait(0);\n__syncthreads();\nout[g] = tile[3 - i];\n";
  const std::string again = "mdh_copy_async_4(tile + i, in + g);\n";
  EXPECT_NE(about(text + again), "");
  const std::string later = tile +
                            "tile[i] = in[g];\n__syncthreads();\nif (i == 0) out[g] = tile[3];\n"
                            "if (i == 3) mdh_copy_async_4(tile + 3, in + g);\n";
  EXPECT_TRUE(tells(cuda(later),
                    "writes element 12 of the local memory at 0 of 'tiny_1', which item "
                    "0 has read since the last barrier"));
  EXPECT_EQ(about(text + "__syncthreads();\n" + again), "");
}

TEST_F(Cuda, batches_land_in_their_order) {
  EXPECT_EQ(about(tile + "int *const second = (int *)(mdh_shared + 16);\n"
                         "mdh_copy_async_4(tile + i, in + g);\nmdh_copy_commit();\n"
                         "mdh_copy_async_4(second + i, in + g);\nmdh_copy_commit();\n"
                         "mdh_copy_wait(1);\nout[g] = tile[i];\nmdh_copy_wait(0);\n"
                         "out[g] += second[i];"),
            "");
}

// ---- warps

TEST_F(Cuda, items_of_a_warp_wait_for_one_another) {
  const std::string text = tile + "tile[i] = in[g];\n";
  EXPECT_EQ(about(text + "__syncwarp();\nout[g] = tile[3 - i];"), "");
  EXPECT_TRUE(tells(cuda(text + "if (i < 3) __syncwarp();\nout[g] = 1;"), "divergent barrier"));
  EXPECT_EQ(about(text + "if (i < 3) __syncwarp(7);\nout[g] = 1;"), "");
}

/// Two warps: one of them does not wait for the other.
TEST_F(Cuda, warps_do_not_wait_for_other_warps) {
  kernel::Module m = cuda(tile +
                          "if (i % 32 < 4 && i < 40) tile[i % 32 * 2 + i / 32] = (int)i;\n"
                          "__syncwarp();\nif (i < 4) out[i] = tile[2 * (3 - i) + OTHER];\n"
                          "if (i >= 4 && i < 8) out[i] = 0;");
  std::get<kernel::Launch>(m.steps[0].is) = {"tiny_1", {1, 1, 1}, {64, 1, 1}, 64};
  kernel::Module bad = m;
  m.source = "#define OTHER 0\n" + m.source;
  bad.source = "#define OTHER 1\n" + bad.source;
  EXPECT_EQ(complaint_about(m), "");
  const std::string complaint = complaint_about(bad);  // forwards, the other warp has not yet run
  EXPECT_TRUE(complaint.find("race: item") != std::string::npos ||
              complaint.find("never written") != std::string::npos)
      << complaint;
}

TEST_F(Cuda, values_of_other_lanes) {
  std::vector<int> out;
  EXPECT_EQ(complaint_about(cuda("int x = in[g];\nx += __shfl_xor_sync(15, x, 1);\n"
                                 "x += __shfl_xor_sync(15, x, 2);\nout[g] = x;"),
                            &out),
            "");
  EXPECT_EQ(out, (std::vector<int>{6, 6, 6, 6, 22, 22, 22, 22}));
  EXPECT_EQ(complaint_about(cuda("out[g] = __shfl_down_sync(15, in[g], 1, 2);"), &out), "");
  EXPECT_EQ(out, (std::vector<int>{1, 1, 3, 3, 5, 5, 7, 7}));
  EXPECT_EQ(complaint_about(cuda("out[g] = __shfl_up_sync(15, in[g], 1, 4);"), &out), "");
  EXPECT_EQ(out, (std::vector<int>{0, 0, 1, 2, 4, 4, 5, 6}));
  EXPECT_EQ(complaint_about(cuda("out[g] = __shfl_sync(15, in[g], 2);"), &out), "");
  EXPECT_EQ(out, (std::vector<int>{2, 2, 2, 2, 6, 6, 6, 6}));
}

TEST_F(Cuda, value_of_a_lane_that_is_not_there) {
  EXPECT_TRUE(tells(cuda("out[g] = __shfl_down_sync(0xffffffffu, in[g], 1);"),
                    "takes a value of lane 4, which does not take part"));
}

// ---- groups that know of one another

/// A launch before sets the counter.
kernel::Module with_counter(const std::string& body) {
  kernel::Module m = cuda(
      "int *const counter = (int *)(workspace + 0);\n"
      "int *const parts = (int *)(workspace + 64);\n" +
      body);
  m.source +=
      "extern \"C\" __global__ void tiny_0(int *out, const int *in, char *workspace) {\n"
      "  if (threadIdx.x == 0) ((int *)(workspace + 0))[0] = 0;\n}\n";
  m.steps.insert(m.steps.begin(), {kernel::Launch{"tiny_0", {1, 1, 1}, {4, 1, 1}, 0}});
  return m;
}

/// The last group to finish adds what all have left.
TEST_F(Cuda, last_group_sees_what_others_did_before_they_counted) {
  std::vector<int> out;
  EXPECT_EQ(complaint_about(with_counter("if (i == 0) {\n  parts[g / 4] = in[g];\n"
                                         "  __threadfence();\n  if (atomicAdd(counter, 1) == 1) "
                                         "out[0] = parts[0] + parts[1];\n}\n"),
                            &out),
            "");
  EXPECT_EQ(out[0], 4);
}

TEST_F(Cuda, last_group_sees_nothing_that_others_did_later) {
  EXPECT_TRUE(tells(with_counter("if (i == 0) {\n  const int n = atomicAdd(counter, 1);\n"
                                 "  parts[g / 4] = in[g];\n"
                                 "  if (n == 1) out[0] = parts[0] + parts[1];\n}\n"),
                    "race between groups"));
}

TEST_F(Cuda, results_that_depend_on_the_order) {
  EXPECT_TRUE(tells(with_counter("out[g] = atomicAdd(counter, 1);"),
                    "order: element 0 of 'out' of 'tiny' is another one if items run backwards"));
}

// ---- clusters

/// The two groups meet; `tile` is what each of them has, `theirs` that of the other one.
kernel::Module clustered(const std::string& body) {
  kernel::Module m = cuda(
      "int *const tile = (int *)(mdh_shared + 0);\n"
      "const int me = blockIdx.x, other = 1 - me;\n" +
      body);
  std::get<kernel::Launch>(m.steps.front().is).cluster = {2, 1, 1};
  return m;
}

const std::string fill = "tile[i] = in[g];\n", meet = "mdh_meet_members();\n",
                  take = "out[g] = mdh_of_member(tile, other)[i];\n";

TEST_F(Cuda, groups_of_a_cluster_read_what_others_have) {
  std::vector<int> out;
  EXPECT_EQ(complaint_about(clustered(fill + meet + take + meet), &out), "");
  EXPECT_EQ(out, (std::vector<int>{4, 5, 6, 7, 0, 1, 2, 3}));
  EXPECT_EQ(complaint_about(
                clustered(fill + meet + "out[g] = mdh_of_member(tile, me)[3 - i];\n" + meet), &out),
            "");
  EXPECT_EQ(out, (std::vector<int>{3, 2, 1, 0, 7, 6, 5, 4}));
}

TEST_F(Cuda, groups_of_a_cluster_meet_before_they_read) {
  EXPECT_TRUE(tells(clustered(fill + take + meet), "cluster: group 0 touches memory of group 1"));
  EXPECT_TRUE(tells(clustered(meet + fill + take + meet), "never written"));
  EXPECT_TRUE(tells(clustered(fill + meet + fill + take + meet),
                    "race in a cluster: item 0 of group 1 writes element 0 of the local memory"));
}

TEST_F(Cuda, groups_of_a_cluster_meet_before_they_end) {
  EXPECT_TRUE(tells(clustered(fill + meet + take), "may end while others touch its memory"));
  EXPECT_TRUE(tells(clustered(fill + meet + take + "__syncthreads();\n"),
                    "may end while others touch its memory"));
}

TEST_F(Cuda, groups_of_a_cluster_overwrite_nothing_that_others_read) {
  EXPECT_TRUE(tells(clustered(fill + meet + take + "tile[i] = 5;\n" + meet), "race in a cluster"));
  EXPECT_TRUE(tells(clustered(fill + meet + take + "__syncthreads();\ntile[i] = 5;\n" + meet),
                    "race in a cluster"));
  EXPECT_TRUE(tells(clustered(fill + meet + take +
                              "int x = tile[i];\n__syncthreads();\n"
                              "x += tile[3 - i];\n__syncthreads();\ntile[i] = x;\n" +
                              meet),
                    "race in a cluster"));
  EXPECT_EQ(complaint_about(clustered(fill + meet + take + meet + "tile[i] = 5;\n")), "");
}

/// Barriers are those of one group, and meetings order all memory.
TEST_F(Cuda, groups_of_a_cluster_wait_for_each_other_where_they_meet_only) {
  EXPECT_EQ(complaint_about(clustered(fill +
                                      "__syncthreads();\nif (me) __syncthreads();\n"
                                      "out[g] = tile[3 - i];\n" +
                                      meet)),
            "");
  EXPECT_TRUE(tells(clustered("out[g] = 1;\n__syncthreads();\n"
                              "if (me == 1 && i == 0) out[g] = out[g - 4];\n" +
                              meet),
                    "race in a cluster: item 0 of group 1 reads element 0 of buffer 'out', which "
                    "item 0 of group 0 has written"));
  EXPECT_EQ(complaint_about(clustered("out[g] = 1;\n" + meet +
                                      "if (me == 1 && i == 0) out[g] = out[g - 4];\n" + meet)),
            "");
}

TEST_F(Cuda, all_groups_of_a_cluster_get_there) {
  EXPECT_TRUE(tells(clustered("if (me) " + meet),
                    "divergent barrier: in group 0 item 0 has ended "
                    "while item 0 waits for its cluster at line"));
  EXPECT_TRUE(tells(clustered("if (i < 3) " + meet), "divergent barrier"));
  EXPECT_TRUE(tells(clustered(meet + "out[g] = mdh_of_member(tile, 2)[i];\n" + meet),
                    "cluster: member 2 of 2 has nothing there"));
}

}  // namespace
}  // namespace mdh::emulation::cuda_test
