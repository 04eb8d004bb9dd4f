// Rules 10 to 16 of docs/ir/loop.md: where results meet.
#include "mdh/passes/plan/plan_outputs.h"

#include <gtest/gtest.h>

#include "mdh/passes/plan/test_plans.h"

namespace mdh::passes::plan_outputs_test {
namespace {

// ---- rules 10, 11 and 12: runs, first writes, write-up

/// 10a, 11, 12: a place of its own inside of a loop begins a run, which ends with that loop's body.
TEST(Plan, results_are_accumulated_elsewhere_and_written_up) {
  EXPECT_EQ(planned(matvec_program(4, 6), R"("layers": ["COR", "HM", "L1"],
    "split": {"i": ["COR 2", "L1 2"], "k": ["HM 2", "L1 3"]},
    "order": ["COR.i", "HM.k", "L1.i", "L1.k"], "acc": {"w": [{"inside": "L1.i", "region": "L1"}]})"),
            R"(digit cor_i: COR.i < 2 of i step 2 cores
digit hm_k: HM.k < 2 of k step 3 sequential
digit l1_i: L1.i < 2 of i step 1 sequential
digit l1_k: L1.k < 3 of k step 1 sequential
buffer temporary w_acc: f32[2] in L1 of core per (cor_i)
body {
  loop cor_i {
    loop hm_k {
      alloc w_acc;
      loop l1_i {
        loop l1_k {
          accumulate (w_acc[l1_i]) first (l1_k) from (M[i, k], v[k]);
        }
      }
      write_up (l1_i) (w[i]) first (hm_k) from (w_acc[l1_i]);
    }
  }
}
)");
}

/// Registers have no layout: results that are computed as one vector are kept as one, although they
/// lie apart in the user's buffer. So are operands.
TEST(Plan, lanes_come_last_in_registers) {
  const std::string matmul =
      "matmul = out_view( C: f32 = [i, j] ) * md_hom( i: 8 by cc, j: 6 by cc, k: 4 by pw(add) )"
      " { C = A * B; } * inp_view( A: f32 = [i, k]; B: f32 = [k, j] )";
  const std::string text = planned(matmul, R"("layers": ["L1", "REG", "SIMD"],
    "split": {"i": ["SIMD 8"], "j": ["L1 2", "REG 3"], "k": ["L1 2", "REG 2"]},
    "order": ["L1.j", "L1.k", "REG.k", "REG.j", "SIMD.i"],
    "stage": {"A": [{"from": "REG.k", "region": "REG"}]},
    "acc": {"C": [{"inside": "L1.k", "region": "REG"}]})",
                                   "cpu");
  EXPECT_NE(text.find("buffer temporary A_reg: f32[2, 8] in REG"), std::string::npos) << text;
  EXPECT_NE(text.find("buffer temporary C_acc: f32[3, 8] in REG"), std::string::npos) << text;
  EXPECT_NE(text.find("accumulate (C_acc[reg_j, simd_i]) first (l1_k, reg_k) from (A_reg[reg_k, "
                      "simd_i], B[k, j]);"),
            std::string::npos)
      << text;
}

/// A run may begin right below the user's buffers, and at f itself.
TEST(Plan, runs_begin_at_any_level) {
  EXPECT_EQ(planned_body(matvec_program(2, 3), R"("layers": ["HM", "L1"],
    "split": {"i": ["HM 2"], "k": ["HM 3"]}, "order": ["HM.i", "HM.k"],
    "acc": {"w": [{"inside": "HM.i", "region": "L1"}]})"),
            R"(body {
  alloc w_acc;
  loop hm_i {
    loop hm_k {
      accumulate (w_acc[hm_i]) first (hm_k) from (M[i, k], v[k]);
    }
  }
  write_up (hm_i) (w[i]) first () from (w_acc[hm_i]);
}
)");
  EXPECT_EQ(planned_body(matvec_program(2, 3), R"("layers": ["HM", "L1"],
    "split": {"i": ["HM 2"], "k": ["HM 3"]}, "order": ["HM.i", "HM.k"],
    "acc": {"w": [{"inside": "f", "region": "L1"}]})"),
            R"(body {
  loop hm_i {
    loop hm_k {
      alloc w_acc;
      accumulate (w_acc[]) first () from (M[i, k], v[k]);
      write_up () (w[i]) first (hm_k) from (w_acc[]);
    }
  }
}
)");
}

const std::string two_outputs =
    "two = out_view( y: f64 = [i]; z: i32 = [2 * i + 1] )"
    " * md_hom( i: 3 by cc, k: 4 by pw(add, max) ) { y = x; z = i32(x); }"
    " * inp_view( x: f64 = [i, k] )";

