// Rules 3 to 8 of docs/ir/loop.md: tiles, and where they are copied.
#include "mdh/passes/plan/plan_inputs.h"

#include <gtest/gtest.h>

#include "mdh/passes/plan/test_plans.h"

namespace mdh::passes::plan_inputs_test {
namespace {

// ---- rule 3: footprints

/// 2k stores K elements.
TEST(Plan, a_strided_tile_is_dense) {
  EXPECT_EQ(planned(pw_program("k: 4 by pw(add)", "[2 * k]"), R"("layers": ["HM", "L1"],
    "split": {"k": ["HM 2", "L1 2"]}, "order": ["HM.k", "L1.k"],
    "stage": {"x": [{"from": "L1.k", "region": "L1"}]})"),
            R"(digit hm_k: HM.k < 2 of k step 2 sequential
digit l1_k: L1.k < 2 of k step 1 sequential
buffer temporary x_l1: i64[2] in L1 of core per ()
body {
  loop hm_k {
    alloc x_l1;
    copy (x_l1_1 < 2) x_l1[x_l1_1] = x[hm_k * 4 + x_l1_1 * 2] within () team ();
    loop l1_k {
      accumulate (y[]) first (hm_k, l1_k) from (x_l1[l1_k]);
    }
  }
}
)");
}

/// p + r keeps P + R - 1 elements, 2p + r keeps 2(P - 1) + R.
TEST(Plan, a_tile_of_a_window_is_the_whole_interval) {
  const std::string entries = R"("layers": ["HM", "L1"],
    "split": {"p": ["HM 2", "L1 2"], "r": ["L1 3"]}, "order": ["HM.p", "L1.p", "L1.r"],
    "stage": {"x": [{"from": "L1.p", "region": "L1"}]})";
  const std::string dimensions = "p: 4 by pw(add), r: 3 by pw(add)";
  const std::string one = planned(pw_program(dimensions, "[p + r]"), entries);
  EXPECT_NE(one.find("copy (x_l1_1 < 4) x_l1[x_l1_1] = x[hm_p * 2 + x_l1_1] within () team ();"),
            std::string::npos)
      << one;
  EXPECT_NE(one.find("from (x_l1[l1_p + l1_r]);"), std::string::npos) << one;
  const std::string two = planned(pw_program(dimensions, "[2 * p + r]"), entries);
  EXPECT_NE(two.find("copy (x_l1_1 < 5) x_l1[x_l1_1] = x[hm_p * 4 + x_l1_1] within () team ();"),
            std::string::npos)
      << two;
  EXPECT_NE(two.find("from (x_l1[l1_p * 2 + l1_r]);"), std::string::npos) << two;
}

/// A part that an inner layer strides through has two bands: 3 rows of 2 out of 12.
TEST(Plan, a_strided_part_is_cut_into_bands) {
  EXPECT_EQ(planned(pw_program("k: 12 by pw(add)", "[k]"), R"("layers": ["L1", "HM", "COR"],
    "split": {"k": ["L1 3", "HM 2", "COR 2"]}, "order": ["HM.k", "L1.k", "COR.k"],
    "stage": {"x": [{"from": "L1.k", "region": "HM", "layout": ["k@COR", "k@L1"]}]})"),
            R"(digit hm_k: HM.k < 2 of k step 2 sequential
digit l1_k: L1.k < 3 of k step 4 sequential
digit cor_k: COR.k < 2 of k step 1 cores
buffer temporary x_hm: i64[2, 3] in HM of all per ()
buffer temporary y_acc: i64[2] in HM of all per ()
body {
  loop hm_k {
    alloc x_hm;
    copy (x_hm_1 < 2, x_hm_2 < 3) x_hm[x_hm_1, x_hm_2] = x[hm_k * 2 + x_hm_1 + x_hm_2 * 4] within () team ();
    loop l1_k {
      alloc y_acc;
      loop cor_k {
        accumulate (y_acc[cor_k]) first () from (x_hm[cor_k, l1_k]);
      }
      team_combine cor_k elements () (y[]) first (hm_k, l1_k) from (y_acc[cor_k]);
    }
  }
}
)");
}

/// 2i + 3j with i < 3 and j < 2 touches 6 of the 8 elements between its ends.
TEST(Plan, tiles_in_registers_hold_the_elements_that_are_read) {
  EXPECT_EQ(planned(pw_program("i: 3 by pw(add), j: 2 by pw(add)", "[2 * i + 3 * j]"),
                    R"("layers": ["L1"], "split": {"i": ["L1 3"], "j": ["L1 2"]},
    "order": ["L1.i", "L1.j"], "stage": {"x": [{"from": "L1.i", "region": "REG"}]})",
                    "cpu"),
            R"(digit l1_i: L1.i < 3 of i step 1 sequential
digit l1_j: L1.j < 2 of j step 1 sequential
buffer temporary x_reg: i64[8] in REG of registers per () holds 6
body {
  alloc x_reg;
  copy (x_reg_1 < 8) x_reg[x_reg_1] = x[x_reg_1] within () team ();
  loop l1_i {
    loop l1_j {
      accumulate (y[]) first (l1_i, l1_j) from (x_reg[l1_i * 2 + l1_j * 3]);
    }
  }
}
)");
}

