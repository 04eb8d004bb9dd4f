#include "mdh/ll/polyhedral.h"

#include <gtest/gtest.h>

#include "mdh/ll/test_programs.h"

namespace mdh::ll::polyhedral_test {
namespace {

hl::Program matmul(int64_t i, int64_t j, int64_t k) {
  return computation(matmul_text, {{"I", i}, {"J", j}, {"K", k}});
}

const machine::Machine& machine(const char* name) { return machine::find_machine(name); }

/// The lines of the file form from "layers" on.
std::string decomposition(const Config& config) {
  const std::string text = print(config);
  return text.substr(text.find("\n \"layers\"") + 1);
}

TEST(PlutoStyle, has_the_numbers_of_the_paper) {
  const hl::Program p = matmul(16, 1000, 2048);
  const Config c = pluto_style(p, machine("openmp"), {2, 962, 218});
  EXPECT_EQ(decomposition(c),
            R"( "layers": ["COR", "MM", "L2", "L1"],
 "split": {"i": ["COR 8", "L2 2"], "j": ["MM 2", "L2 962"], "k": ["MM 10", "L2 218"]},
 "order": ["COR.i", "MM.j", "MM.k", "L2.i", "L2.j", "L2.k"]}
)");
  validate(c, p, machine("openmp"));
}

TEST(PlutoStyle, first_concatenated_dimension_is_dealt_and_tiles_are_no_larger_than_sizes) {
  const hl::Program p = computation(
      "histo<E: size, B: size> = out_view( o: i64 = [b] )"
      " * md_hom( e: E by pw(add), b: B by cc ) { o = x * y; }"
      " * inp_view( x: i64 = [e]; y: i64 = [b] )",
      {{"E", 10}, {"B", 6}});
  EXPECT_EQ(decomposition(pluto_style(p, machine("cpu"), {100, 4})),
            R"( "layers": ["COR", "MM", "L3", "L2", "L1", "REG"],
 "split": {"b": ["COR 2", "L3 4"], "e": ["L3 10"]},
 "order": ["COR.b", "L3.e", "L3.b"]}
)");
}

TEST(PpcgStyle, deals_tiles_to_blocks_and_points_to_threads) {
  const hl::Program p = matmul(64, 1000, 50);
  const Config c = ppcg_style(p, machine("cuda"), {16, 32, 8}, {8, 32}, {4, 10});
  // j: 1000 = 32 tiles of 32, 10 at a time; a thread has 2 points of a tile along i.
  EXPECT_EQ(decomposition(c),
            R"( "layers": ["DM", "SMX", "SM", "CC"],
 "split": {"i": ["SMX 4", "SM 2", "CC 8"], "j": ["DM 4", "SMX 10", "CC 32"], "k": ["DM 7", "SM 8"]},
 "order": ["SMX.i", "SMX.j", "CC.i", "CC.j", "DM.j", "DM.k", "SM.i", "SM.k"],
 "stage": {"A": [{"from": "SM.i", "region": "SM"}], "B": [{"from": "SM.i", "region": "SM"}]},
 "acc": {"C": [{"inside": "DM.j", "region": "RM"}]},
 "tags": {"CC.i": "y", "CC.j": "x", "SMX.i": "y", "SMX.j": "x"}}
)");
  validate(c, p, machine("cuda"));
}

TEST(PpcgStyle, lowers_what_the_machine_does_not_allow) {
  const hl::Program p = matmul(64, 64, 64);
  const Config c = ppcg_style(p, machine("gpu"), {64, 64, 64}, {16, 16}, {1, 1});
  EXPECT_EQ(c.split.at("i"), (std::vector<Digit>{{"SHR", 4}, {"THR", 16}}));
  EXPECT_EQ(c.split.at("j"), (std::vector<Digit>{{"SHR", 32}, {"THR", 2}})) << "32 in a warp";
  validate(c, p, machine("gpu"));
}

TEST(PpcgStyle, tiles_that_do_not_fit_stay_in_device_memory) {
  const hl::Program p = matmul(256, 256, 256);
  const Config c = ppcg_style(p, machine("gpu"), {64, 256, 256}, {8, 4}, {4, 1});
  EXPECT_TRUE(c.stage.contains("A")) << "64 x 256 x 8 bytes";
  EXPECT_FALSE(c.stage.contains("B")) << "256 x 256 x 8 bytes";
  EXPECT_TRUE(c.acc.empty()) << "too many results for registers";
  validate(c, p, machine("gpu"));
}

TEST(PpcgStyle, reductions_are_never_parallel) {
  const hl::Program p = computation(dot_text, {{"K", 100}});
  const Config c = ppcg_style(p, machine("cuda"), {10}, {32}, {8});
  EXPECT_EQ(c.split.at("k"), (std::vector<Digit>{{"DM", 10}, {"SM", 10}}));
}

TEST(Polyhedral, numbers_and_machines_that_do_not_fit_are_refused) {
  const hl::Program p = matmul(4, 4, 4);
  const auto complaint = [](const auto& call) {
    const Diagnostic d = diagnostic_of(call);
    return fmt::format("{} {} | {}", d.code, d.message, d.hint);
  };
  EXPECT_EQ(complaint([&] {
              pluto_style(p, machine("cpu"), {2, 2});
            }),
            "E367 tiles: expected 3 numbers from 1 upwards | one for each dimension");
  EXPECT_EQ(complaint([&] {
              pluto_style(p, machine("cpu"), {2, 2, 0});
            }),
            "E367 tiles: expected 3 numbers from 1 upwards | one for each dimension");
  EXPECT_EQ(complaint([&] {
              ppcg_style(p, machine("cuda"), {2, 2, 2}, {1, 1, 1, 1}, {1});
            }),
            "E367 block: expected 1 to 3 numbers from 1 upwards | one for each dimension");
  EXPECT_EQ(complaint([&] {
              ppcg_style(p, machine("openmp"), {2, 2, 2}, {1}, {1});
            }),
            "E367 machine 'openmp' has no groups of threads | choose a GPU, or pluto_style");
}

}  // namespace
}  // namespace mdh::ll::polyhedral_test
