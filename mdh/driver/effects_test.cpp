#include "mdh/driver/effects.h"

#include <gtest/gtest.h>

namespace mdh::driver {
namespace {

std::vector<std::string> unused(const ll::Code& code, const std::string& target = "openmp") {
  return without_effect(code, find_target(target));
}

TEST(Effects, what_is_generated_is_not_listed) {
  ll::Code code;
  EXPECT_TRUE(unused(code).empty());
  code.stage["A"] = {{.pad = 4, .depth = 2, .transport = ll::Transport::async}};
  code.kernel.compiler = "gcc";
  code.kernel.flags = {"-O2"};
  code.kernel.contract = ll::Contract::off;
  code.combine[{"COR", "k"}] = ll::Combination::team_tree;
  EXPECT_TRUE(unused(code).empty());
}

TEST(Effects, what_is_not_generated_is_listed_as_it_is_written) {
  ll::Code code;
  code.stage["A"] = {{.transport = ll::Transport::registers}};
  code.stage["B"] = {{}, {.copy_order = {{"k", 8}}, .opaque = true}};
  code.edge = {{"i", ll::Edge::clamp}, {"j", ll::Edge::overlap}};
  code.combine[{"BLK", "k"}] = ll::Combination::cluster;
  code.cores["BLK"] = {.count = 264};
  code.kernel.emit = "serpentine";
  EXPECT_EQ(unused(code),
            (std::vector<std::string>{"code.stage.A[0].transport", "code.stage.B[1].copy_order",
                                      "code.stage.B[1].opaque", "code.edge.j", "code.combine.BLK.k",
                                      "code.cores.BLK", "code.kernel.emit"}));
}

TEST(Effects, a_device_has_its_own_compiler) {
  ll::Code code;
  code.kernel.compiler = "gcc";
  EXPECT_EQ(unused(code, "opencl"), std::vector<std::string>{"code.kernel.compiler"});
}

}  // namespace
}  // namespace mdh::driver
