#include "mdh/machine/constraint.h"

#include <gtest/gtest.h>

#include "mdh/machine/machine.h"

namespace mdh::machine::constraint_test {
namespace {

using Rules = std::vector<std::string>;

/// Per region the layers of cores that share it: {"SM", "-+"} in the order of the layers.
using Table = std::vector<std::pair<std::string, std::string>>;

Table sharing(const std::string& machine) {
  const Machine& m = find_machine(machine);
  Table table;
  for (const Region& region : m.regions) {
    std::string row;
    for (const Layer& layer : m.layers) {
      if (layer.kind == LayerKind::cores) row += shares(m, layer, region) ? '+' : '-';
    }
    table.emplace_back(region.name, row);
  }
  return table;
}

Rules rules_of(const std::string& machine) {
  Rules rules;
  for (const Constraint& c : constraints(find_machine(machine))) rules.push_back(to_string(c));
  return rules;
}

TEST(Constraint, is_a_sentence) {
  EXPECT_EQ(to_string(PartsAtMost{{"THR"}, 1024, ""}), "the parts on THR are at most 1024");
  EXPECT_EQ(to_string(PartsAtMost{{"WRP", "THR"}, 64, "z"}),
            "the parts on WRP times THR in z are at most 64");
  EXPECT_EQ(to_string(PartsEqual{{"THR"}, 32}), "the parts on THR are 32 or 1");
  EXPECT_EQ(to_string(CombinesIn{"THR", {"DM", "SM"}}), "THR combines in DM or SM");
  EXPECT_EQ(to_string(BytesAtMost{"SM", 49152}), "region SM holds 49152 bytes");
  EXPECT_EQ(to_string(BytesAtMost{"RM", 1020, true}),
            "region RM holds 1020 bytes before it is slow");
  EXPECT_EQ(to_string(NotSharedBy{"SM", "BLK"}), "region SM is not shared by the cores of BLK");
}

TEST(Sharing, on_cuda_blocks_meet_in_device_memory_and_threads_also_in_shared_memory) {
  EXPECT_EQ(sharing("cuda"), (Table{{"DM", "++"}, {"SM", "-+"}, {"RM", "--"}}));
  EXPECT_EQ(sharing("opencl"), (Table{{"GM", "++"}, {"LM", "-+"}, {"PM", "--"}}));
}

TEST(Sharing, warps_and_their_threads_meet_where_threads_do) {
  EXPECT_EQ(sharing("cuda_wrp"), (Table{{"DM", "+++"}, {"SM", "-++"}, {"RM", "---"}}));
  EXPECT_EQ(sharing("gpu"), (Table{{"DM", "+++"}, {"SM", "-++"}, {"RM", "---"}}));
}

TEST(Sharing, of_nodes_and_devices_goes_down_step_by_step) {
  EXPECT_EQ(sharing("multi_gpu"),
            (Table{{"HM", "+++"}, {"DM", "-++"}, {"SM", "--+"}, {"RM", "---"}}));
  EXPECT_EQ(
      sharing("multi_node_multi_gpu"),
      (Table{{"NM", "++++"}, {"HM", "-+++"}, {"DM", "--++"}, {"SM", "---+"}, {"RM", "----"}}));
}

TEST(Sharing, of_cpu_cores_ends_at_the_last_level_cache) {
  EXPECT_EQ(sharing("artificial"), (Table{{"HM", "+"}, {"L1", "-"}}));
  EXPECT_EQ(sharing("cpu"),
            (Table{{"MM", "+"}, {"L3", "+"}, {"L2", "-"}, {"L1", "-"}, {"REG", "-"}}));
}

TEST(Constraints, of_cuda) {
  EXPECT_EQ(
      rules_of("cuda"),
      (Rules{"the parts on CC are at most 1024", "SMX combines in DM", "CC combines in DM or SM",
             "the parts on SMX in x are at most 2147483647",
             "the parts on SMX in y are at most 65535", "the parts on SMX in z are at most 65535",
             "region SM is not shared by the cores of SMX",
             "region RM is not shared by the cores of SMX",
             "region RM is not shared by the cores of CC"}));
}

TEST(Constraints, of_opencl) {
  EXPECT_EQ(rules_of("opencl"),
            (Rules{"the parts on PE are at most 1024", "CU combines in GM",
                   "PE combines in GM or LM", "region LM is not shared by the cores of CU",
                   "region PM is not shared by the cores of CU",
                   "region PM is not shared by the cores of PE"}));
}

TEST(Constraints, with_warps_limit_lanes_and_let_them_combine_in_registers) {
  EXPECT_EQ(
      rules_of("cuda_wrp"),
      (Rules{"the parts on CC are at most 32", "the parts on WRP times CC are at most 1024",
             "SMX combines in DM", "WRP combines in DM or SM", "CC combines in DM or SM or RM",
             "the parts on SMX in x are at most 2147483647",
             "the parts on SMX in y are at most 65535", "the parts on SMX in z are at most 65535",
             "region SM is not shared by the cores of SMX",
             "region RM is not shared by the cores of SMX",
             "region RM is not shared by the cores of WRP",
             "region RM is not shared by the cores of CC"}));
}

TEST(Constraints, of_a_gpu_also_limit_the_grid_and_the_bytes) {
  EXPECT_EQ(
      rules_of("gpu"),
      (Rules{"the parts on THR are at most 32", "the parts on WRP times THR are at most 1024",
             "the parts on BLK in x are at most 2147483647",
             "the parts on BLK in y are at most 65535", "the parts on BLK in z are at most 65535",
             "BLK combines in DM", "WRP combines in DM or SM", "THR combines in DM or SM or RM",
             "region SM holds 232448 bytes", "region SM is not shared by the cores of BLK",
             "region RM holds 1020 bytes before it is slow",
             "region RM is not shared by the cores of BLK",
             "region RM is not shared by the cores of WRP",
             "region RM is not shared by the cores of THR"}));
}

TEST(Constraints, of_several_nodes_are_those_of_cuda_one_layer_further_out_each) {
  EXPECT_EQ(rules_of("multi_node_multi_gpu"),
            (Rules{"the parts on CC are at most 1024", "SMX combines in DM",
                   "CC combines in DM or SM", "the parts on SMX in x are at most 2147483647",
                   "the parts on SMX in y are at most 65535",
                   "the parts on SMX in z are at most 65535", "GPU combines in HM",
                   "NOD combines in NM", "region HM is not shared by the cores of NOD",
                   "region DM is not shared by the cores of NOD",
                   "region DM is not shared by the cores of GPU",
                   "region SM is not shared by the cores of NOD",
                   "region SM is not shared by the cores of GPU",
                   "region SM is not shared by the cores of SMX",
                   "region RM is not shared by the cores of NOD",
                   "region RM is not shared by the cores of GPU",
                   "region RM is not shared by the cores of SMX",
                   "region RM is not shared by the cores of CC"}));
}

TEST(Constraints, of_the_paper_cpus_are_only_about_who_sees_what) {
  EXPECT_EQ(rules_of("openmp_l3_simd"), (Rules{"region L2 is not shared by the cores of COR",
                                               "region L1 is not shared by the cores of COR"}));
}

}  // namespace
}  // namespace mdh::machine::constraint_test
