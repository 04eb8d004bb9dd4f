#include "mdh/passes/structured/overlap.h"

#include <gtest/gtest.h>

#include "mdh/passes/common/test_programs.h"
#include "mdh/passes/registers/two_bodies.h"

namespace mdh::passes::overlap_test {
namespace {

/// y[i] = x[i] for 10 numbers: c on cores, then h, u copies, a lanes.
const std::string numbers = R"(mdh_loop 1
kernel numbers
dimension i < 10 kept
digit c: COR.i < 1 of i step 16 cores
digit h: L1.i < 2 of i step 8 sequential
digit u: REG.i < 2 of i step 4 unrolled
digit a: SIMD.i < 4 of i step 1 lanes
buffer output y: f32[10]
buffer input x: f32[10]
buffer temporary packed: f32[2, 8] in L1 of core per (c)
buffer temporary tile: f32[8] in REG of registers per (c)
function f(x: f32, i: i64) { y: f32 = x; }
function combine(l: f32, r: f32) { x: f32 = l + r; }
body {)";

TEST(Overlap, a_tile_over_the_edge_is_shifted_back) {
  expect_rewrite_of(two_bodies, loop::parse(numbers + R"(
    deal cores (c < 1) {
      for L1.i h < 2 sequential {
        for REG.i u < min(2, (10 - (c * 16 + h * 8) + 3) / 4) unrolled {
          for SIMD.i a < min(4, 10 - (c * 16 + h * 8 + u * 4)) lanes {
            load l = x[c * 16 + h * 8 + u * 4 + a];
            store y[c * 16 + h * 8 + u * 4 + a] = l;
          }
        }
      }
    } })"),
                    loop::parse(numbers + R"(
    deal cores (c < 1) {
      for L1.i h < 2 sequential {
        let shift_i = max(0, 4 - (10 - (c * 16 + h * 8 + 4)));
        if h * 8 >= shift_i {
          for REG.i u < 2 unrolled {
            for SIMD.i a < 4 lanes {
              load l = x[c * 16 - shift_i + h * 8 + u * 4 + a];
              store y[c * 16 - shift_i + h * 8 + u * 4 + a] = l;
            }
          }
        } else {
          for REG.i u < min(2, (10 - (c * 16 + h * 8) + 3) / 4) unrolled {
            for SIMD.i a < min(4, 10 - (c * 16 + h * 8 + u * 4)) lanes {
              load l = x[c * 16 + h * 8 + u * 4 + a];
              store y[c * 16 + h * 8 + u * 4 + a] = l;
            }
          }
        }
      }
    } })"));
}

/// Whether the tile is shifted: it has the part that may not be, and reads x.
bool is_shifted(const std::string& read, const std::string& more) {
  const loop::Program p = two_bodies(loop::parse(numbers + R"(
    deal cores (c < 1) {
      alloc packed;
      for L1.i h < 2 sequential {
        for REG.i u < min(2, (10 - (c * 16 + h * 8) + 3) / 4) unrolled {
          for SIMD.i a < min(4, 10 - (c * 16 + h * 8 + u * 4)) lanes {
            load l = )" + read + ";" + more + R"(
          }
        }
      }
    } })"));
  return loop::print(p).find("shift_i") != std::string::npos;
}

TEST(Overlap, tiles_that_cannot_be_computed_twice_or_elsewhere_are_not_shifted) {
  const std::string x = "x[c * 16 + h * 8 + u * 4 + a]", y = "y[c * 16 + h * 8 + u * 4 + a]";
  EXPECT_TRUE(is_shifted(x, "store " + y + " = l;"));
  EXPECT_FALSE(is_shifted(x, "load o = " + y + "; combine s = (o; l); store " + y + " = s;"))
      << "combined twice";
  EXPECT_FALSE(is_shifted(x, "load o = y[0]; store " + y + " = l;")) << "read elsewhere";
  EXPECT_FALSE(is_shifted("packed[h, u * 4 + a]", "store " + y + " = l;"))
      << "a place in another tile";
  EXPECT_FALSE(is_shifted("x[h]", "store " + y + " = l;")) << "no index of the dimension";
}

void expect_unchanged_shift(const std::string& declarations) {
  const loop::Program p = two_bodies(loop::parse(declarations + R"(
    deal cores (c < 1) {
      for L1.i h < 2 sequential {
        for REG.i u < min(2, (10 - (c * 16 + h * 3) + 5) / 6) unrolled {
          for SIMD.i a < min(3, 10 - (c * 16 + h * 3 + u * 6)) lanes {
            load l = x[c * 16 + h * 3 + u * 6 + a];
            store y[c * 16 + h * 3 + u * 6 + a] = l;
          }
        }
      }
    } })"));
  EXPECT_EQ(loop::print(p).find("shift_i"), std::string::npos) << loop::print(p);
}

/// Copies that are 6 apart, with the loop between them: shifted back, the second copy covers what
/// is missing of it, but the first one leaves its last elements out.
TEST(Overlap, a_tile_with_holes_is_not_shifted) {
  std::string holes = numbers;
  const auto replace = [&](const std::string& from, const std::string& to) {
    holes.replace(holes.find(from), from.size(), to);
  };
  replace("digit h: L1.i < 2 of i step 8", "digit h: L1.i < 2 of i step 3");
  replace("digit u: REG.i < 2 of i step 4", "digit u: REG.i < 2 of i step 6");
  replace("digit a: SIMD.i < 4 of i", "digit a: SIMD.i < 3 of i");
  expect_unchanged_shift(holes);
}

/// A tile of registers that is filled from somewhere, and then written out.
bool is_shifted_with_tile_from(const std::string& source) {
  const loop::Program p = two_bodies(loop::parse(numbers + R"(
    deal cores (c < 1) {
      for L1.i h < 2 sequential {
        alloc packed;
        for - n < 8 sequential {
          if c * 16 + h * 8 + n < 10 { load l = x[c * 16 + h * 8 + n]; store packed[0, n] = l; }
        }
        for - again < 2 sequential {
          alloc tile;
          for - n < 8 unrolled {
            if c * 16 + h * 8 + n < 10 { load m = )" +
                                                 source + R"(; store tile[n] = m; }
          }
          for REG.i u < min(2, (10 - (c * 16 + h * 8) + 3) / 4) unrolled {
            for SIMD.i a < min(4, 10 - (c * 16 + h * 8 + u * 4)) lanes {
              load o = tile[u * 4 + a];
              store y[c * 16 + h * 8 + u * 4 + a] = o;
            }
          }
        }
      }
    } })"));
  return loop::print(p).find("shift_i") != std::string::npos;
}

TEST(Overlap, a_tile_that_was_filled_for_this_place_is_not_read_at_another) {
  EXPECT_TRUE(is_shifted_with_tile_from("x[c * 16 + h * 8 + n]"));
  // Its places do not mention the dimension, what is in them does.
  EXPECT_FALSE(is_shifted_with_tile_from("packed[0, n]"));
}

}  // namespace
}  // namespace mdh::passes::overlap_test
