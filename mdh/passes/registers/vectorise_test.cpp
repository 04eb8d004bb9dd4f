// Vectors, and tiles of registers.
#include <gtest/gtest.h>

#include "mdh/passes/concrete/place_copies.h"
#include "mdh/passes/registers/test_registers.h"
#include "mdh/passes/registers/vectorise.h"
#include "mdh/passes/structured/forward.h"

namespace mdh::passes::vectorise_test {
namespace {

// ---- vectors

TEST(Vectorise, loops_over_lanes_run_in_lockstep) {
  expect_rewrite(vectorise, R"(
    deal cores (c < 7) {
      for SIMD.k a < 4 lanes {
        let k = a + 4;
        load x = M[c, k];
        load y = v[c];
        apply z = f(x, y; c, k);
        load old = acc[1, a];
        combine sum = (old; z);
        store acc[1, a] = sum;
      }
    })",
                 R"(
    deal cores (c < 7) {
      lanes SIMD.k a < 4 {
        load x_ = M[c, a + 4];
        load y_ = v[c];
        apply z_ = f(x_, y_; c, a + 4);
        load old_ = acc[1, a];
        combine sum_ = (old_; z_);
        store acc[1, a] = sum_;
      }
    })",
                 registers);
}

TEST(Vectorise, lanes_that_meet_in_one_element_take_turns) {
  expect_rewrite(vectorise, R"(
    deal cores (c < 7) {
      for SIMD.k a < 2 lanes {
        load x = acc[0, a];
        load old = w[c];
        combine sum = (old; x);
        store w[c] = sum;
      }
    })",
                 R"(
    deal cores (c < 7) {
      load x_2 = acc[0, 0];
      load old_2 = w[c];
      combine sum_2 = (old_2; x_2);
      store w[c] = sum_2;
      load x_3 = acc[0, 1];
      load old_3 = w[c];
      combine sum_3 = (old_3; x_3);
      store w[c] = sum_3;
    })",
                 registers);
}

TEST(Vectorise, lanes_of_which_some_meet_take_turns) {
  expect_meaning(vectorise, R"(
    deal cores (c < 7) {
      alloc acc;
      for - x < 2 sequential { load one = v[x]; store acc[0, x] = one; }
      for SIMD.k a < 4 lanes {
        load m = M[c, a];
        load old = acc[0, a / 2];
        combine sum = (old; m);
        store acc[0, a / 2] = sum;
      }
      load b = acc[0, 1];
      store w[c] = b;
    })");
}

TEST(Vectorise, numbers_of_four_bytes_go_with_those_of_eight) {
  const std::string copies = R"(
    deal cores (c < 7) {
      HOW { load X = small[c, a]; store small[c, a] = X; }
    })";
  const auto with = [&](const std::string& how, const std::string& value) {
    std::string text = copies;
    text.replace(text.find("HOW"), 3, how);
    text.replace(text.find('X'), 1, value);
    return text.replace(text.find('X'), 1, value);
  };
  const std::string loop = with("for SIMD.k a < 4 lanes", "x");
  const std::string lanes = with("lanes SIMD.k a < 4", "x_");
  for (const char* type : {"i32", "f32", "u64"}) {
    const More more{registers.digits, "buffer temporary small: " + std::string(type) +
                                          "[7, 4] in MM of all per ()\n"};
    expect_rewrite(vectorise, loop, lanes, more);
  }
  for (const char* type : {"i16", "u8", "bool", "f16"}) {
    const More more{registers.digits, "buffer temporary small: " + std::string(type) +
                                          "[7, 4] in MM of all per ()\n"};
    expect_rewrite(vectorise, loop, loop, more);
  }
}

TEST(Vectorise, without_registers_a_loop_that_cannot_be_vectors_stays_one) {
  const std::string body = R"(
    deal cores (c < 7) {
      for SIMD.k a < 4 lanes {
        load x = M[c, a];
        load old = w[c];
        combine sum = (old; x);
        store w[c] = sum;
      }
      for SIMD.k a < min(4, 7 - c) lanes { load y = M[c, a]; store t[c, a] = y; }
    })";
  expect_rewrite(vectorise, body, body, registers);
}

// ---- tiles

