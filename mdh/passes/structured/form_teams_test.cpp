#include "mdh/passes/structured/form_teams.h"

#include <gtest/gtest.h>

#include "mdh/passes/common/test_programs.h"

namespace mdh::passes::form_teams_test {
namespace {

// ---- one team of all cores

TEST(FormTeams, what_needs_no_team_is_one_share) {
  const std::string loops =
      "loop p { loop q { accumulate (w[i]) first (q) from (M[i, k], v[k]); } }";
  expect_rewrite(form_teams, loops, "deal cores () {" + loops + "}");
}

TEST(FormTeams, an_empty_body_stays_empty) { expect_unchanged(form_teams, ""); }

TEST(FormTeams, loops_on_cores_and_on_the_grid_become_dealt_shares) {
  const std::string row = "loop q { accumulate (w[i]) first (q) from (M[i, k], v[k]); }";
  expect_rewrite(form_teams, "loop c {" + row + "}", "deal cores (c < 7) {" + row + "}");
  expect_rewrite(form_teams, "loop g {" + row + "}", "deal cores (g < 7) {" + row + "}",
                 {"digit g: BLK.i < 7 of i step 1 grid\n", {}});
}

TEST(FormTeams, parts_without_points_are_guarded) {
  const std::string rows =
      "loop n { loop q { accumulate (w[i]) first (q) from (M[i, k], v[k]); } }";
  // Parts begin at 0, 2, 4, 6 and, with a fifth one, at 8.
  expect_rewrite(form_teams, "loop a {" + rows + "}", "deal cores (a < 4) {" + rows + "}",
                 {"digit a: COR.i < 4 of i step 2 cores\n", {}});
  expect_rewrite(form_teams, "loop a {" + rows + "}",
                 "deal cores (a < 5) { if a * 2 < 7 {" + rows + "} }",
                 {"digit a: COR.i < 5 of i step 2 cores\n", {}});
}

TEST(FormTeams, cores_in_several_dimensions_are_dealt_together_and_loops_between_move_out) {
  expect_rewrite(form_teams, R"(
    loop c { loop u { loop d { loop s {
      accumulate (t[c, d]) first (s) from (M[i, k], v[k]);
    } } } })",
                 R"(
    loop u { deal cores (c < 7, d < 5) { loop s {
      accumulate (t[c, d]) first (s) from (M[i, k], v[k]);
    } } })",
                 {"digit u: REG.i < 1 of i step 7 unrolled\n", {}});
}

// ---- slots

TEST(FormTeams, a_loop_around_a_team_moves_out_and_slots_are_folded_collectively) {
  expect_rewrite(form_teams, R"(
    loop c {
      loop a {
        loop b { loop s { accumulate (t[c, b]) first (s) from (M[i, k], v[k]); } }
        team_combine b elements () (w[i]) first (a) from (t[c, b]);
      }
    })",
                 R"(
    loop a {
      deal cores (c < 7, b < 3) {
        if a * 6 + b * 2 < 10 { loop s { accumulate (t[c, b]) first (s) from (M[i, k], v[k]); } }
      }
      deal cores (c < 7) collective {
        for COR.k b < min(3, (10 - a * 6 + 1) / 2) sequential {
          write_up () (w[i]) first (a, b) from (t[c, b]);
        }
      }
    })",
                 {"digit a: MM.k < 2 of k step 6 sequential\n"
                  "digit b: COR.k < 3 of k step 2 cores\n",
                  {}});
}

TEST(FormTeams, elements_of_a_combination_are_dealt_and_guarded) {
  expect_rewrite(form_teams, R"(
    loop d { loop o { loop n { loop s {
      accumulate (t[o * 2 + n, d]) first (s) from (M[i, k], v[k]);
    } } } }
    team_combine d elements (o, n) (w[i]) first () from (t[o * 2 + n, d]);)",
                 R"(
    deal cores (d < 5) { loop o { loop n { loop s {
      accumulate (t[o * 2 + n, d]) first (s) from (M[i, k], v[k]);
    } } } }
    deal cores (o < 5, n < 2) collective {
      if o * 2 + n < 7 {
        for COR.k d < 5 sequential {
          write_up () (w[i]) first (d) from (t[o * 2 + n, d]);
        }
      }
    })");
}