TEST(Plan, what_code_says_of_a_copy_is_in_it) {
  const auto copy_with = [](const std::string& code) {
    const std::string text =
        planned(pw_program("k: 4 by pw(add), r: 6 by pw(add)", "[r, k]"), R"("layers": ["HM", "L1"],
    "split": {"k": ["L1 4"], "r": ["HM 2", "L1 3"]}, "order": ["HM.r", "L1.k", "L1.r"],
    "stage": {"x": [{"from": "L1.k", "region": "L1"}]},
    "code": {"stage": {"x": [{)" + code + "}]}}");
    const size_t at = text.find("team ()") + 7;
    return text.substr(at, text.find(';', at) - at);
  };
  EXPECT_EQ(copy_with(R"("copy_order": {"k": 2})"), " blocks (x_l1_2 < 2)");
  EXPECT_EQ(copy_with(R"("copy_order": {"r": 2})"), " blocks (x_l1_1 < 2)");
  EXPECT_EQ(copy_with(R"("copy_order": {"1": 3, "2": 2})"), " blocks (x_l1_1 < 3, x_l1_2 < 2)");
  EXPECT_EQ(copy_with(R"("prefetch": {"distance": 5, "level": "HM.r"})"), " ahead hm_r by 5");
  EXPECT_EQ(copy_with(R"("prefetch": {"distance": 5, "level": "L1.r"})"), "")
      << "L1.r is not around the copy";
}

