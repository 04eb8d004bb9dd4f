// One test or more for every rule of partitioning, copies, accumulators and scans, in the order and
// with the numbers of docs/ir/loop.md. Expected loops are written from the rules.
#include "mdh/passes/plan.h"

#include <gtest/gtest.h>

#include "mdh/passes/lower.h"
#include "mdh/passes/test_programs.h"

namespace mdh::passes {
namespace {

loop::Program plan_of(const std::string& program, const std::string& entries,
                      const std::string& machine) {
  const machine::Machine& m = machine::find_machine(machine);
  const ll::Config c = config(entries);
  loop::Program p = plan(lower(computation(program), m, c), m, c.code);
  loop::verify(p);
  EXPECT_TRUE(loop::is_structured(p));
  return p;
}

/// Digits, temporaries and the body; what the computation says itself is left out.
std::string planned(const std::string& program, const std::string& entries,
                    const std::string& machine = "artificial") {
  std::string text = loop::print(plan_of(program, entries, machine)), result;
  const size_t body = text.find("body {");
  for (const std::string& line : split(text.substr(0, body), '\n')) {
    const bool ours = line.rfind("digit ", 0) == 0 || line.rfind("buffer temporary", 0) == 0;
    if (ours) result += line + "\n";
  }
  return result + text.substr(body);
}

std::string planned_body(const std::string& program, const std::string& entries,
                         const std::string& machine = "artificial") {
  const std::string text = planned(program, entries, machine);
  return text.substr(text.find("body {"));
}

std::string matvec_program(int64_t rows, int64_t columns) {
  return fmt::format(
      "matvec = out_view( w: f32 = [i] ) * md_hom( i: {} by cc, k: {} by pw(add) )"
      " {{ w = M * v; }} * inp_view( M: f32 = [i, k]; v: f32 = [k] )",
      rows, columns);
}

// ---- rules 1 and 2: partition

TEST(Plan, every_level_is_a_loop_and_the_output_the_accumulator) {
  EXPECT_EQ(loop::print(plan_of(matvec_program(7, 10), R"("layers": ["L2", "COR", "L1"],
    "split": {"i": ["COR 4", "L1 2"], "k": ["L2 3", "L1 4"]},
    "order": ["COR.i", "L2.k", "L1.i", "L1.k"])",
                                "cpu")),
            R"(mdh_loop 1
kernel matvec
dimension i < 7 kept
dimension k < 10 reduced
digit cor_i: COR.i < 4 of i step 2 cores
digit l2_k: L2.k < 3 of k step 4 sequential
digit l1_i: L1.i < 2 of i step 1 sequential
digit l1_k: L1.k < 4 of k step 1 sequential
buffer output w: f32[7]
buffer input M: f32[7, 10]
buffer input v: f32[10]
function f(M: f32, v: f32, i: i64, k: i64) { w: f32 = M * v; }
function combine(l: f32, r: f32) { x: f32 = l + r; }
body {
  loop cor_i {
    loop l2_k {
      loop l1_i {
        loop l1_k {
          accumulate (w[i]) first (l2_k, l1_k) from (M[i, k], v[k]);
        }
      }
    }
  }
}
)");
}

/// Rule 1: layer numbers decide, never loop order.
TEST(Plan, steps_follow_the_significance_of_layers) {
  EXPECT_EQ(planned(matvec_program(7, 10), R"("layers": ["L1", "L2", "L3"],
    "split": {"i": ["L1 7"], "k": ["L1 2", "L2 3", "L3 2"]},
    "order": ["L3.k", "L1.i", "L1.k", "L2.k"])",
                    "cpu"),
            R"(digit l3_k: L3.k < 2 of k step 1 sequential
digit l1_i: L1.i < 7 of i step 1 sequential
digit l1_k: L1.k < 2 of k step 6 sequential
digit l2_k: L2.k < 3 of k step 2 sequential
body {
  loop l3_k {
    loop l1_i {
      loop l1_k {
        loop l2_k {
          accumulate (w[i]) first (l3_k, l1_k, l2_k) from (M[i, k], v[k]);
        }
      }
    }
  }
}
)");
}

