#include "mdh/passes/structured/stagger.h"

#include <gtest/gtest.h>

#include "mdh/passes/common/test_programs.h"

namespace mdh::passes::stagger_test {
namespace {

/// A tile of v as declared before and after the pass.
void expect_staggered(const std::string& declared, const std::string& before,
                      const std::string& declared_after, const std::string& after) {
  const auto buffer = [](const std::string& attributes) {
    return More{{}, "buffer temporary v_l1: i64" + attributes + "\n"};
  };
  expect_rewrite_of(stagger, matvec_with(before, buffer(declared)),
                    matvec_with(after, buffer(declared_after)));
}

TEST(Stagger, a_copy_of_depth_1_stays) {
  expect_unchanged(stagger, R"(
    loop r {
      alloc v_l1;
      copy (a < 2) v_l1[a] = v[r * 2 + a] within () team ();
      loop p { loop s { accumulate (w[i]) first (r, s) from (M[i, k], v_l1[s]); } }
    })",
                   {{}, "buffer temporary v_l1: i64[2] in L1 of core per ()\n"});
}

TEST(Stagger, the_next_copy_is_made_while_this_one_is_used) {
  expect_staggered("[2] in L1 of core per () depth 2", R"(
    loop r {
      alloc v_l1;
      copy (a < 2) v_l1[a] = v[r * 2 + a] within () team ();
      loop p { loop s { accumulate (w[i]) first (r, s) from (M[i, k], v_l1[s]); } }
    })",
                   "[2, 2] in L1 of core per ()", R"(
    alloc v_l1;
    copy (a < 2) v_l1[0, a] = v[a] within () team ();
    loop r {
      copy (a < 2) v_l1[(r + 1) % 2, a] = v[(r + 1) * 2 + a] within (r + 1 < 5) team ();
      loop p { loop s { accumulate (w[i]) first (r, s) from (M[i, k], v_l1[r % 2, s]); } }
    })");
}

TEST(Stagger, rounds_know_which_register_they_use) {
  const More more{{}, "buffer temporary v_l1: i64[2] in RM of registers per () depth 3\n"};
  const loop::Program p = matvec_with(R"(
    loop r {
      alloc v_l1;
      copy (a < 2) v_l1[a] = v[r * 2 + a] within () team ();
      loop p { loop s { accumulate (w[i]) first (r, s) from (M[i, k], v_l1[s]); } }
    })",
                                      more);
  const auto unroll = [&](const machine::TargetFacts& facts) {
    return find_digit(stagger(p, facts), loop::named("r")).unroll;
  };
  EXPECT_EQ(unroll({.teams = Teams::nested, .access_bytes = 16}), 3);
  EXPECT_EQ(unroll({}), 1);
}

TEST(Stagger, conditions_and_teams_move_with_the_copy) {
  expect_staggered("[2] in L1 of core per () depth 2", R"(
    loop c { loop r {
      alloc v_l1;
      copy (a < 2) v_l1[a] = v[r * 2 + a] within (r * 2 + a < 9) team (c);
      loop s { accumulate (w[i]) first (r, s) from (M[i, k], v_l1[s]); }
    } })",
                   "[2, 2] in L1 of core per ()", R"(
    loop c {
      alloc v_l1;
      copy (a < 2) v_l1[0, a] = v[a] within (a < 9) team (c);
      loop r {
        copy (a < 2) v_l1[(r + 1) % 2, a] = v[(r + 1) * 2 + a] within (r + 1 < 5, (r + 1) * 2 + a < 9) team (c);
        loop s { accumulate (w[i]) first (r, s) from (M[i, k], v_l1[r % 2, s]); }
      }
    })");
}

TEST(Stagger, a_copy_of_depth_3_is_two_iterations_ahead) {
  expect_staggered("[2] in L1 of core per () holds 1 depth 3", R"(
    loop r {
      alloc v_l1;
      copy (a < 2) v_l1[a] = v[r * 2 + a] within () team ();
      loop p { loop s { accumulate (w[i]) first (r, s) from (M[i, k], v_l1[s]); } }
    })",
                   "[3, 2] in L1 of core per () holds 3", R"(
    alloc v_l1;
    copy (a < 2) v_l1[0, a] = v[a] within () team ();
    copy (a < 2) v_l1[1, a] = v[a + 2] within () team ();
    loop r {
      copy (a < 2) v_l1[(r + 2) % 3, a] = v[(r + 2) * 2 + a] within (r + 2 < 5) team ();
      loop p { loop s { accumulate (w[i]) first (r, s) from (M[i, k], v_l1[r % 3, s]); } }
    })");
}