TEST(Plan, what_code_says_of_a_tile_is_in_its_buffer) {
  const std::string text = planned(pw_program("k: 4 by pw(add)", "[k]"), R"("layers": ["HM", "L1"],
    "split": {"k": ["HM 2", "L1 2"]}, "order": ["HM.k", "L1.k"],
    "stage": {"x": [{"from": "L1.k", "region": "L1"}]},
    "code": {"stage": {"x": [{"pad": 3, "depth": 2}]}})");
  EXPECT_NE(text.find("buffer temporary x_l1: i64[5] in L1 of core per () depth 2\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("copy (x_l1_1 < 2)"), std::string::npos) << "only elements are copied";
}

TEST(Plan, a_line_of_several_dimensions_is_one_axis_with_its_padding) {
  const auto planned_with = [](const std::string& code) {
    return planned(pw_program("k: 4 by pw(add), l: 3 by pw(add)", "[k, l]"),
                   R"("layers": ["HM", "L1"],
    "split": {"k": ["HM 2", "L1 2"], "l": ["L1 3"]}, "order": ["HM.k", "L1.k", "L1.l"],
    "stage": {"x": [{"from": "L1.k", "region": "L1"}]}, "code": {"stage": {"x": [)" +
                       code + "]}}");
  };
  const std::string rows = planned_with(R"({"pad": 1})");
  EXPECT_NE(rows.find("x_l1: i64[2, 4] in L1"), std::string::npos) << rows;
  const std::string line = planned_with(R"({"pad": 1, "line": 2})");
  EXPECT_NE(line.find("x_l1: i64[7] in L1"), std::string::npos) << line;
  EXPECT_NE(line.find("x_l1[x_l1_1 * 3 + x_l1_2]"), std::string::npos) << line;
  const std::string pieces = planned_with(R"({"swizzle": 4, "width": 8})");
  EXPECT_NE(pieces.find("x_l1: i64[2, 8] in L1 of core per () swizzle 4 width 8\n"),
            std::string::npos)
      << "four pieces of two numbers each have a place: " << pieces;
  const std::string one = planned_with(R"({"swizzle": 4, "line": 2})");
  EXPECT_NE(one.find("x_l1: i64[8] in L1 of core per ()\n"), std::string::npos)
      << "there is no other line to lie below: " << one;
}

TEST(Plan, registers_are_not_padded) {
  const std::string text = planned(pw_program("k: 4 by pw(add)", "[k]"), R"("layers": ["MM", "L1"],
    "split": {"k": ["MM 2", "L1 2"]}, "order": ["MM.k", "L1.k"],
    "stage": {"x": [{"from": "L1.k", "region": "REG"}]},
    "code": {"stage": {"x": [{"pad": 3}]}})",
                                   "cpu");
  EXPECT_NE(text.find("buffer temporary x_reg: i64[2] in REG of registers per ()\n"),
            std::string::npos)
      << text;
}

TEST(Plan, a_copy_travels_as_the_configuration_says_but_not_to_registers) {
  const auto plan_on = [](const std::string& machine, const std::string& outer,
                          const std::string& region) {
    return planned(pw_program("k: 4 by pw(add)", "[k]"),
                   fmt::format(R"("layers": ["{0}", "L1"],
    "split": {{"k": ["{0} 2", "L1 2"]}}, "order": ["{0}.k", "L1.k"],
    "stage": {{"x": [{{"from": "L1.k", "region": "{1}"}}]}},
    "code": {{"stage": {{"x": [{{"transport": "async"}}]}}}})",
                               outer, region),
                   machine);
  };
  const std::string tile = plan_on("artificial", "HM", "L1"),
                    registers = plan_on("cpu", "MM", "REG");
  EXPECT_NE(tile.find("copy async (x_l1_1 < 2)"), std::string::npos) << tile;
  EXPECT_NE(registers.find("copy (x_reg_1 < 2)"), std::string::npos) << registers;
}

// ---- rule 4: families

/// A[i, k] and A[j, k] have a tile each; A[i, k] and A[i, k + 1] share one.
TEST(Plan, accesses_with_equal_linear_parts_share_a_tile) {
  EXPECT_EQ(
      planned("gram = out_view( C: i64 = [i, j] )"
              " * md_hom( i: 2 by cc, j: 3 by cc, k: 4 by pw(add) )"
              " { C = A.1 * A.2 + A.3; } * inp_view( A: i64 = [i, k], [j, k], [i, k + 1] )",
              R"("layers": ["HM", "L1"], "split": {"i": ["HM 2"], "j": ["HM 3"], "k": ["L1 4"]},
    "order": ["HM.i", "HM.j", "L1.k"], "stage": {"A": [{"from": "L1.k", "region": "L1"}]})"),
      R"(digit hm_i: HM.i < 2 of i step 1 sequential
digit hm_j: HM.j < 3 of j step 1 sequential
digit l1_k: L1.k < 4 of k step 1 sequential
buffer temporary A_l1: i64[5] in L1 of core per ()
buffer temporary A_l1_: i64[4] in L1 of core per ()
body {
  loop hm_i {
    alloc A_l1;
    copy (A_l1_1 < 5) A_l1[A_l1_1] = A[hm_i, A_l1_1] within () team ();
    loop hm_j {
      alloc A_l1_;
      copy (A_l1__1 < 4) A_l1_[A_l1__1] = A[hm_j, A_l1__1] within () team ();
      loop l1_k {
        accumulate (C[i, j]) first (l1_k) from (A_l1[l1_k], A_l1_[l1_k], A_l1[l1_k + 1]);
      }
    }
  }
}
)");
}

// ---- rule 5: copy guards

/// 6 parts for 5 points: x has 7 elements, the tile of the second part reaches 8.
TEST(Plan, exactly_the_elements_that_exist_are_copied) {
  EXPECT_EQ(planned_body("s = out_view( y: i64 = [i] ) * md_hom( i: 5 by cc ) { y = x.1 + x.2; }"
                         " * inp_view( x: i64 = [i], [i + 2] )",
                         R"("layers": ["HM", "L1"], "split": {"i": ["HM 2", "L1 3"]},
    "order": ["HM.i", "L1.i"], "stage": {"x": [{"from": "L1.i", "region": "L1"}]})"),
            R"(body {
  loop hm_i {
    alloc x_l1;
    copy (x_l1_1 < 5) x_l1[x_l1_1] = x[hm_i * 3 + x_l1_1] within (hm_i * 3 + x_l1_1 < 7) team ();
    loop l1_i {
      accumulate (y[i]) first () from (x_l1[l1_i], x_l1[l1_i + 2]);
    }
  }
}
)");
}

/// Backwards the second part begins one element before the buffer: 4 - 3 - 2 = -1.
TEST(Plan, tiles_that_run_backwards_begin_at_their_low_end) {
  EXPECT_EQ(planned_body("back = out_view( y: i64 = [i] ) * md_hom( i: 5 by cc ) { y = x; }"
                         " * inp_view( x: i64 = [4 - i] )",
                         R"("layers": ["HM", "L1"], "split": {"i": ["HM 2", "L1 3"]},
    "order": ["HM.i", "L1.i"], "stage": {"x": [{"from": "L1.i", "region": "L1"}]})"),
            R"(body {
  loop hm_i {
    alloc x_l1;
    copy (x_l1_1 < 3) x_l1[x_l1_1] = x[0 - hm_i * 3 + x_l1_1 + 2] within (0 - hm_i * 3 + x_l1_1 + 2 >= 0) team ();
    loop l1_i {
      accumulate (y[i]) first () from (x_l1[0 - l1_i + 2]);
    }
  }
}
)");
}