TEST(FormTeams, elements_beyond_64_shares_stay_loops_of_the_share) {
  const std::string declarations = R"(mdh_loop 1
kernel sums
dimension i < 200 kept
dimension k < 2 reduced
digit c: COR.k < 2 of k step 1 cores
digit o: L3.i < 25 of i step 8 sequential
digit p: L2.i < 4 of i step 2 sequential
digit q: L1.i < 2 of i step 1 sequential
buffer output y: i64[200]
buffer input x: i64[200, 2]
buffer temporary t: i64[2, 200] in MM of all per ()
function f(x: i64, i: i64, k: i64) { y: i64 = x; }
function combine(l: i64, r: i64) { x: i64 = l + r; }
)";
  // 25 shares are too few, 100 enough.
  expect_rewrite_of(form_teams, loop::parse(declarations + R"(body {
  alloc t;
  team_combine c elements (o, p, q) (y[i]) first () from (t[c, o * 8 + p * 2 + q]);
})"),
                    loop::parse(declarations + R"(body {
  alloc t;
  deal cores (o < 25, p < 4) collective {
    loop q {
      for COR.k c < 2 sequential {
        write_up () (y[i]) first (c) from (t[c, o * 8 + p * 2 + q]);
      }
    }
  }
})"));
}

TEST(FormTeams, nested_teams_combine_level_by_level) {
  expect_rewrite(form_teams, R"(
    loop a {
      loop b { loop s { loop p { accumulate (t[a, b]) first (s) from (M[i, k], v[k]); } } }
      team_combine b elements () (t[a, 3]) first () from (t[a, b]);
    }
    team_combine a elements () (w[0]) first () from (t[a, 3]);)",
                 R"(
    deal cores (a < 2, b < 3) {
      if a * 6 + b * 2 < 10 {
        loop s { loop p { accumulate (t[a, b]) first (s) from (M[i, k], v[k]); } }
      }
    }
    deal cores (a < 2) collective {
      for L2.k b < min(3, (10 - a * 6 + 1) / 2) sequential {
        write_up () (t[a, 3]) first (b) from (t[a, b]);
      }
    }
    deal cores () collective {
      for COR.k a < 2 sequential { write_up () (w[0]) first (a) from (t[a, 3]); }
    })",
                 {"digit a: COR.k < 2 of k step 6 cores\n"
                  "digit b: L2.k < 3 of k step 2 cores\n",
                  {}});
}

// ---- copies

TEST(FormTeams, a_team_fills_its_tile_together_and_loops_around_it_run_in_lockstep) {
  expect_rewrite(form_teams, R"(
    loop c {
      loop r {
        alloc v_sh;
        copy (a < 2) v_sh[a] = v[r * 2 + a] within () team (c);
        loop s { accumulate (w[i]) first (r, s) from (M[i, k], v_sh[s]); }
      }
    })",
                 R"(
    loop r {
      alloc v_sh;
      deal cores (a < 2) collective { copy () v_sh[a] = v[r * 2 + a] within () team (); }
      deal cores (c < 7) { loop s { accumulate (w[i]) first (r, s) from (M[i, k], v_sh[s]); } }
    })",
                 {{}, "buffer temporary v_sh: i64[2] in SM of group per ()\n"});
}

