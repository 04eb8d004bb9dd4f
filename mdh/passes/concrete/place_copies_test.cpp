#include "mdh/passes/concrete/place_copies.h"

#include <gtest/gtest.h>

#include "mdh/passes/common/test_programs.h"

namespace mdh::passes::place_copies_test {
namespace {

/// Blanks and line ends as single blanks.
std::string squeezed(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const bool blank = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (!blank || !result.ends_with(' ')) result += blank ? ' ' : c;
  }
  return result;
}

const More more{{},
                "buffer temporary v_l1: i64[4] in L1 of core per ()\n"
                "buffer temporary M_l1: i64[2, 3] in L1 of core per (c)\n"};

TEST(PlaceCopies, a_copy_is_a_loop_with_a_load_and_a_store) {
  expect_rewrite(place_copies, R"(
    deal cores () { copy (a < 4) v_l1[a] = v[a + 1] within () team (); })",
                 R"(
    deal cores () { for - a < 4 sequential { load v_l1_x = v[a + 1]; store v_l1[a] = v_l1_x; } })",
                 more);
}

TEST(PlaceCopies, axes_are_loops_from_outside_in_and_all_conditions_hold) {
  expect_rewrite(place_copies, R"(
    deal cores (c < 7) {
      copy (a < 2, b < 3) M_l1[a, b] = M[c + a, b - 1] within (c + a < 7, b - 1 >= 0) team (c);
    })",
                 R"(
    deal cores (c < 7) {
      for - a < 2 sequential { for - b < 3 sequential {
        if c + a < 7 && b - 1 >= 0 { load M_l1_x = M[c + a, b - 1]; store M_l1[a, b] = M_l1_x; }
      } }
    })",
                 more);
}

TEST(PlaceCopies, what_is_the_same_for_the_whole_tile_is_decided_before_it) {
  expect_rewrite(place_copies, R"(
    deal cores (c < 7) {
      copy (a < 4) v_l1[a] = v[c + a] within (c > 0, c + a < 10, c < 5) team ();
    })",
                 R"(
    deal cores (c < 7) {
      if c > 0 && c < 5 {
        for - a < 4 sequential {
          if c + a < 10 { load v_l1_x = v[c + a]; store v_l1[a] = v_l1_x; }
        }
      }
    })",
                 more);
}

TEST(PlaceCopies, a_copy_without_axes_is_one_element) {
  expect_rewrite(place_copies, "deal cores () { copy () v_l1[0] = v[3] within () team (); }",
                 "deal cores () { load v_l1_x = v[3]; store v_l1[0] = v_l1_x; }", more);
}

TEST(PlaceCopies, every_copy_has_a_value_of_its_own) {
  expect_rewrite(place_copies, R"(
    deal cores () {
      copy () v_l1[0] = v[3] within () team ();
      copy () v_l1[1] = v[4] within () team ();
    })",
                 R"(
    deal cores () {
      load v_l1_x = v[3]; store v_l1[0] = v_l1_x;
      load v_l1_x_ = v[4]; store v_l1[1] = v_l1_x_;
    })",
                 more);
}

TEST(PlaceCopies, an_asynchronous_copy_issues_its_elements) {
  expect_rewrite(place_copies, R"(
    deal cores (c < 7) {
      copy async (a < 2, b < 3) M_l1[a, b] = M[c + a, b] within (c + a < 7) team (c);
      commit;
      wait 0;
    })",
                 R"(
    deal cores (c < 7) {
      for - a < 2 sequential { for - b < 3 sequential {
        if c + a < 7 { async M_l1[a, b] = M[c + a, b]; }
      } }
      commit;
      wait 0;
    })",
                 more);
}

TEST(PlaceCopies, records_longer_than_a_line_are_asked_for_one_by_one) {
  const loop::Program p = place_copies(loop::parse(R"(mdh_loop 1
kernel pick
record wide { v: f64[9]; }
dimension i < 4 kept
digit c: COR.i < 1 of i step 4 cores
digit l: L1.i < 4 of i step 1 sequential
buffer output y: wide[4]
buffer input x: wide[9]
buffer temporary t: wide[2] in L1 of core per (c)
function f(x: wide, i: i64) { y: wide = x; }
function combine() { }
body {
  deal cores (c < 1) {
    loop l {
      alloc t;
      copy (a < 2) t[a] = x[l + a] within () team () ahead l by 3;
    }
  }
})"));
  EXPECT_NE(loop::print(p).find("for - t_line < 2 unrolled {"), std::string::npos)
      << loop::print(p);
}

// ---- other targets

/// A row of 16 numbers of 8 bytes, two rows ahead of time.
const char* const asked_ahead = R"(mdh_loop 1
kernel pick
dimension i < 4 kept
digit c: COR.i < 1 of i step 4 cores
digit l: L1.i < 4 of i step 1 sequential
buffer output y: i64[4]
buffer input x: i64[9, 16]
buffer temporary t: i64[16] in L1 of core per (c)
function f(x: i64, i: i64) { y: i64 = x; }
function combine() { }
body {
  deal cores (c < 1) {
    loop l {
      alloc t;
      copy (a < 16) t[a] = x[l, a] within () team () ahead l by 2;
    }
  }
})";

TEST(PlaceCopies, every_cache_line_of_the_target_is_asked_for_once) {
  const auto lines = [](const machine::TargetFacts& facts) {
    const std::string text = loop::print(place_copies(loop::parse(asked_ahead), facts));
    const size_t loop = text.find("for - t_line");
    return text.substr(loop, text.find(';', loop) - loop);
  };
  EXPECT_EQ(squeezed(lines({})), "for - t_line < 2 unrolled { prefetch x[l + 2, t_line * 8]");
  EXPECT_EQ(squeezed(lines({.line_bytes = 32})),
            "for - t_line < 4 unrolled { prefetch x[l + 2, t_line * 4]");
  EXPECT_EQ(squeezed(lines({.line_bytes = 128})),
            "for - t_line < 1 unrolled { prefetch x[l + 2, t_line * 16]");
}

const More in_registers{"digit a: SIMD.k < 4 of k step 1 lanes\n",
                        "buffer temporary tile: i64[10] in REG of registers per (c)\n"};

const std::string fills_registers = R"(
    deal cores (c < 7) { copy (b < 10) tile[b] = v[b] within () team (); })";

TEST(PlaceCopies, a_register_tile_is_cut_into_vectors_of_the_target) {
  // Four lanes of 8 bytes are one vector where vectors have 32 bytes.
  expect_rewrite(place_copies, fills_registers, R"(
    deal cores (c < 7) {
      for - tile_v < 2 unrolled { for - tile_n < 4 lanes {
        load tile_x_ = v[tile_v * 4 + tile_n]; store tile[tile_v * 4 + tile_n] = tile_x_;
      } }
      for - tile_r < 2 unrolled {
        load tile_x_2 = v[tile_r + 8]; store tile[tile_r + 8] = tile_x_2;
      }
    })",
                 in_registers, {.indexed_bytes = 32});
}

TEST(PlaceCopies, a_register_tile_of_other_vectors_is_filled_by_elements) {
  expect_rewrite(place_copies, fills_registers, R"(
    deal cores (c < 7) {
      for - b < 10 unrolled { load tile_x = v[b]; store tile[b] = tile_x; }
    })",
                 in_registers, {.indexed_bytes = 16});
}

}  // namespace
}  // namespace mdh::passes::place_copies_test