// ---- rule 6: copies where the place changes

TEST(Plan, every_change_of_place_is_a_copy_out_of_the_place_before) {
  EXPECT_EQ(planned(pw_program("k: 8 by pw(add)", "[k]"), R"("layers": ["DM", "SM", "RM"],
    "split": {"k": ["DM 2", "SM 2", "RM 2"]}, "order": ["DM.k", "SM.k", "RM.k"],
    "stage": {"x": [{"from": "SM.k", "region": "SM"}, {"from": "RM.k", "region": "RM"}]})",
                    "cuda"),
            R"(digit dm_k: DM.k < 2 of k step 4 sequential
digit sm_k: SM.k < 2 of k step 2 sequential
digit rm_k: RM.k < 2 of k step 1 sequential
buffer temporary x_sm: i64[2, 2] in SM of group per ()
buffer temporary x_rm: i64[2] in RM of core per ()
body {
  loop dm_k {
    alloc x_sm;
    copy (x_sm_1 < 2, x_sm_2 < 2) x_sm[x_sm_1, x_sm_2] = x[dm_k * 4 + x_sm_1 * 2 + x_sm_2] within () team ();
    loop sm_k {
      alloc x_rm;
      copy (x_rm_1 < 2) x_rm[x_rm_1] = x_sm[sm_k, x_rm_1] within () team ();
      loop rm_k {
        accumulate (y[]) first (dm_k, sm_k, rm_k) from (x_rm[rm_k]);
      }
    }
  }
}
)");
}