TEST(FormTeams, a_tile_per_member_of_an_outer_team_is_filled_for_each_of_them) {
  // Members of d fill the tile of each c together; axes are dealt until there are 64 shares.
  expect_rewrite(form_teams, R"(
    loop c { loop d {
      alloc M_sh;
      copy (a < 9, b < 10) M_sh[a, b] = M[c, b] within (c + a < 7) team (d);
      loop s { accumulate (t[c, d]) first (s) from (M_sh[0, k], v[k]); }
    } })",
                 R"(
    alloc M_sh;
    deal cores (c < 7, a < 9, b < 10) collective {
      copy () M_sh[a, b] = M[c, b] within (c + a < 7) team ();
    }
    deal cores (c < 7, d < 5) { loop s { accumulate (t[c, d]) first (s) from (M_sh[0, k], v[k]); } })",
                 {{}, "buffer temporary M_sh: i64[9, 10] in SM of group per (c)\n"});
}

TEST(FormTeams, axes_beyond_64_shares_stay_axes_of_the_copy) {
  expect_rewrite(form_teams, R"(
    loop d {
      alloc M_sh;
      copy (a < 7, b < 10, e < 2) M_sh[a, b, e] = M[a, b] within () team (d);
      loop s { loop p { accumulate (t[p, d]) first (s) from (M_sh[p, k, 0], v[k]); } }
    })",
                 R"(
    alloc M_sh;
    deal cores (a < 7, b < 10) collective {
      copy (e < 2) M_sh[a, b, e] = M[a, b] within () team ();
    }
    deal cores (d < 5) {
      loop s { loop p { accumulate (t[p, d]) first (s) from (M_sh[p, k, 0], v[k]); } }
    })",
                 {{}, "buffer temporary M_sh: i64[7, 10, 2] in SM of group per ()\n"});
}

TEST(FormTeams, a_member_copies_for_itself_in_its_own_share) {
  const std::string body = R"(
      alloc v_own;
      copy (a < 10) v_own[a] = v[a] within () team ();
      loop q { accumulate (w[i]) first (q) from (M[i, k], v_own[q]); })";
  expect_rewrite(form_teams, "loop c {" + body + "}", "deal cores (c < 7) {" + body + "}",
                 {{}, "buffer temporary v_own: i64[10] in L1 of core per (c)\n"});
}

TEST(FormTeams, cores_that_come_later_help_to_copy) {
  // Every c has a tile; the members of d would have nothing to do meanwhile.
  expect_rewrite(form_teams, R"(
    loop c {
      alloc v_own;
      copy (a < 10) v_own[a] = v[a] within () team ();
      loop d { loop s { accumulate (t[c, d]) first (s) from (M[i, k], v_own[k]); } }
    })",
                 R"(
    alloc v_own;
    deal cores (c < 7, a < 10) collective { copy () v_own[a] = v[a] within () team (); }
    deal cores (c < 7, d < 5) {
      loop s { accumulate (t[c, d]) first (s) from (M[i, k], v_own[k]); }
    })",
                 {{}, "buffer temporary v_own: i64[10] in L1 of core per (c)\n"});
}

// ---- write_up

TEST(FormTeams, members_write_up_their_own_results) {
  expect_rewrite(form_teams, R"(
    loop r {
      loop c { loop s { accumulate (t[c, 0]) first (s) from (M[i, k], v[k]); } }
      write_up (c) (w[i]) first (r) from (t[c, 0]);
    })",
                 R"(
    loop r {
      deal cores (c < 7) { loop s { accumulate (t[c, 0]) first (s) from (M[i, k], v[k]); } }
      deal cores (c < 7) { write_up () (w[i]) first (r) from (t[c, 0]); }
    })");
}

TEST(FormTeams, digits_that_are_not_dealt_stay_with_the_member) {
  expect_rewrite(form_teams, R"(
    loop a { loop n { loop q { accumulate (t[a * 2 + n, 0]) first (q) from (M[i, k], v[k]); } } }
    write_up (a, n) (w[i]) first () from (t[a * 2 + n, 0]);)",
                 R"(
    deal cores (a < 5) { if a * 2 < 7 {
      loop n { loop q { accumulate (t[a * 2 + n, 0]) first (q) from (M[i, k], v[k]); } }
    } }
    deal cores (a < 5) { if a * 2 < 7 {
      write_up (n) (w[i]) first () from (t[a * 2 + n, 0]);
    } })",
                 {"digit a: COR.i < 5 of i step 2 cores\n", {}});
}