TEST(Stagger, no_more_copies_run_ahead_than_there_are_iterations) {
  expect_staggered("[5] in L1 of core per () depth 4", R"(
    loop s {
      alloc v_l1;
      copy (a < 5) v_l1[a] = v[a * 2 + s] within () team ();
      loop p { loop r { accumulate (w[i]) first (r, s) from (M[i, k], v_l1[r]); } }
    })",
                   "[4, 5] in L1 of core per ()", R"(
    alloc v_l1;
    copy (a < 5) v_l1[0, a] = v[a * 2] within () team ();
    copy (a < 5) v_l1[1, a] = v[a * 2 + 1] within () team ();
    loop s {
      copy (a < 5) v_l1[(s + 3) % 4, a] = v[a * 2 + (s + 3)] within (s + 3 < 2) team ();
      loop p { loop r { accumulate (w[i]) first (r, s) from (M[i, k], v_l1[s % 4, r]); } }
    })");
}

TEST(Stagger, only_the_innermost_loop_around_a_copy_staggers_it) {
  expect_staggered("[1] in L1 of core per () depth 2", R"(
    loop r { loop s {
      alloc v_l1;
      copy () v_l1[0] = v[r * 2 + s] within () team ();
      loop p { accumulate (w[i]) first (r, s) from (M[i, k], v_l1[0]); }
    } })",
                   "[2, 1] in L1 of core per ()", R"(
    loop r {
      alloc v_l1;
      copy () v_l1[0, 0] = v[r * 2] within () team ();
      loop s {
        copy () v_l1[(s + 1) % 2, 0] = v[r * 2 + (s + 1)] within (s + 1 < 2) team ();
        loop p { accumulate (w[i]) first (r, s) from (M[i, k], v_l1[s % 2, 0]); }
      }
    })");
}

TEST(Stagger, a_copy_that_no_loop_repeats_uses_the_first_part_of_its_room) {
  expect_staggered("[10] in L1 of core per () depth 2", R"(
    alloc v_l1;
    copy (a < 10) v_l1[a] = v[a] within () team ();
    loop p { loop q { accumulate (w[i]) first (q) from (M[i, k], v_l1[q]); } })",
                   "[2, 10] in L1 of core per ()", R"(
    alloc v_l1;
    copy (a < 10) v_l1[0, a] = v[a] within () team ();
    loop p { loop q { accumulate (w[i]) first (q) from (M[i, k], v_l1[0, q]); } })");
}

TEST(Stagger, a_copy_inside_of_a_loop_on_cores_does_not_run_ahead) {
  expect_staggered("[2] in L1 of core per (d) depth 2", R"(
    loop d {
      alloc v_l1;
      copy (a < 2) v_l1[a] = v[d * 2 + a] within () team ();
      loop p { loop s { accumulate (t[p, d]) first (s) from (M[i, k], v_l1[s]); } }
    })",
                   "[2, 2] in L1 of core per (d)", R"(
    loop d {
      alloc v_l1;
      copy (a < 2) v_l1[0, a] = v[d * 2 + a] within () team ();
      loop p { loop s { accumulate (t[p, d]) first (s) from (M[i, k], v_l1[0, s]); } }
    })");
}

TEST(Stagger, a_copy_of_what_the_same_iteration_copies_does_not_run_ahead) {
  const auto buffers = [](const std::string& inner) {
    return More{{},
                "buffer temporary v_l2: i64[2] in L2 of core per ()\n"
                "buffer temporary v_l1: i64" +
                    inner + " in L1 of core per ()" + (inner == "[2]" ? " depth 2\n" : "\n")};
  };
  expect_rewrite_of(stagger,
                    matvec_with(R"(
    loop r {
      alloc v_l2;
      copy (a < 2) v_l2[a] = v[r * 2 + a] within () team ();
      alloc v_l1;
      copy (b < 2) v_l1[b] = v_l2[b] within () team ();
      loop p { loop s { accumulate (w[i]) first (r, s) from (M[i, k], v_l1[s]); } }
    })",
                                buffers("[2]")),
                    matvec_with(R"(
    loop r {
      alloc v_l2;
      copy (a < 2) v_l2[a] = v[r * 2 + a] within () team ();
      alloc v_l1;
      copy (b < 2) v_l1[0, b] = v_l2[b] within () team ();
      loop p { loop s { accumulate (w[i]) first (r, s) from (M[i, k], v_l1[0, s]); } }
    })",
                                buffers("[2, 2]")));
}