/// 10a: all results end their run together, each with an accumulator of its own type.
TEST(Plan, a_run_ends_where_the_place_of_any_result_changes) {
  EXPECT_EQ(planned(two_outputs, R"("layers": ["HM"],
    "split": {"i": ["HM 3"], "k": ["HM 4"]}, "order": ["HM.k", "HM.i"],
    "acc": {"y": [{"inside": "HM.i", "region": "L1"}]})"),
            R"(digit hm_k: HM.k < 4 of k step 1 sequential
digit hm_i: HM.i < 3 of i step 1 sequential
buffer temporary y_acc: f64[3] in L1 of core per ()
buffer temporary z_acc: i32[3] in HM of all per ()
body {
  loop hm_k {
    alloc y_acc;
    alloc z_acc;
    loop hm_i {
      accumulate (y_acc[hm_i], z_acc[hm_i]) first () from (x[i, k]);
    }
    write_up (hm_i) (y[i], z[2 * i + 1]) first (hm_k) from (y_acc[hm_i], z_acc[hm_i]);
  }
}
)");
}

TEST(Plan, an_accumulator_is_stored_as_its_layout_says) {
  const std::string text = planned(
      "t = out_view( y: i64 = [i, j] ) * md_hom( i: 4 by cc, j: 3 by cc, k: 2 by pw(add) )"
      " { y = x; } * inp_view( x: i64 = [i, j, k] )",
      R"("layers": ["HM", "L1"], "split": {"i": ["HM 2", "L1 2"], "j": ["L1 3"], "k": ["HM 2"]},
    "order": ["HM.k", "HM.i", "L1.i", "L1.j"],
    "acc": {"y": [{"inside": "HM.i", "region": "L1", "layout": ["i@L1", "j", "i@HM"]}]})");
  EXPECT_NE(text.find("buffer temporary y_acc: i64[2, 3, 2] in L1 of core per ()\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("accumulate (y_acc[l1_i, l1_j, hm_i]) first () from (x[i, j, k]);"),
            std::string::npos)
      << text;
}

/// Lanes that add up different columns have a result each until their loop is done.
TEST(Plan, parts_in_registers_with_loops_inside_have_accumulators_of_their_own) {
  EXPECT_EQ(planned(pw_program("k: 8 by pw(add)", "[k]"), R"("layers": ["L1", "SIMD"],
    "split": {"k": ["L1 2", "SIMD 4"]}, "order": ["SIMD.k", "L1.k"],
    "acc": {"y": [{"inside": "SIMD.k", "region": "REG"}]})",
                    "cpu"),
            R"(digit simd_k: SIMD.k < 4 of k step 1 lanes
digit l1_k: L1.k < 2 of k step 4 sequential
buffer temporary y_acc: i64[4] in REG of registers per ()
body {
  alloc y_acc;
  loop simd_k {
    loop l1_k {
      accumulate (y_acc[simd_k]) first (l1_k) from (x[k]);
    }
  }
  write_up (simd_k) (y[]) first (simd_k) from (y_acc[simd_k]);
}
)");
}

TEST(Plan, innermost_parts_in_registers_need_one_accumulator) {
  const std::string text = planned_body(pw_program("k: 8 by pw(add)", "[k]"),
                                        R"("layers": ["L1", "SIMD"],
    "split": {"k": ["L1 2", "SIMD 4"]}, "order": ["L1.k", "SIMD.k"],
    "acc": {"y": [{"inside": "L1.k", "region": "REG"}]})",
                                        "cpu");
  EXPECT_NE(text.find("accumulate (y_acc[]) first (l1_k, simd_k) from (x[k]);"), std::string::npos)
      << text;
}

/// 10c: a reduction around a scan would count earlier rounds again.
TEST(Plan, a_run_ends_before_a_scan_inside_of_a_reduction) {
  const std::string program =
      "mbbs = out_view( y: i64 = [i] ) * md_hom( i: 3 by ps(add), k: 2 by pw(add) ) { y = x; }"
      " * inp_view( x: i64 = [i, k] )";
  EXPECT_EQ(planned(program, R"("layers": ["HM"], "split": {"i": ["HM 3"], "k": ["HM 2"]},
    "order": ["HM.k", "HM.i"])"),
            R"(digit hm_k: HM.k < 2 of k step 1 sequential
digit hm_i: HM.i < 3 of i step 1 sequential
buffer temporary y_acc: i64[3] in HM of all per ()
body {
  loop hm_k {
    alloc y_acc;
    loop hm_i {
      accumulate (y_acc[hm_i]) first () from (x[i, k]);
      scan_step hm_i coarse () fine () lines () (y_acc[hm_i]);
    }
    write_up (hm_i) (y[i]) first (hm_k) from (y_acc[hm_i]);
  }
}
)");
  // The other way round every element is reduced before it is scanned.
  EXPECT_EQ(planned(program, R"("layers": ["HM"], "split": {"i": ["HM 3"], "k": ["HM 2"]},
    "order": ["HM.i", "HM.k"])"),
            R"(digit hm_i: HM.i < 3 of i step 1 sequential
digit hm_k: HM.k < 2 of k step 1 sequential
body {
  loop hm_i {
    loop hm_k {
      accumulate (y[i]) first (hm_k) from (x[i, k]);
    }
    scan_step hm_i coarse () fine () lines () (y[hm_i]);
  }
}
)");
}

