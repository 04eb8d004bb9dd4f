#include "mdh/passes/form_teams.h"

#include <gtest/gtest.h>

#include "mdh/passes/test_programs.h"

namespace mdh::passes {
namespace {

TEST(FormTeams, what_needs_no_team_is_one_part) {
  const std::string loops = R"(
    sequential L1.i p < 7 of i step 1 {
      sequential L1.k q < 10 of k step 1 { accumulate (w[i]) first (q) from (M[i, k], v[k]); }
    })";
  expect_rewrite(form_teams, loops, "deal () {" + loops + "}");
}

TEST(FormTeams, loops_on_cores_become_dealt_parts) {
  const std::string row = R"(
    sequential L1.k q < 10 of k step 1 { accumulate (w[i]) first (q) from (M[i, k], v[k]); })";
  expect_rewrite(form_teams, "cores COR.i c < 7 of i step 1 {" + row + "}",
                 "deal (COR.i c < 7 of i step 1) {" + row + "}");
}

TEST(FormTeams, parts_without_points_are_guarded) {
  const std::string rows = R"(
    sequential L1.i p < 2 of i step 1 {
      sequential L1.k q < 10 of k step 1 { accumulate (w[i]) first (q) from (M[i, k], v[k]); }
    })";
  // Parts begin at 0, 2, 4, 6 and, with a fifth one, at 8.
  expect_rewrite(form_teams, "cores COR.i c < 4 of i step 2 {" + rows + "}",
                 "deal (COR.i c < 4 of i step 2) {" + rows + "}");
  expect_rewrite(form_teams, "cores COR.i c < 5 of i step 2 {" + rows + "}",
                 "deal (COR.i c < 5 of i step 2) { if c * 2 < 7 {" + rows + "} }");
}

TEST(FormTeams, cores_in_several_dimensions_are_dealt_together) {
  expect_rewrite(form_teams, R"(
    cores COR.i c < 9 of i step 1 {
      unrolled REG.k r < 4 of k step 3 {
        cores COR.i d < 1 of i step 1 {
          sequential L1.k q < 3 of k step 1 { accumulate (w[i]) first (r, q) from (M[i, k], v[k]); }
        }
      }
    })",
                 R"(
    unrolled REG.k r < 4 of k step 3 {
      deal (COR.i c < 9 of i step 1, COR.i d < 1 of i step 1) {
        if c + d < 7 {
          sequential L1.k q < 3 of k step 1 { accumulate (w[i]) first (r, q) from (M[i, k], v[k]); }
        }
      }
    })");
}

TEST(FormTeams, a_loop_around_a_team_moves_out_and_combinations_stand_between_barriers) {
  expect_rewrite(form_teams, R"(
    cores COR.i a < 7 of i step 1 {
      sequential L2.k s < 2 of k step 6 {
        cores COR.k b < 3 of k step 2 {
          sequential L1.k q < 2 of k step 1 { accumulate (t[a, b]) first (q) from (M[i, k], v[k]); }
        }
        team_combine COR.k b < 3 of k step 2 elements () (w[i]) first (s) from (t[a, b]);
      }
    })",
                 R"(
    sequential L2.k s < 2 of k step 6 {
      deal (COR.i a < 7 of i step 1, COR.k b < 3 of k step 2) {
        if s * 6 + b * 2 < 10 {
          sequential L1.k q < 2 of k step 1 { accumulate (t[a, b]) first (q) from (M[i, k], v[k]); }
        }
      }
      barrier;
      deal (COR.i a < 7 of i step 1) {
        sequential COR.k b < 3 of k step 2 { write_up (w[i]) first (s, b) from (t[a, b]); }
      }
      barrier;
    })");
}