TEST(Stagger, a_copy_behind_other_statements_does_not_run_ahead) {
  expect_staggered("[2] in L1 of core per () depth 2", R"(
    loop r {
      loop p { loop s { accumulate (t[p, 0]) first (s) from (M[i, k], v[k]); } }
      alloc v_l1;
      copy (a < 2) v_l1[a] = v[r * 2 + a] within () team ();
    })",
                   "[2, 2] in L1 of core per ()", R"(
    loop r {
      loop p { loop s { accumulate (t[p, 0]) first (s) from (M[i, k], v[k]); } }
      alloc v_l1;
      copy (a < 2) v_l1[0, a] = v[r * 2 + a] within () team ();
    })");
}

TEST(Stagger, a_copy_out_of_a_staggered_tile_reads_its_slot) {
  const std::string deep = "buffer temporary v_l2: i64[2] in L2 of core per () depth 2\n";
  const std::string cut = "buffer temporary v_l2: i64[2, 2] in L2 of core per ()\n";
  const std::string small = "buffer temporary v_l1: i64[1] in L1 of core per ()\n";
  expect_rewrite_of(stagger,
                    matvec_with(R"(
    loop r {
      alloc v_l2;
      copy (a < 2) v_l2[a] = v[r * 2 + a] within () team ();
      loop s {
        alloc v_l1;
        copy () v_l1[0] = v_l2[s] within () team ();
        loop p { accumulate (w[i]) first (r, s) from (M[i, k], v_l1[0]); }
      }
    })",
                                {{}, deep + small}),
                    matvec_with(R"(
    alloc v_l2;
    copy (a < 2) v_l2[0, a] = v[a] within () team ();
    loop r {
      copy (a < 2) v_l2[(r + 1) % 2, a] = v[(r + 1) * 2 + a] within (r + 1 < 5) team ();
      loop s {
        alloc v_l1;
        copy () v_l1[0] = v_l2[r % 2, s] within () team ();
        loop p { accumulate (w[i]) first (r, s) from (M[i, k], v_l1[0]); }
      }
    })",
                                {{}, cut + small}));
}

// ---- asynchronous copies

const std::string use_tile =
    "loop p { loop s { accumulate (w[i]) first (r, s) from (M[i, k], v_l1[s]); } }";

TEST(Stagger, an_asynchronous_copy_is_committed_and_waited_for) {
  const More tile{{}, "buffer temporary v_l1: i64[2] in L1 of core per ()\n"};
  const std::string copy = "copy async (a < 2) v_l1[a] = v[r * 2 + a] within () team ();";
  expect_rewrite(stagger, "loop r { alloc v_l1;" + copy + use_tile + "}",
                 "loop r { alloc v_l1;" + copy + "commit; wait 0;" + use_tile + "}", tile);
}

TEST(Stagger, copies_that_follow_each_other_are_one_group_unless_one_needs_the_other) {
  const More tiles{{},
                   "buffer temporary v_l1: i64[2] in L1 of core per ()\n"
                   "buffer temporary v_l2: i64[2] in L2 of core per ()\n"};
  const std::string copy = "copy async (a < 2) v_l2[a] = v[r * 2 + a] within () team ();";
  const std::string other = "copy async (a < 2) v_l1[a] = v[r * 2 + a] within () team ();";
  const std::string same = "copy async (a < 2) v_l1[a] = v_l2[a] within () team ();";
  const std::string begin = "loop r { alloc v_l2; alloc v_l1;" + copy, wait = "commit; wait 0;";
  expect_rewrite(stagger, begin + other + use_tile + "}", begin + other + wait + use_tile + "}",
                 tiles);
  expect_rewrite(stagger, begin + same + use_tile + "}",
                 begin + wait + same + wait + use_tile + "}", tiles);
}