TEST(Plan, output_indices_see_0_in_reduced_dimensions_and_no_unary_minus) {
  EXPECT_EQ(planned_body("back = out_view( y: i64 = [3 * k + 4 - i] )"
                         " * md_hom( i: 5 by cc, k: 2 by pw(add) ) { y = x; }"
                         " * inp_view( x: i64 = [-i + 4] )",
                         R"("layers": ["L1"], "split": {"i": ["L1 5"], "k": ["L1 2"]},
    "order": ["L1.i", "L1.k"])"),
            R"(body {
  loop l1_i {
    loop l1_k {
      accumulate (y[4 - i]) first (l1_k) from (x[0 - i + 4]);
    }
  }
}
)");
}

// ---- rule 14: reductions over cores

TEST(Plan, a_reduction_over_cores_gives_every_member_a_slot) {
  EXPECT_EQ(planned(matvec_program(7, 10), R"("layers": ["HM", "COR", "L1"],
    "split": {"i": ["HM 2", "COR 2", "L1 2"], "k": ["COR 3", "L1 4"]},
    "order": ["HM.i", "COR.i", "COR.k", "L1.i", "L1.k"])"),
            R"(digit hm_i: HM.i < 2 of i step 4 sequential
digit cor_i: COR.i < 2 of i step 2 cores
digit cor_k: COR.k < 3 of k step 4 cores
digit l1_i: L1.i < 2 of i step 1 sequential
digit l1_k: L1.k < 4 of k step 1 sequential
buffer temporary w_acc: f32[3, 2] in HM of all per (cor_i)
body {
  loop hm_i {
    loop cor_i {
      alloc w_acc;
      loop cor_k {
        loop l1_i {
          loop l1_k {
            accumulate (w_acc[cor_k, l1_i]) first (l1_k) from (M[i, k], v[k]);
          }
        }
      }
      team_combine cor_k elements (l1_i) (w[i]) first () from (w_acc[cor_k, l1_i]);
    }
  }
}
)");
}

TEST(Plan, nested_teams_have_slots_within_slots_and_first_digits_belong_to_their_run) {
  EXPECT_EQ(planned("all = out_view( s: i64 = [] )"
                    " * md_hom( k: 8 by pw(max), l: 12 by pw(max) ) { s = x; }"
                    " * inp_view( x: i64 = [k, l] )",
                    R"("layers": ["HM", "COR", "L1"],
    "split": {"k": ["HM 2", "COR 2", "L1 2"], "l": ["HM 2", "COR 3", "L1 2"]},
    "order": ["HM.k", "COR.k", "HM.l", "COR.l", "L1.k", "L1.l"])"),
            R"(digit hm_k: HM.k < 2 of k step 4 sequential
digit cor_k: COR.k < 2 of k step 2 cores
digit hm_l: HM.l < 2 of l step 6 sequential
digit cor_l: COR.l < 3 of l step 2 cores
digit l1_k: L1.k < 2 of k step 1 sequential
digit l1_l: L1.l < 2 of l step 1 sequential
buffer temporary s_acc: i64[2] in HM of all per ()
buffer temporary s_acc_: i64[3] in HM of all per (cor_k)
body {
  loop hm_k {
    alloc s_acc;
    loop cor_k {
      loop hm_l {
        alloc s_acc_;
        loop cor_l {
          loop l1_k {
            loop l1_l {
              accumulate (s_acc_[cor_l]) first (l1_k, l1_l) from (x[k, l]);
            }
          }
        }
        team_combine cor_l elements () (s_acc[cor_k]) first (hm_l) from (s_acc_[cor_l]);
      }
    }
    team_combine cor_k elements () (s[]) first (hm_k) from (s_acc[cor_k]);
  }
}
)");
}

TEST(Plan, every_result_has_slots_of_its_own_type) {
  const std::string text =
      planned(two_outputs, R"("layers": ["COR", "L1"], "split": {"i": ["L1 3"], "k": ["COR 4"]},
    "order": ["COR.k", "L1.i"])");
  EXPECT_EQ(text.substr(text.find("buffer")),
            R"(buffer temporary y_acc: f64[4, 3] in HM of all per ()
buffer temporary z_acc: i32[4, 3] in HM of all per ()
body {
  alloc y_acc;
  alloc z_acc;
  loop cor_k {
    loop l1_i {
      accumulate (y_acc[cor_k, l1_i], z_acc[cor_k, l1_i]) first () from (x[i, k]);
    }
  }
  team_combine cor_k elements (l1_i) (y[i], z[2 * i + 1]) first () from (y_acc[cor_k, l1_i], z_acc[cor_k, l1_i]);
}
)");
}

