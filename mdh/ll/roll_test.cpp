#include "mdh/ll/roll.h"

#include <gtest/gtest.h>

#include "mdh/ll/parameters.h"
#include "mdh/ll/test_configs.h"

namespace mdh::ll::roll_test {
namespace {

/// The roll of the only tile of x along the loop right around it.
std::variant<Roll, std::string> roll(const std::string& index, const std::string& layout = "") {
  const hl::Program program = hl::parse(
      "mdh 1\nprogram p = out_view( w: i64 = [i, j] )"
      " * md_hom( i: 8 by cc, j: 4 by cc, k: 3 by pw(add) )"
      " { w = x; } * inp_view( x: i64 = [" +
      index + "] )");
  const Config c = config(R"("layers": ["DEV", "SHR", "REG"],
    "split": {"i": ["DEV 4", "REG 2"], "j": ["REG 4"], "k": ["REG 3"]},
    "order": ["DEV.i", "REG.i", "REG.j", "REG.k"],
    "stage": {"x": [{"from": "REG.i", "region": "RM")" +
                          layout + "}]}");
  const machine::Machine& gpu = machine::find_machine("gpu");
  const Program p = program_of(parameters_of(c, program, gpu), program, gpu);
  const Nest nest = nest_of(p, p.decompose, gpu);
  const std::vector<Staging> all = stagings(p, nest, gpu);
  EXPECT_EQ(all.size(), 1u);
  return roll_of(p, nest, all.at(0), nest.loops.at(0).level);
}

void expect_roll(const Roll& expected, const std::variant<Roll, std::string>& found) {
  ASSERT_TRUE(std::holds_alternative<Roll>(found)) << std::get<std::string>(found);
  EXPECT_EQ(std::get<Roll>(found).axis, expected.axis);
  EXPECT_EQ(std::get<Roll>(found).shift, expected.shift);
}

TEST(Roll, a_window_moves_by_the_part_of_the_loop) {
  expect_roll({0, 2}, roll("i + k, j"));
  expect_roll({1, 2}, roll("j, i + k"));
  expect_roll({1, 2}, roll("i + k, j", R"(, "layout": ["2", "1"])"));
}

TEST(Roll, places_are_counted_in_what_the_tile_holds) {
  expect_roll({0, 2}, roll("2 * i + 2 * k, j"));  // every second element
  expect_roll({0, 4}, roll("2 * i + k, j"));
}

}  // namespace
}  // namespace mdh::ll::roll_test