TEST(FormTeams, statements_between_teams_are_done_once_by_one_share) {
  expect_rewrite(form_teams, R"(
    loop c { loop q { accumulate (t[c, 0]) first (q) from (M[i, k], v[k]); } }
    write_up (p) (w[i]) first () from (t[p, 0]);
    write_up (c) (t[c, 1]) first () from (t[c, 0]);)",
                 R"(
    deal cores (c < 7) { loop q { accumulate (t[c, 0]) first (q) from (M[i, k], v[k]); } }
    deal cores () { write_up (p) (w[i]) first () from (t[p, 0]); }
    deal cores (c < 7) { write_up () (t[c, 1]) first () from (t[c, 0]); })");
}

// ---- a grid of teams

const More grid{R"(digit g: BLK.i < 4 of i step 2 grid
digit h: THR.i < 2 of i step 1 cores
digit x: BLK.k < 5 of k step 2 grid
)",
                "buffer temporary v_sh: i64[2] in SM of group per (g)\n"};

TEST(FormGrid, loops_on_the_grid_are_dealt_and_those_on_cores_stay) {
  expect_rewrite(form_grid, "loop g { loop h { alloc t; } }",
                 "deal grid (g < 4) { loop h { alloc t; } }", grid);
}

TEST(FormGrid, what_the_grid_does_together_all_cores_do) {
  expect_rewrite(form_grid, R"(
    loop x { loop p { loop s { accumulate (t[p, x]) first (s) from (M[i, k], v[k]); } } }
    team_combine x elements (p) (w[i]) first () from (t[p, x]);)",
                 R"(
    deal grid (x < 5) { loop p { loop s { accumulate (t[p, x]) first (s) from (M[i, k], v[k]); } } }
    deal all (p < 7) collective {
      for BLK.k x < 5 sequential { write_up () (w[i]) first (x) from (t[p, x]); }
    })",
                 grid);
}

TEST(FormGrid, a_copy_for_the_whole_grid_is_made_by_all_cores_one_element_each) {
  expect_rewrite(
      form_grid, R"(
    alloc u;
    copy (a < 7, b < 10, e < 2) u[a, b, e] = M[a, b] within () team ();
    loop g { loop h { loop q { accumulate (w[i]) first (q) from (u[i, k, 0], v[k]); } } })",
      R"(
    alloc u;
    deal all (a < 7, b < 10, e < 2) collective { copy () u[a, b, e] = M[a, b] within () team (); }
    deal grid (g < 4) {
      loop h { loop q { accumulate (w[i]) first (q) from (u[i, k, 0], v[k]); } }
    })",
      {grid.digits, grid.buffers + "buffer temporary u: i64[7, 10, 2] in DM of all per ()\n"});
}

TEST(FormGroups, cores_of_a_member_are_dealt_to_inside) {
  expect_rewrite(form_groups, R"(
    deal grid (g < 4) { loop h { loop q {
      accumulate (w[i]) first (q) from (M[i, k], v[k]);
    } } })",
                 R"(
    deal grid (g < 4) { deal cores (h < 2) { if g * 2 + h < 7 { loop q {
      accumulate (w[i]) first (q) from (M[i, k], v[k]);
    } } } })",
                 grid);
}

TEST(FormGroups, loops_in_lockstep_move_out_of_the_cores_only) {
  expect_rewrite(form_groups, R"(
    deal grid (g < 4) { loop h { loop r {
      alloc v_sh;
      copy (a < 2) v_sh[a] = v[r * 2 + a] within () team (h);
      loop s { accumulate (w[i]) first (r, s) from (M[i, k], v_sh[s]); }
    } } })",
                 R"(
    deal grid (g < 4) { loop r {
      alloc v_sh;
      deal cores (a < 2) collective { copy () v_sh[a] = v[r * 2 + a] within () team (); }
      deal cores (h < 2) { if g * 2 + h < 7 {
        loop s { accumulate (w[i]) first (r, s) from (M[i, k], v_sh[s]); }
      } }
    } })",
                 grid);
}

