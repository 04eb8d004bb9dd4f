#include "mdh/backend/effects.h"

#include <gtest/gtest.h>

#include "mdh/driver/target.h"

namespace mdh::driver::effects_test {
namespace {

std::vector<std::string> unused(const ll::Code& code, const std::string& target = "openmp",
                                const ll::Split& split = {}) {
  return backend::without_effect({.split = split, .code = code}, machine::find_machine("gpu"),
                                 find_target(target));
}

TEST(Effects, what_is_generated_is_not_listed) {
  ll::Code code;
  EXPECT_TRUE(unused(code).empty());
  code.stage["A"] = {{.pad = 4, .depth = 2, .transport = ll::Transport::async}};
  code.stage["B"] = {
      {.copy_order = {{"k", 8}}, .prefetch = ll::Prefetch{16, {"L1", "k"}}, .opaque = true}};
  code.edge = {{"i", ll::Edge::overlap}, {"j", ll::Edge::pad}, {"k", ll::Edge::mask}};
  code.kernel.compiler = "gcc";
  code.kernel.flags = {"-O2"};
  code.kernel.contract = ll::Contract::off;
  code.kernel.store = ll::Hint::streaming;
  code.combine[{"COR", "k"}] = ll::Combination::team_tree;
  EXPECT_TRUE(unused(code).empty());
}

TEST(Effects, what_is_not_generated_is_listed_as_it_is_written) {
  ll::Code code;
  code.stage["A"] = {{.transport = ll::Transport::registers}};
  code.stage["B"] = {{}, {.width = 16}};
  code.combine[{"BLK", "k"}] = ll::Combination::cluster;
  EXPECT_EQ(unused(code),
            (std::vector<std::string>{"code.stage.A[0].transport", "code.stage.B[1].width",
                                      "code.combine.BLK.k"}));
}

TEST(Effects, copies_go_through_registers_on_grids) {
  ll::Code code;
  code.stage["A"] = {{.depth = 2, .transport = ll::Transport::registers}};
  EXPECT_TRUE(unused(code, "cuda").empty());
  EXPECT_EQ(unused(code), (std::vector<std::string>{"code.stage.A[0].transport"}));
  code.stage["A"][0].depth = 1;
  EXPECT_TRUE(unused(code, "cuda").empty());
}

TEST(Effects, cores_combine_in_steps_where_they_can_wait_for_one_another) {
  ll::Code code;
  code.combine[{"BLK", "k"}] = ll::Combination::team_tree;
  code.combine[{"THR", "k"}] = ll::Combination::team_tree;
  EXPECT_TRUE(unused(code).empty());
  EXPECT_EQ(unused(code, "opencl"), (std::vector<std::string>{"code.combine.BLK.k"}));
  code.combine[{"BLK", "k"}] = ll::Combination::partials_kernel;
  EXPECT_TRUE(unused(code, "opencl").empty());
  EXPECT_EQ(unused(code), (std::vector<std::string>{"code.combine.BLK.k"}));
}

TEST(Effects, members_of_grids_that_can_meet_combine_in_clusters) {
  ll::Code code;
  code.combine[{"BLK", "k"}] = ll::Combination::cluster;
  EXPECT_TRUE(unused(code, "cuda").empty());
  EXPECT_EQ(unused(code, "opencl"), (std::vector<std::string>{"code.combine.BLK.k"}));
  code.combine = {{{"THR", "k"}, ll::Combination::cluster}};
  EXPECT_EQ(unused(code, "cuda"), (std::vector<std::string>{"code.combine.THR.k"}));
}

TEST(Effects, clusters_have_at_most_eight_members) {
  ll::Code code;
  code.combine[{"BLK", "k"}] = ll::Combination::cluster;
  for (const char* layer : {"BLK", "SMX"}) {
    EXPECT_TRUE(unused(code, "cuda", {{"k", {{"SHR", 64}, {layer, 8}}}}).empty());
    EXPECT_EQ(unused(code, "cuda", {{"k", {{"SHR", 64}, {layer, 9}}}}),
              (std::vector<std::string>{"code.combine.BLK.k"}));
  }
  EXPECT_TRUE(unused(code, "cuda", {{"i", {{"BLK", 9}}}}).empty());
  EXPECT_TRUE(unused(code, "cuda", {{"k", {{"BLK", ll::open_parts}}}}).empty());
}

TEST(Effects, launches_begin_early_where_they_can_wait_by_themselves) {
  ll::Code code;
  EXPECT_TRUE(unused(code, "openmp").empty());
  code.kernel.start = ll::Start::early;
  EXPECT_TRUE(unused(code, "cuda").empty());
  for (const char* target : {"opencl", "openmp"}) {
    EXPECT_EQ(unused(code, target), (std::vector<std::string>{"code.kernel.start"})) << target;
  }
}

TEST(Effects, grids_begin_in_another_order) {
  ll::Code code;
  code.cores["BLK"] = {.swizzle = 8};
  EXPECT_TRUE(unused(code, "opencl").empty());
  EXPECT_EQ(unused(code), (std::vector<std::string>{"code.cores.BLK.swizzle"}));
}

TEST(Effects, cores_of_a_group_have_a_part_each_and_groups_take_turns) {
  ll::Code code;
  code.cores["BLK"] = {.count = 264, .deal = ll::Deal::dynamic};
  code.cores["THR"] = {.count = 2};
  EXPECT_TRUE(unused(code).empty());
  EXPECT_EQ(unused(code, "opencl"),
            (std::vector<std::string>{"code.cores.BLK.deal", "code.cores.THR"}));
  code.cores["BLK"].deal = ll::Deal::cyclic;
  EXPECT_EQ(unused(code, "opencl"), (std::vector<std::string>{"code.cores.THR"}));
}

TEST(Effects, a_device_has_its_own_compiler) {
  ll::Code code;
  code.kernel.compiler = "gcc";
  code.kernel.store = ll::Hint::streaming;
  code.stage["B"] = {{.prefetch = ll::Prefetch{16, {"L1", "k"}}, .opaque = true}};
  EXPECT_EQ(unused(code, "opencl"),
            (std::vector<std::string>{"code.stage.B[0].prefetch", "code.stage.B[0].opaque",
                                      "code.kernel.store", "code.kernel.compiler"}));
}

}  // namespace
}  // namespace mdh::driver::effects_test