TEST(PlaceCopies, tiles_of_registers_are_filled_by_vectors) {
  // Lanes of 64-bit numbers here have 32 bytes, of which single lanes are not used: only an axis of
  // exactly as many elements is a vector.
  const More more{registers.digits + "digit z: SIMD.i < 2 of i step 1 lanes\n",
                  "buffer temporary two: i64[3, 4] in REG of registers per (c)\n"};
  expect_rewrite(place_copies, R"(
    deal cores (c < 7) {
      copy (x < 3, y < 4) two[x, y] = M[x, y] within () team ();
    })",
                 R"(
    deal cores (c < 7) {
      for - x < 3 unrolled { for - y < 4 lanes { load two_x = M[x, y]; store two[x, y] = two_x; } }
    })",
                 more);
}

TEST(PlaceCopies, of_small_vectors_single_lanes_are_used_and_the_rest_is_single) {
  const More more{"digit z: SIMD.i < 2 of i step 1 lanes\n",
                  "buffer temporary five: i64[5] in REG of registers per (c)\n"};
  expect_rewrite(place_copies, R"(
    deal cores (c < 7) {
      copy (x < 5) five[x] = v[c + x] within (c + x < 10) team ();
    })",
                 R"(
    deal cores (c < 7) {
      for - five_v < 2 unrolled {
        for - five_n < 2 lanes {
          if c + (five_v * 2 + five_n) < 10 {
            load five_x_ = v[c + (five_v * 2 + five_n)];
            store five[five_v * 2 + five_n] = five_x_;
          }
        }
      }
      for - five_r < 1 unrolled {
        if c + (five_r + 4) < 10 {
          load five_x_2 = v[c + (five_r + 4)];
          store five[five_r + 4] = five_x_2;
        }
      }
    })",
                 more);
}

TEST(Forward, neighbours_in_lanes_are_read_from_the_source) {
  expect_rewrite(forward, R"(
    loop c { loop h {
      alloc tile;
      copy (x < 10) tile[x] = v[h + x] within () team ();
      loop u { loop a { accumulate (acc[u, a]) first () from (tile[u * 4 + a + 1], v[k]); } }
    } })",
                 R"(
    loop c { loop h {
      loop u { loop a { accumulate (acc[u, a]) first () from (v[h + (u * 4 + a + 1)], v[k]); } }
    } })",
                 registers);
}

TEST(Forward, tiles_that_serve_whole_vectors_or_single_elements_stay) {
  const std::string body = R"(
    loop c { loop h {
      alloc tile;
      copy (x < 10) tile[x] = v[h + x] within () team ();
      loop u { loop a { accumulate (acc[u, a]) first () from (tile[u * 4 + a], tile[u + 1]); } }
    } })";
  expect_rewrite(forward, body, body, registers);
}

TEST(Forward, a_tile_that_outlives_straight_code_stays) {
  const std::string body = R"(
    loop c {
      alloc tile;
      copy (x < 10) tile[x] = v[x] within () team ();
      loop h { loop u { loop a {
        accumulate (acc[u, a]) first () from (tile[u * 4 + a + 1], v[k]);
      } } }
    })";
  expect_rewrite(forward, body, body, registers);
}

/// h and u over all columns but for the last ones.
const More tiles{R"(digit h: L1.k < 2 of k step 8 sequential
digit u: REG.k < 2 of k step 4 unrolled
digit a: SIMD.k < 4 of k step 1 lanes
)",
                 R"(buffer temporary tile: i64[9] in REG of registers per (c)
buffer temporary source: i64[9] in L1 of core per (c)
)"};

const std::string neighbours = R"(
    loop u { loop a {
      accumulate (w[i]) first (h, u, a) from (tile[u * 4 + a + 1], M[i, k]);
    } })";

TEST(Forward, a_source_that_changes_is_not_read_instead) {
  expect_meaning(forward,
                 R"(
    loop c { loop h {
      alloc source; alloc tile;
      copy (x < 9) source[x] = v[x] within () team ();
      copy (x < 9) tile[x] = source[x] within () team ();
      copy (x < 9) source[x] = v[9 - x] within () team ();)" +
                     neighbours + "} }",
                 tiles);
}

TEST(Forward, a_tile_that_is_filled_twice_stays) {
  expect_meaning(forward,
                 R"(
    loop c { loop h {
      alloc tile;
      copy (x < 9) tile[x] = v[x] within () team ();
      copy (x < 3) tile[x] = v[9 - x] within () team ();)" +
                     neighbours + "} }",
                 tiles);
}

TEST(Forward, a_tile_that_keeps_what_it_had_stays) {
  expect_meaning(forward,
                 R"(
    loop c { alloc tile; loop h {
      copy (x < 9) tile[x] = v[x + h] within (h == 0) team ();)" +
                     neighbours + "} }",
                 tiles);
}

}  // namespace
}  // namespace mdh::passes::vectorise_test