TEST(FormGroups, the_guard_of_a_member_moves_to_what_its_cores_do) {
  // No barrier may stand inside of a condition.
  const More more{R"(digit g: BLK.i < 5 of i step 2 grid
digit h: THR.i < 2 of i step 1 cores
)",
                  {}};
  expect_rewrite(form_groups, R"(
    deal grid (g < 5) { if g * 2 < 7 { loop h { loop q {
      accumulate (w[i]) first (q) from (M[i, k], v[k]);
    } } } })",
                 R"(
    deal grid (g < 5) { deal cores (h < 2) { if g * 2 + h < 7 { loop q {
      accumulate (w[i]) first (q) from (M[i, k], v[k]);
    } } } })",
                 more);
}

TEST(FormGroups, other_conditions_stay) {
  // The share holds points, what is done in it concerns its last one.
  expect_rewrite(form_groups,
                 "deal grid (g < 4) { if g * 2 + 1 < 7 { load a = M[g * 2 + 1, 0]; } }",
                 R"(
    deal grid (g < 4) { deal cores () { if g * 2 + 1 < 7 { load a = M[g * 2 + 1, 0]; } } })",
                 grid);
}

TEST(FormGroups, digits_of_loops_around_the_grid_count_in_guards) {
  const More more{R"(digit m: DM.i < 2 of i step 4 sequential
digit g: BLK.i < 2 of i step 2 grid
digit h: THR.i < 2 of i step 1 cores
)",
                  {}};
  expect_rewrite(form_groups, R"(
    loop m { deal grid (g < 2) { loop h { loop q {
      accumulate (w[i]) first (q) from (M[i, k], v[k]);
    } } } })",
                 R"(
    loop m { deal grid (g < 2) { deal cores (h < 2) { if m * 4 + g * 2 + h < 7 { loop q {
      accumulate (w[i]) first (q) from (M[i, k], v[k]);
    } } } } })",
                 more);
}

TEST(FormGroups, what_all_cores_do_is_left_alone) {
  expect_unchanged(form_groups, R"(
    deal all (p < 7) collective {
      for BLK.k x < 5 sequential { write_up () (w[i]) first (x) from (t[p, x]); }
    })",
                   grid);
}

// ---- asynchronous copies

TEST(FormTeams, all_cores_wait_for_what_a_team_copies) {
  const More tile{{}, "buffer temporary v_l1: i64[2] in L1 of core per ()\n"};
  expect_rewrite(form_teams, R"(
    loop c { loop r {
      alloc v_l1;
      copy async (a < 2) v_l1[a] = v[r * 2 + a] within () team (c);
      commit;
      wait 0;
      loop s { accumulate (w[i]) first (r, s) from (M[i, k], v_l1[s]); }
    } })",
                 R"(
    loop r {
      alloc v_l1;
      deal cores (a < 2) collective {
        copy async () v_l1[a] = v[r * 2 + a] within () team ();
      }
      commit;
      wait 0;
      deal cores (c < 7) {
        loop s { accumulate (w[i]) first (r, s) from (M[i, k], v_l1[s]); }
      }
    })",
                 tile);
}

TEST(FormTeams, a_core_waits_for_what_it_copies_itself) {
  const More tile{{}, "buffer temporary v_l1: i64[2] in L1 of core per (c)\n"};
  const std::string alone = R"(loop r {
      alloc v_l1;
      copy async (a < 2) v_l1[a] = v[r * 2 + a] within () team ();
      commit;
      wait 0;
      loop s { accumulate (w[i]) first (r, s) from (M[i, k], v_l1[s]); }
    })";
  expect_rewrite(form_teams, "loop c {" + alone + "}", "deal cores (c < 7) {" + alone + "}", tile);
}

}  // namespace
}  // namespace mdh::passes::form_teams_test