TEST(Stagger, asynchronous_copies_run_ahead_in_groups) {
  expect_staggered("[2] in L1 of core per () depth 3", R"(
    loop r {
      alloc v_l1;
      copy async (a < 2) v_l1[a] = v[r * 2 + a] within () team ();
      loop p { loop s { accumulate (w[i]) first (r, s) from (M[i, k], v_l1[s]); } }
    })",
                   "[3, 2] in L1 of core per ()", R"(
    alloc v_l1;
    copy async (a < 2) v_l1[0, a] = v[a] within () team ();
    commit;
    copy async (a < 2) v_l1[1, a] = v[a + 2] within () team ();
    commit;
    loop r {
      wait 1;
      copy async (a < 2) v_l1[(r + 2) % 3, a] = v[(r + 2) * 2 + a] within (r + 2 < 5) team ();
      commit;
      loop p { loop s { accumulate (w[i]) first (r, s) from (M[i, k], v_l1[r % 3, s]); } }
    })");
}

TEST(Stagger, tiles_of_different_depths_share_groups) {
  const auto tiles = [](const char* v, const char* M) {
    return More{{},
                fmt::format("buffer temporary v_l1: i64{} in L1 of core per () {}\n"
                            "buffer temporary M_l1: i64{} in L1 of core per () {}\n",
                            v, *v == '[' && v[2] == ']' ? "depth 2" : "", M,
                            *M == '[' && M[2] == ']' ? "depth 3" : "")};
  };
  const loop::Program before = matvec_with(R"(
    loop p { loop r {
      alloc v_l1;
      copy async (a < 2) v_l1[a] = v[r * 2 + a] within () team ();
      alloc M_l1;
      copy async (b < 2) M_l1[b] = M[p, r * 2 + b] within () team ();
      loop s { accumulate (w[i]) first (r, s) from (M_l1[s], v_l1[s]); }
    } })",
                                           tiles("[2]", "[2]"));
  const loop::Program after = matvec_with(R"(
    loop p {
      alloc v_l1;
      alloc M_l1;
      copy async (a < 2) v_l1[0, a] = v[a] within () team ();
      copy async (b < 2) M_l1[0, b] = M[p, b] within () team ();
      commit;
      copy async (b < 2) M_l1[1, b] = M[p, b + 2] within () team ();
      commit;
      loop r {
        wait 0;
        copy async (a < 2) v_l1[(r + 1) % 2, a] = v[(r + 1) * 2 + a] within (r + 1 < 5) team ();
        copy async (b < 2) M_l1[(r + 2) % 3, b] = M[p, (r + 2) * 2 + b] within (r + 2 < 5) team ();
        commit;
        loop s { accumulate (w[i]) first (r, s) from (M_l1[r % 3, s], v_l1[r % 2, s]); }
      }
    })",
                                          tiles("[2, 2]", "[3, 2]"));
  expect_rewrite_of(stagger, before, after);
}

TEST(Stagger, copies_for_parts_that_may_be_empty_land_behind_the_loop) {
  const auto tile = [](const char* attributes) {
    return More{{}, fmt::format("buffer temporary u: i64{}\n", attributes)};
  };
  const loop::Program before = matvec_with(R"(
    loop n { loop o {
      alloc u;
      copy async () u[] = M[o * 2 + n, 0] within (o * 2 + n < 7) team ();
      loop q { accumulate (w[i]) first (q) from (u[], v[k]); }
    } })",
                                           tile("[] in L1 of core per () depth 2"));
  const loop::Program after = matvec_with(R"(
    loop n {
      alloc u;
      copy async () u[0] = M[n, 0] within (n < 7) team ();
      commit;
      loop o {
        wait 0;
        copy async () u[(o + 1) % 2] = M[(o + 1) * 2 + n, 0] within (o + 1 < 5, (o + 1) * 2 + n < 7) team ();
        commit;
        loop q { accumulate (w[i]) first (q) from (u[o % 2], v[k]); }
      }
      wait 0;
    })",
                                          tile("[2] in L1 of core per ()"));
  expect_rewrite_of(stagger, before, after);
}

}  // namespace
}  // namespace mdh::passes::stagger_test