TEST(FormTeams, elements_of_a_combination_are_dealt_and_guarded) {
  expect_rewrite(form_teams, R"(
    cores COR.k b < 4 of k step 3 {
      sequential L2.i o < 5 of i step 2 {
        sequential L1.i p < 2 of i step 1 {
          sequential L1.k q < 3 of k step 1 {
            accumulate (t[o * 2 + p, b]) first (q) from (M[i, k], v[k]);
          }
        }
      }
    }
    team_combine COR.k b < 4 of k step 3
      elements (L2.i o < 5 of i step 2, L1.i p < 2 of i step 1)
      (w[i]) first () from (t[o * 2 + p, b]);)",
                 R"(
    deal (COR.k b < 4 of k step 3) {
      sequential L2.i o < 5 of i step 2 {
        sequential L1.i p < 2 of i step 1 {
          sequential L1.k q < 3 of k step 1 {
            accumulate (t[o * 2 + p, b]) first (q) from (M[i, k], v[k]);
          }
        }
      }
    }
    barrier;
    deal (L2.i o < 5 of i step 2, L1.i p < 2 of i step 1) {
      if o * 2 + p < 7 {
        sequential COR.k b < 4 of k step 3 { write_up (w[i]) first (b) from (t[o * 2 + p, b]); }
      }
    }
    barrier;)");
}

TEST(FormTeams, elements_beyond_64_parts_stay_loops_of_the_part) {
  const std::string declarations = R"(mdh_loop 1
kernel sums
dimension i < 200
dimension k < 2 reduced
buffer output y: i64[200]
buffer input x: i64[200, 2]
buffer workspace t: i64[2, 200]
function f(x: i64, i: i64, k: i64) { y: i64 = x; }
function combine(l: i64, r: i64) { x: i64 = l + r; }
)";
  const loop::Program before = loop::parse(declarations + R"(body {
  team_combine COR.k c < 2 of k step 1
    elements (L3.i o < 25 of i step 8, L2.i p < 4 of i step 2, L1.i q < 2 of i step 1)
    (y[i]) first () from (t[c, o * 8 + p * 2 + q]);
})");
  // 25 parts are too few, 100 enough.
  const loop::Program after = loop::parse(declarations + R"(body {
  barrier;
  deal (L3.i o < 25 of i step 8, L2.i p < 4 of i step 2) {
    sequential L1.i q < 2 of i step 1 {
      sequential COR.k c < 2 of k step 1 {
        write_up (y[i]) first (c) from (t[c, o * 8 + p * 2 + q]);
      }
    }
  }
  barrier;
})");
  EXPECT_EQ(loop::print(form_teams(before)), loop::print(after));
}

TEST(FormTeams, nested_teams_combine_level_by_level) {
  expect_rewrite(form_teams, R"(
    cores COR.k a < 2 of k step 6 {
      cores L2.k b < 3 of k step 2 {
        sequential L1.k q < 2 of k step 1 {
          sequential L1.i p < 7 of i step 1 { accumulate (t[a, b]) first (q) from (M[i, k], v[k]); }
        }
      }
      team_combine L2.k b < 3 of k step 2 elements () (t[a, 3]) first () from (t[a, b]);
    }
    team_combine COR.k a < 2 of k step 6 elements () (w[0]) first () from (t[a, 3]);)",
                 R"(
    deal (COR.k a < 2 of k step 6, L2.k b < 3 of k step 2) {
      if a * 6 + b * 2 < 10 {
        sequential L1.k q < 2 of k step 1 {
          sequential L1.i p < 7 of i step 1 { accumulate (t[a, b]) first (q) from (M[i, k], v[k]); }
        }
      }
    }
    barrier;
    deal (COR.k a < 2 of k step 6) {
      sequential L2.k b < 3 of k step 2 { write_up (t[a, 3]) first (b) from (t[a, b]); }
    }
    barrier;
    barrier;
    deal () {
      sequential COR.k a < 2 of k step 6 { write_up (w[0]) first (a) from (t[a, 3]); }
    }
    barrier;)");
}

}  // namespace
}  // namespace mdh::passes