TEST(Plan, a_copy_for_f_itself_is_one_element) {
  EXPECT_EQ(planned_body(pw_program("k: 3 by pw(add)", "[k]"), R"("layers": ["DM"],
    "split": {"k": ["DM 3"]}, "order": ["DM.k"], "stage": {"x": [{"from": "f", "region": "RM"}]})",
                         "cuda"),
            R"(body {
  loop dm_k {
    alloc x_rm;
    copy () x_rm[] = x[dm_k] within () team ();
    accumulate (y[]) first (dm_k) from (x_rm[]);
  }
}
)");
}

/// A cache without a layout is a hint: nothing is copied, and the next copy comes from elsewhere.
TEST(Plan, caches_are_hints_and_no_sources) {
  const std::string entries = R"("layers": ["MM", "L2", "L1"],
    "split": {"k": ["MM 2", "L2 2", "L1 2"]}, "order": ["MM.k", "L2.k", "L1.k"],
    "stage": {"x": [{"from": "L2.k", "region": "L2"}, {"from": "L1.k", "region": "REG"}]})";
  EXPECT_EQ(planned_body(pw_program("k: 8 by pw(add)", "[k]"), entries, "cpu"), R"(body {
  loop mm_k {
    loop l2_k {
      alloc x_reg;
      copy (x_reg_1 < 2) x_reg[x_reg_1] = x[mm_k * 4 + l2_k * 2 + x_reg_1] within () team ();
      loop l1_k {
        accumulate (y[]) first (mm_k, l2_k, l1_k) from (x_reg[l1_k]);
      }
    }
  }
}
)");
}

TEST(Plan, a_layout_in_a_cache_is_a_copy_in_that_order) {
  EXPECT_EQ(planned(matvec_program(2, 6), R"("layers": ["MM", "L1"],
    "split": {"i": ["L1 2"], "k": ["MM 2", "L1 3"]}, "order": ["MM.k", "L1.i", "L1.k"],
    "stage": {"M": [{"from": "L1.i", "region": "L1", "layout": ["2", "1"]}]})",
                    "cpu"),
            R"(digit mm_k: MM.k < 2 of k step 3 sequential
digit l1_i: L1.i < 2 of i step 1 sequential
digit l1_k: L1.k < 3 of k step 1 sequential
buffer temporary M_l1: f32[3, 2] in L1 of core per ()
body {
  loop mm_k {
    alloc M_l1;
    copy (M_l1_1 < 3, M_l1_2 < 2) M_l1[M_l1_1, M_l1_2] = M[M_l1_2, mm_k * 3 + M_l1_1] within () team ();
    loop l1_i {
      loop l1_k {
        accumulate (w[i]) first (mm_k, l1_k) from (M_l1[l1_k, l1_i], v[k]);
      }
    }
  }
}
)");
}

// ---- rule 7: hoisting

/// v does not depend on i: its tile moves out of HM.i, not out of the team.
TEST(Plan, copies_leave_loops_they_do_not_depend_on_but_no_cores) {
  EXPECT_EQ(planned_body(matvec_program(8, 6), R"("layers": ["COR", "HM", "L1"],
    "split": {"i": ["COR 2", "HM 4"], "k": ["HM 2", "L1 3"]},
    "order": ["HM.k", "COR.i", "HM.i", "L1.k"],
    "stage": {"v": [{"from": "L1.k", "region": "L1"}]})"),
            R"(body {
  loop hm_k {
    loop cor_i {
      alloc v_l1;
      copy (v_l1_1 < 3) v_l1[v_l1_1] = v[hm_k * 3 + v_l1_1] within () team ();
      loop hm_i {
        loop l1_k {
          accumulate (w[i]) first (hm_k, l1_k) from (M[i, k], v_l1[l1_k]);
        }
      }
    }
  }
}
)");
}