TEST(Plan, digits_are_carried_out_as_their_layer_says) {
  const std::string text = planned(matvec_program(8, 6), R"("layers": ["COR", "L1", "REG", "SIMD"],
    "split": {"i": ["COR 2", "REG 2", "SIMD 2"], "k": ["L1 6"]},
    "order": ["COR.i", "L1.k", "REG.i", "SIMD.i"])",
                                   "cpu");
  EXPECT_EQ(text.substr(0, text.find("body")), R"(digit cor_i: COR.i < 2 of i step 4 cores
digit l1_k: L1.k < 6 of k step 1 sequential
digit reg_i: REG.i < 2 of i step 2 unrolled
digit simd_i: SIMD.i < 2 of i step 1 lanes
)");
}

TEST(Plan, cores_without_a_barrier_are_a_grid) {
  const std::string text = planned(matvec_program(8, 6), R"("layers": ["SMX", "CC", "DM"],
    "split": {"i": ["SMX 4", "CC 2"], "k": ["DM 6"]}, "order": ["SMX.i", "CC.i", "DM.k"])",
                                   "cuda");
  EXPECT_EQ(text.substr(0, text.find("body")), R"(digit smx_i: SMX.i < 4 of i step 2 grid
digit cc_i: CC.i < 2 of i step 1 cores
digit dm_k: DM.k < 6 of k step 1 sequential
)");
}

TEST(Plan, a_single_point_needs_no_loop) {
  EXPECT_EQ(planned("one = out_view( y: i64 = [i] ) * md_hom( i: 1 by cc ) { y = x; }"
                    " * inp_view( x: i64 = [i] )",
                    R"("layers": ["L1"], "split": {}, "order": [])"),
            "body {\n  accumulate (y[i]) first () from (x[i]);\n}\n");
}

// ---- rule 3: footprints

std::string pw_program(const std::string& dimensions, const std::string& access) {
  return "p = out_view( y: i64 = [] ) * md_hom( " + dimensions +
         " ) { y = x; } * inp_view( x: i64 = " + access + " )";
}

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
buffer temporary x_reg: i64[8] in REG of core per () holds 6
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

TEST(Plan, registers_are_not_padded) {
  const std::string text = planned(pw_program("k: 4 by pw(add)", "[k]"), R"("layers": ["MM", "L1"],
    "split": {"k": ["MM 2", "L1 2"]}, "order": ["MM.k", "L1.k"],
    "stage": {"x": [{"from": "L1.k", "region": "REG"}]},
    "code": {"stage": {"x": [{"pad": 3}]}})",
                                   "cpu");
  EXPECT_NE(text.find("buffer temporary x_reg: i64[2] in REG of core per ()\n"), std::string::npos)
      << text;
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
buffer temporary y_acc: i64[4] in REG of core per ()
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
      scan_step hm_i coarse () fine () lines () (y[l1_i + hm_i * 3]);
    }
    scan_step l1_i coarse (hm_i) fine () lines () (y[l1_i + hm_i * 3]);
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

