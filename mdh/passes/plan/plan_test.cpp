// One test or more for every rule of the plan, with the numbers of docs/ir/loop.md; those of inputs
// and outputs have files of their own. Expected loops are written from the rules.
#include "mdh/passes/plan/plan.h"

#include <gtest/gtest.h>

#include "mdh/passes/plan/test_plans.h"

namespace mdh::passes::plan_test {
namespace {

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

TEST(Plan, layers_may_have_any_of_their_names_in_code) {
  const auto with = [](const std::string& layer) {
    return loop::print(plan_of(matvec_program(7, 12),
                               fmt::format(R"("layers": ["BLK", "DEV"],
    "split": {{"i": ["BLK 7"], "k": ["DEV 12"]}}, "order": ["BLK.i", "DEV.k"],
    "code": {{"kernel": {{"unroll": {{"{}.k": 4}}}}}})",
                                           layer),
                               "cuda"));
  };
  EXPECT_EQ(with("DEV"), with("DM"));
  EXPECT_NE(with("DM").find("unroll 4"), std::string::npos) << with("DM");
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

const std::string two_outputs =
    "two = out_view( y: f64 = [i]; z: i32 = [2 * i + 1] )"
    " * md_hom( i: 3 by cc, k: 4 by pw(add, max) ) { y = x; z = i32(x); }"
    " * inp_view( x: f64 = [i, k] )";

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

TEST(Plan, index_functions_with_casts_loops_or_calls_are_refused) {
  const std::string entries = R"("layers": ["L1"], "split": {"i": ["L1 4"]}, "order": ["L1.i"])";
  const auto refused = [&](const std::string& index) {
    return refusal(
        "p = out_view( y: i64 = [i] ) * md_hom( i: 4 by cc ) { y = x; } * inp_view( x: "
        "i64[9] = [" +
            index + "] )",
        entries);
  };
  EXPECT_EQ(refused("i64(u8(i))"),
            "E507 not supported: code for the index function 'i64(u8(i))' of buffer 'x' | without "
            "casts, loops and calls, or run it with --target reference");
  EXPECT_EQ(refused("i64(sqrt(f32(i)))").substr(0, 4), "E507");
  EXPECT_EQ(refused("(loop (k = 0) while (k < i) { k = k + 1 } yield k)").substr(0, 4), "E507");
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
}  // namespace mdh::passes::plan_test