// ---- rules 15 and 16: scans

const std::string prefix_sum =
    "scan = out_view( y: i64 = [i] ) * md_hom( i: 6 by ps(add) ) { y = x; }"
    " * inp_view( x: i64 = [i] )";

/// 15: ascending parts, and parts that take turns.
TEST(Plan, parts_of_a_sequential_scan_join_at_the_end_of_each_iteration) {
  EXPECT_EQ(planned_body(prefix_sum, R"("layers": ["HM", "L1"],
    "split": {"i": ["HM 2", "L1 3"]}, "order": ["HM.i", "L1.i"])"),
            R"(body {
  loop hm_i {
    loop l1_i {
      accumulate (y[i]) first () from (x[i]);
      scan_step l1_i coarse () fine () lines () (y[hm_i * 3 + l1_i]);
    }
    scan_step hm_i coarse () fine (l1_i) lines () (y[hm_i * 3 + l1_i]);
  }
}
)");
  EXPECT_EQ(planned_body(prefix_sum, R"("layers": ["HM", "L1"],
    "split": {"i": ["HM 2", "L1 3"]}, "order": ["L1.i", "HM.i"])"),
            R"(body {
  loop l1_i {
    loop hm_i {
      accumulate (y[i]) first () from (x[i]);
      scan_step hm_i coarse () fine () lines () (y[hm_i * 3 + l1_i]);
    }
    scan_step l1_i coarse (hm_i) fine () lines () (y[hm_i * 3 + l1_i]);
  }
}
)");
}

/// 16: totals, one offset per member, and no slots.
TEST(Plan, parts_of_a_scan_on_cores_join_behind_the_loop) {
  EXPECT_EQ(planned(prefix_sum, R"("layers": ["COR", "L1"],
    "split": {"i": ["COR 2", "L1 3"]}, "order": ["COR.i", "L1.i"])"),
            R"(digit cor_i: COR.i < 2 of i step 3 cores
digit l1_i: L1.i < 3 of i step 1 sequential
buffer temporary y_totals: i64[2] in HM of all per ()
buffer temporary y_offset: i64[2] in HM of all per ()
body {
  alloc y_totals;
  alloc y_offset;
  loop cor_i {
    loop l1_i {
      accumulate (y[i]) first () from (x[i]);
      scan_step l1_i coarse () fine () lines () (y[cor_i * 3 + l1_i]);
    }
  }
  scan_fix cor_i coarse () fine (l1_i) lines () (y[cor_i * 3 + l1_i]) totals (y_totals[cor_i]) offset (y_offset[cor_i]);
}
)");
}

/// Interleaved: a total and an offset for every coarse part and line.
TEST(Plan, totals_of_parts_that_take_turns_are_kept_row_by_row_and_line_by_line) {
  const std::string text = planned(
      "lines = out_view( y: i64 = [i, j] ) * md_hom( i: 6 by ps(add), j: 4 by cc ) { y = x; }"
      " * inp_view( x: i64 = [i, j] )",
      R"("layers": ["L1", "COR"], "split": {"i": ["L1 3", "COR 2"], "j": ["L1 2", "COR 2"]},
    "order": ["COR.i", "L1.i", "L1.j", "COR.j"])");
  EXPECT_NE(text.find("buffer temporary y_totals: i64[2, 2, 3, 2] in HM of all per ()\n"
                      "buffer temporary y_offset: i64[2, 2, 3, 2] in HM of all per ()\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("scan_fix cor_i coarse (l1_i) fine () lines (l1_j, cor_j) "
                      "(y[l1_i * 2 + cor_i, l1_j * 2 + cor_j]) "
                      "totals (y_totals[l1_j, cor_j, l1_i, cor_i]) "
                      "offset (y_offset[l1_j, cor_j, l1_i, cor_i]);"),
            std::string::npos)
      << text;
}

/// Parts side by side in one core have to be joined one after the other.
TEST(Plan, lanes_of_a_scanned_dimension_are_a_sequential_loop) {
  const std::string text = planned(prefix_sum, R"("layers": ["L1", "SIMD"],
    "split": {"i": ["L1 3", "SIMD 2"]}, "order": ["L1.i", "SIMD.i"])",
                                   "cpu");
  EXPECT_NE(text.find("digit simd_i: SIMD.i < 2 of i step 1 sequential\n"), std::string::npos)
      << text;
}

}  // namespace
}  // namespace mdh::passes::plan_outputs_test