/// Interleaved: a total for every coarse part and line; members on cores of lines have an offset.
TEST(Plan, totals_of_parts_that_take_turns_are_kept_row_by_row_and_line_by_line) {
  const std::string text = planned(
      "lines = out_view( y: i64 = [i, j] ) * md_hom( i: 6 by ps(add), j: 4 by cc ) { y = x; }"
      " * inp_view( x: i64 = [i, j] )",
      R"("layers": ["L1", "COR"], "split": {"i": ["L1 3", "COR 2"], "j": ["L1 2", "COR 2"]},
    "order": ["COR.i", "L1.i", "L1.j", "COR.j"])");
  EXPECT_NE(text.find("buffer temporary y_totals: i64[2, 2, 3, 2] in HM of all per ()\n"
                      "buffer temporary y_offset: i64[2, 2] in HM of all per ()\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("scan_fix cor_i coarse (l1_i) fine () lines (l1_j, cor_j) "
                      "(y[cor_i + l1_i * 2, l1_j * 2 + cor_j]) "
                      "totals (y_totals[l1_j, cor_j, l1_i, cor_i]) "
                      "offset (y_offset[cor_i, cor_j]);"),
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

// ---- rule 18: separate phases

TEST(Plan, phases_with_other_orders_are_nests_of_their_own) {
  EXPECT_EQ(planned(matvec_program(2, 3), R"("layers": ["HM"],
    "split": {"i": ["HM 2"], "k": ["HM 3"]}, "order": ["HM.i", "HM.k"],
    "phases": {"recomposition": {"order": ["HM.k", "HM.i"]}})"),
            R"(digit hm_k_r: HM.k < 3 of k step 1 sequential
digit hm_i: HM.i < 2 of i step 1 sequential
digit hm_i_r: HM.i < 2 of i step 1 sequential
digit hm_k: HM.k < 3 of k step 1 sequential
buffer temporary w_f: f32[3, 2] in HM of all per ()
body {
  alloc w_f;
  loop hm_i {
    loop hm_k {
      accumulate (w_f[hm_k, hm_i]) first () from (M[i, k], v[k]);
    }
  }
  loop hm_k_r {
    loop hm_i_r {
      write_up () (w[i]) first (hm_k_r) from (w_f[hm_k_r, hm_i_r]);
    }
  }
}
)");
}

/// Below the common loops what f reads is one tile, its results one buffer; runs are as ever.
TEST(Plan, common_loops_are_fused_and_what_lies_below_is_staged_whole) {
  EXPECT_EQ(planned(matvec_program(2, 6), R"("layers": ["COR", "HM", "L1"],
    "split": {"i": ["COR 2"], "k": ["HM 2", "L1 3"]}, "order": ["COR.i", "HM.k", "L1.k"],
    "stage": {"v": [{"from": "L1.k", "region": "L1"}]},
    "acc": {"w": [{"inside": "HM.k", "region": "L1"}]},
    "phases": {"recomposition": {"order": ["COR.i", "L1.k", "HM.k"]}})"),
            R"(digit cor_i: COR.i < 2 of i step 1 cores
digit l1_k_r: L1.k < 3 of k step 1 sequential
digit hm_k: HM.k < 2 of k step 3 sequential
digit hm_k_r: HM.k < 2 of k step 3 sequential
digit l1_k: L1.k < 3 of k step 1 sequential
buffer temporary v_l1: f32[2, 3] in L1 of core per (cor_i)
buffer temporary w_acc: f32[] in L1 of core per (cor_i)
buffer temporary w_f: f32[3, 2] in L1 of core per (cor_i)
body {
  loop cor_i {
    alloc v_l1;
    copy (v_l1_1 < 2, v_l1_2 < 3) v_l1[v_l1_1, v_l1_2] = v[v_l1_1 * 3 + v_l1_2] within () team ();
    alloc w_f;
    loop hm_k {
      loop l1_k {
        accumulate (w_f[l1_k, hm_k]) first () from (M[i, k], v_l1[hm_k, l1_k]);
      }
    }
    loop l1_k_r {
      alloc w_acc;
      loop hm_k_r {
        write_up () (w_acc[]) first (hm_k_r) from (w_f[l1_k_r, hm_k_r]);
      }
      write_up () (w[i]) first (l1_k_r) from (w_acc[]);
    }
  }
}
)");
}

TEST(Plan, phases_on_other_layers_are_nests_of_their_own) {
  const std::string text = planned(matvec_program(2, 4), R"("layers": ["HM", "COR"],
    "split": {"i": ["HM 2"], "k": ["HM 4"]}, "order": ["HM.i", "HM.k"],
    "phases": {"recomposition": {"split": {"k": ["COR 4"]}}})");
  EXPECT_NE(text.find("digit hm_k_r: HM.k < 4 of k step 1 cores\n"
                      "digit hm_k: HM.k < 4 of k step 1 sequential\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.substr(text.find("body")), R"(body {
  loop hm_i {
    alloc w_f;
    loop hm_k {
      accumulate (w_f[hm_k]) first () from (M[i, k], v[k]);
    }
    alloc w_acc;
    loop hm_k_r {
      write_up () (w_acc[hm_k_r]) first () from (w_f[hm_k_r]);
    }
    team_combine hm_k_r elements () (w[i]) first () from (w_acc[hm_k_r]);
  }
}
)");
}

// ---- names

TEST(Plan, digits_and_temporaries_take_names_that_are_free) {
  const std::string text = planned(
      "names = out_view( y: i64 = [] ) * md_hom( k: 4 by pw(add) ) { y = cor_k * y_acc; }"
      " * inp_view( cor_k: i64 = [k]; y_acc: i64 = [k] )",
      R"("layers": ["COR"], "split": {"k": ["COR 4"]}, "order": ["COR.k"])");
  EXPECT_NE(text.find("digit cor_k_: COR.k < 4 of k step 1 cores\n"), std::string::npos) << text;
  EXPECT_NE(text.find("buffer temporary y_acc_: i64[4] in HM of all per ()\n"), std::string::npos)
      << text;
}

TEST(Plan, operands_of_the_operator_are_numbered_if_there_are_several) {
  const std::string text =
      loop::print(plan_of(two_outputs, R"("layers": ["HM"], "split": {"i": ["HM 3"], "k": ["HM 4"]},
    "order": ["HM.i", "HM.k"])",
                          "artificial"));
  EXPECT_NE(text.find("function combine(l0: f64, l1: i32, r0: f64, r1: i32) "
                      "{ x0: f64 = l0 + r0; x1: i32 = max(l1, r1); }\n"),
            std::string::npos)
      << text;
}

// ---- refusals; rules 10d and 13: outputs whose elements are written more than once are not built

std::string refusal(const std::string& program, const std::string& entries,
                    const std::string& machine = "cpu") {
  const Diagnostic d = diagnostic_of([&] { plan_of(program, entries, machine); });
  EXPECT_EQ(d.kind, DiagnosticKind::unsupported);
  return fmt::format("{} {} | {}", d.code, d.message, d.hint);
}

TEST(Plan, outputs_that_may_be_written_twice_are_refused) {
  const auto with = [](const std::string& out_view) {
    return "p = out_view( " + out_view +
           " ) * md_hom( i: 2 by cc, j: 3 by cc ) { y = 1; } * inp_view( )";
  };
  const std::string entries = R"("layers": ["L1"], "split": {"i": ["L1 2"], "j": ["L1 3"]},
    "order": ["L1.i", "L1.j"])";
  const std::string expected =
      "E502 not supported: code for output 'y', whose index functions are not provably injective | "
      "run it with --target reference";
  EXPECT_EQ(refusal(with("y: i64 = [i + j]"), entries), expected);
  EXPECT_EQ(refusal(with("y: i64 = [i]"), entries), expected);
  EXPECT_NE(planned_body(with("y: i64 = [3 * i + j]"), entries), "");
}

TEST(Plan, open_levels_are_refused) {
  const machine::Machine& cpu = machine::find_machine("cpu");
  ll::Program low =
      lower(computation(matvec_program(7, 10)), cpu,
            config(R"("layers": ["COR", "L1"], "split": {"i": ["COR 7"], "k": ["L1 10"]},
    "order": ["COR.i", "L1.k"])"));
  low.decompose[0].parts = ll::open_parts;
  const Diagnostic d = diagnostic_of([&] { plan(low, cpu); });
  EXPECT_EQ(d.code, "E506");
  EXPECT_EQ(d.message, "not supported: code for the open level COR.i");
}

}  // namespace
}  // namespace mdh::passes
