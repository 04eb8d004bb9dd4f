#include "mdh/passes/structured/hold_back.h"

#include <gtest/gtest.h>

#include "mdh/passes/common/test_programs.h"

namespace mdh::passes::hold_back_test {
namespace {

const More tiles{R"(digit g: BLK.i < 7 of i step 1 grid
)",
                 R"(buffer temporary tile: i64[4] in SM of group per (g)
buffer temporary own: i64[4] in RM of registers per (g)
)"};

const TargetFacts wide{.teams = Teams::nested, .access_bytes = 16};

std::string copied(const std::string& tile, const std::string& from, const std::string& within) {
  return "loop g { loop r { copy (a < 4) " + tile + "[a] = " + from + " within (" + within +
         ") team (); loop s { accumulate (w[i]) first (r, s) from (" + tile + "[s], v[k]); } } }";
}

TEST(HoldBack, the_edge_is_read_again) {
  expect_rewrite(hold_back, copied("tile", "v[r * 2 + a + 1]", "r > 0, r * 2 + a + 1 < 10"),
                 copied("tile", "v[min(r * 2 + a + 1, 9)]", "r > 0"), tiles, wide);
}

TEST(HoldBack, numbers_that_are_moved_together_stay_together) {
  const std::string copy = copied("tile", "v[r * 2 + a]", "r * 2 + a < 10");
  expect_rewrite(hold_back, copy, copy, tiles, wide);
}

TEST(HoldBack, cores_that_move_single_numbers_anyway_ask) {
  expect_unchanged(hold_back, copied("tile", "v[r * 2 + a + 1]", "r * 2 + a + 1 < 10"), tiles);
}

TEST(HoldBack, registers_ask) {
  const std::string copy = copied("own", "v[r * 2 + a + 1]", "r * 2 + a + 1 < 10");
  expect_rewrite(hold_back, copy, copy, tiles, wide);
}

TEST(HoldBack, every_index_along_the_edge_stays_inside_of_its_buffer) {
  expect_rewrite(hold_back, copied("tile", "M[a, r + a]", "a < 3, r * 2 + a < 9"),
                 copied("tile", "M[min(a, 6), min(r + a, 9)]", ""), tiles, wide);
}

TEST(HoldBack, what_is_no_edge_is_asked) {
  const std::string copy = copied("tile", "v[r * 2 + a + 1]", "a + 1 > r");
  expect_rewrite(hold_back, copy, copy, tiles, wide);
}

TEST(HoldBack, where_an_edge_is_to_be_masked_it_is_asked) {
  std::string text = matvec_text(copied("tile", "v[r * 2 + a + 1]", "r * 2 + a + 1 < 10"), tiles);
  const std::string dimension = "dimension k < 10 reduced";
  text.replace(text.find(dimension), dimension.size(), dimension + " edge mask");
  const loop::Program masked = loop::parse(text);
  expect_rewrite_of(hold_back, masked, masked, wide);
}

}  // namespace
}  // namespace mdh::passes::hold_back_test
