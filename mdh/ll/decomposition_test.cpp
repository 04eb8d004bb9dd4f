#include "mdh/ll/decomposition.h"

#include <gtest/gtest.h>

#include "mdh/hl/instantiate.h"
#include "mdh/hl/parse.h"
#include "mdh/ll/parameters.h"
#include "mdh/ll/shared_test_programs.h"

namespace mdh::ll::decomposition_test {
namespace {

const machine::Machine& cpu() { return machine::find_machine("cpu"); }

Config config(const std::string& entries) {
  return parse_config(R"({"mdh_config": 1, "layers": ["COR", "L2", "L1", "REG", "SIMD"], )" +
                      entries + "}");
}

/// A tile of 4 x 8 results in registers, A copied in panels, B read where it is.
Config tiled(const std::string& more) {
  return config(R"("split": {"i": ["COR 2", "L1 4", "REG 4"], "j": ["L1 4", "SIMD 8"],
                             "k": ["L2 4", "L1 8"]},
                   "order": ["COR.i", "L2.k", "L1.i", "L1.j", "L1.k", "REG.i", "SIMD.j"])" +
                more);
}

struct Meaning {
  Meaning(const Config& config, const hl::Program& program)
      : low(valid_program(config, program, cpu())), d(low, cpu()) {}
  Program low;
  Decomposition d;
};

TEST(Decomposition, tells_copies_from_hints_and_registers) {
  const Meaning m(tiled(R"(, "stage": {
      "A": [{"from": "L1.i", "region": "L1", "layout": ["i@L1", "k@L1", "i@REG"]},
            {"from": "REG.i", "region": "REG"}],
      "B": [{"from": "L1.i", "region": "L2"}]})"),
                  matmul(32));
  const std::vector<Staging>& all = m.d.stagings();
  ASSERT_EQ(all.size(), 3u);
  EXPECT_TRUE(is_copy_in_memory(all[0]));
  EXPECT_TRUE(all[1].in_registers);
  EXPECT_FALSE(is_copy_in_memory(all[1]));
  EXPECT_TRUE(all[2].is_hint) << "a cache keeps what it likes";
  EXPECT_FALSE(is_copy_in_memory(all[2]));
}

TEST(Decomposition, what_loops_walk_along_is_not_in_registers) {
  const auto staged_from = [](const std::string& level) {
    return Meaning(tiled(fmt::format(R"(, "stage": {{"A": [{{"from": "{}", "region": "REG"}}]}})",
                                     level)),
                   matmul(32))
        .d.stagings()
        .front()
        .in_registers;
  };
  EXPECT_TRUE(staged_from("REG.i"));
  EXPECT_FALSE(staged_from("L1.k")) << "the loop over k walks along rows of A";
}

TEST(Decomposition, results_are_in_registers_while_only_reductions_run_inside) {
  const auto inside = [](const std::string& level) {
    const Meaning m(
        tiled(fmt::format(R"(, "acc": {{"C": [{{"inside": "{}", "region": "REG"}}]}})", level)),
        matmul(32));
    return m.d.runs().back().in_registers;
  };
  EXPECT_TRUE(inside("L1.k"));
  EXPECT_TRUE(inside("REG.i"));
  EXPECT_FALSE(inside("L1.j")) << "results of many tiles: an array";
}

// ---- the ends of dimensions

LastTile last_of(const Config& c, int64_t n, int dimension) {
  return Meaning(c, matmul(n)).d.ends()[dimension].last;
}

const char* const in_registers = R"(, "acc": {"C": [{"inside": "L2.k", "region": "REG"}]})";

/// Room for sizes up to 32; results leave the registers when they are complete.
Config whole_reduction(const std::string& more) {
  return config(R"("split": {"i": ["COR 2", "L1 4", "REG 4"], "j": ["L1 4", "SIMD 8"],
                             "k": ["L2 4", "L1 8"]},
                   "order": ["COR.i", "L1.i", "L1.j", "L2.k", "L1.k", "REG.i", "SIMD.j"])" +
                more);
}

TEST(Decomposition, tiles_that_divide_a_dimension_fit) {
  for (int d = 0; d < 3; ++d) {
    EXPECT_EQ(last_of(whole_reduction(in_registers), 32, d), LastTile::fits) << d;
  }
  const Meaning m(whole_reduction(in_registers), matmul(32));
  EXPECT_EQ(m.d.ends()[0].tile, 4);
  EXPECT_EQ(m.d.ends()[0].parts, 32);
  EXPECT_EQ(m.d.ends()[1].tile, 8);
  EXPECT_EQ(m.d.ends()[2].tile, 1);
}

TEST(Decomposition, complete_results_of_the_users_buffers_are_shifted) {
  EXPECT_EQ(last_of(whole_reduction(in_registers), 29, 0), LastTile::shifted);
  EXPECT_EQ(last_of(whole_reduction(in_registers), 29, 1), LastTile::shifted);
  EXPECT_EQ(last_of(whole_reduction(in_registers), 29, 2), LastTile::fits) << "tiles of one";
  EXPECT_EQ(last_of(whole_reduction(in_registers), 7, 1), LastTile::cut) << "there is no whole one";
  EXPECT_FALSE(Meaning(whole_reduction(in_registers), matmul(7)).d.has_whole_tiles());
  EXPECT_TRUE(Meaning(whole_reduction(in_registers), matmul(29)).d.has_whole_tiles());
}

TEST(Decomposition, results_that_are_combined_further_out_are_cut) {
  const std::string inner = R"(, "acc": {"C": [{"inside": "L1.k", "region": "REG"}]})";
  EXPECT_EQ(last_of(whole_reduction(inner), 29, 0), LastTile::cut);
}

TEST(Decomposition, tiles_that_read_copies_only_are_padded) {
  const std::string copies = R"(, "stage": {
      "A": [{"from": "L1.i", "region": "L1", "layout": ["i@L1", "2", "i@REG"]}],
      "B": [{"from": "L1.i", "region": "L1", "layout": ["j@L1", "1", "j@SIMD"]}]})";
  EXPECT_EQ(last_of(whole_reduction(in_registers + copies), 29, 0), LastTile::padded);
  EXPECT_EQ(last_of(whole_reduction(in_registers + copies), 29, 1), LastTile::padded);
  const std::string one = R"(, "stage": {
      "A": [{"from": "L1.i", "region": "L1", "layout": ["i@L1", "2", "i@REG"]}]})";
  EXPECT_EQ(last_of(whole_reduction(in_registers + one), 29, 0), LastTile::cut)
      << "B can only be shifted, A only padded";
}

TEST(Decomposition, the_configuration_may_decide_about_an_edge) {
  const auto with_edge = [](const std::string& edge) {
    return whole_reduction(in_registers +
                           fmt::format(R"(, "code": {{"edge": {{"i": "{}"}}}})", edge));
  };
  EXPECT_EQ(last_of(with_edge("clamp"), 29, 0), LastTile::clamped);
  EXPECT_FALSE(Meaning(with_edge("clamp"), matmul(29)).d.has_whole_tiles());
  EXPECT_EQ(last_of(with_edge("mask"), 29, 0), LastTile::cut);
  EXPECT_EQ(last_of(with_edge("overlap"), 29, 0), LastTile::shifted);
  EXPECT_EQ(last_of(with_edge("auto"), 29, 0), LastTile::shifted);
  EXPECT_EQ(last_of(with_edge("clamp"), 32, 0), LastTile::fits) << "there is no edge";
}

}  // namespace
}  // namespace mdh::ll::decomposition_test