TEST(Plan, copies_do_not_move_above_their_source) {
  EXPECT_EQ(planned_body(matvec_program(4, 4), R"("layers": ["DM", "SM", "RM"],
    "split": {"i": ["DM 2", "SM 2"], "k": ["SM 2", "RM 2"]},
    "order": ["DM.i", "SM.k", "SM.i", "RM.k"],
    "stage": {"v": [{"from": "SM.i", "region": "SM"}, {"from": "RM.k", "region": "RM"}]})",
                         "cuda"),
            R"(body {
  loop dm_i {
    loop sm_k {
      alloc v_sm;
      copy (v_sm_1 < 2) v_sm[v_sm_1] = v[sm_k * 2 + v_sm_1] within () team ();
      alloc v_rm;
      copy (v_rm_1 < 2) v_rm[v_rm_1] = v_sm[v_rm_1] within () team ();
      loop sm_i {
        loop rm_k {
          accumulate (w[i]) first (sm_k, rm_k) from (M[i, k], v_rm[rm_k]);
        }
      }
    }
  }
}
)");
}

// ---- rule 8: teams

/// Threads of a block share its memory and can wait: they copy the union of what they need.
TEST(Plan, members_that_share_a_region_fill_one_tile_together) {
  EXPECT_EQ(planned(matvec_program(4, 10), R"("layers": ["SMX", "CC", "DM", "SM"],
    "split": {"i": ["SMX 2", "CC 2"], "k": ["DM 2", "SM 5"]},
    "order": ["SMX.i", "CC.i", "DM.k", "SM.k"],
    "stage": {"M": [{"from": "SM.k", "region": "SM"}], "v": [{"from": "SM.k", "region": "SM"}]})",
                    "cuda"),
            R"(digit smx_i: SMX.i < 2 of i step 2 grid
digit cc_i: CC.i < 2 of i step 1 cores
digit dm_k: DM.k < 2 of k step 5 sequential
digit sm_k: SM.k < 5 of k step 1 sequential
buffer temporary M_sm: f32[2, 5] in SM of group per (smx_i)
buffer temporary v_sm: f32[5] in SM of group per (smx_i)
body {
  loop smx_i {
    loop cc_i {
      loop dm_k {
        alloc M_sm;
        copy (M_sm_1 < 2, M_sm_2 < 5) M_sm[M_sm_1, M_sm_2] = M[smx_i * 2 + M_sm_1, dm_k * 5 + M_sm_2] within () team (cc_i);
        alloc v_sm;
        copy (v_sm_1 < 5) v_sm[v_sm_1] = v[dm_k * 5 + v_sm_1] within () team (cc_i);
        loop sm_k {
          accumulate (w[i]) first (dm_k, sm_k) from (M_sm[cc_i, sm_k], v_sm[sm_k]);
        }
      }
    }
  }
}
)");
}

/// Registers are private: one copy per member. Blocks cannot wait: one copy each in device memory.
TEST(Plan, members_that_do_not_share_a_region_or_cannot_wait_copy_for_themselves) {
  const std::string begin = R"("layers": ["SMX", "CC", "DM"],
    "split": {"i": ["SMX 2", "CC 2"], "k": ["DM 5"]}, "order": ["SMX.i", "CC.i", "DM.k"],)";
  const std::string in_registers =
      planned(matvec_program(4, 5), begin + R"("stage": {"v": [{"from": "DM.k", "region": "RM"}]})",
              "cuda");
  EXPECT_NE(in_registers.find("buffer temporary v_rm: f32[5] in RM of core per (smx_i, cc_i)\n"),
            std::string::npos)
      << in_registers;
  EXPECT_NE(in_registers.find("v_rm[v_rm_1] = v[v_rm_1] within () team ();"), std::string::npos)
      << in_registers;
  const std::string of_blocks =
      planned(matvec_program(4, 5),
              begin + R"("stage": {"M": [{"from": "CC.i", "region": "DM", "layout": ["2", "1"]}]})",
              "cuda");
  EXPECT_NE(of_blocks.find("buffer temporary M_dm: f32[5, 2] in DM of all per (smx_i)\n"),
            std::string::npos)
      << of_blocks;
  EXPECT_NE(of_blocks.find("within () team ();"), std::string::npos) << of_blocks;
}

}  // namespace
}  // namespace mdh::passes::plan_inputs_test
