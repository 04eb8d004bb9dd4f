#include "mdh/passes/plan.h"

#include <gtest/gtest.h>

#include "mdh/passes/lower.h"
#include "mdh/passes/test_programs.h"

namespace mdh::passes {
namespace {

std::string planned(const std::string& program, const std::string& entries,
                    const std::string& machine = "cpu") {
  const machine::Machine& m = machine::find_machine(machine);
  const loop::Program p = plan(lower(computation(program), m, config(entries)), m);
  loop::verify(p);
  EXPECT_TRUE(loop::is_structured(p));
  return loop::print(p);
}

/// The body alone.
std::string planned_body(const std::string& program, const std::string& entries) {
  const std::string text = planned(program, entries);
  return text.substr(text.find("body {"));
}

const std::string matvec_program =
    "matvec = out_view( w: f32 = [i] ) * md_hom( i: 7 by cc, k: 10 by pw(add) ) { w = M * v; }"
    " * inp_view( M: f32 = [i, k]; v: f32 = [k] )";

TEST(Plan, every_level_is_a_loop_and_the_output_the_accumulator) {
  EXPECT_EQ(planned(matvec_program, R"("layers": ["L2", "COR", "L1"],
    "split": {"i": ["COR 4", "L1 2"], "k": ["L2 3", "L1 4"]},
    "order": ["COR.i", "L2.k", "L1.i", "L1.k"])"),
            R"(mdh_loop 1
kernel matvec
dimension i < 7
dimension k < 10 reduced
buffer output w: f32[7]
buffer input M: f32[7, 10]
buffer input v: f32[10]
function f(M: f32, v: f32, i: i64, k: i64) { w: f32 = M * v; }
function combine(l: f32, r: f32) { x: f32 = l + r; }
body {
  cores COR.i cor_i < 4 of i step 2 {
    sequential L2.k l2_k < 3 of k step 4 {
      sequential L1.i l1_i < 2 of i step 1 {
        sequential L1.k l1_k < 4 of k step 1 {
          accumulate (w[i]) first (l2_k, l1_k) from (M[i, k], v[k]);
        }
      }
    }
  }
}
)");
}

TEST(Plan, steps_follow_the_significance_of_layers_and_not_the_order_of_loops) {
  EXPECT_EQ(planned_body(matvec_program, R"("layers": ["L1", "L2", "L3"],
    "split": {"i": ["L1 7"], "k": ["L1 2", "L2 3", "L3 2"]},
    "order": ["L3.k", "L1.i", "L1.k", "L2.k"])"),
            R"(body {
  sequential L3.k l3_k < 2 of k step 1 {
    sequential L1.i l1_i < 7 of i step 1 {
      sequential L1.k l1_k < 2 of k step 6 {
        sequential L2.k l2_k < 3 of k step 2 {
          accumulate (w[i]) first (l3_k, l1_k, l2_k) from (M[i, k], v[k]);
        }
      }
    }
  }
}
)");
}

TEST(Plan, a_reduction_over_cores_gives_every_member_a_slot) {
  EXPECT_EQ(planned(matvec_program, R"("layers": ["HM", "COR", "L1"],
    "split": {"i": ["HM 2", "COR 2", "L1 2"], "k": ["COR 3", "L1 4"]},
    "order": ["HM.i", "COR.i", "COR.k", "L1.i", "L1.k"])",
                    "artificial"),
            R"(mdh_loop 1
kernel matvec
dimension i < 7
dimension k < 10 reduced
buffer output w: f32[7]
buffer input M: f32[7, 10]
buffer input v: f32[10]
buffer workspace w_cor_k: f32[2, 3, 2]
function f(M: f32, v: f32, i: i64, k: i64) { w: f32 = M * v; }
function combine(l: f32, r: f32) { x: f32 = l + r; }
body {
  sequential HM.i hm_i < 2 of i step 4 {
    cores COR.i cor_i < 2 of i step 2 {
      cores COR.k cor_k < 3 of k step 4 {
        sequential L1.i l1_i < 2 of i step 1 {
          sequential L1.k l1_k < 4 of k step 1 {
            accumulate (w_cor_k[cor_i, cor_k, l1_i]) first (l1_k) from (M[i, k], v[k]);
          }
        }
      }
      team_combine COR.k cor_k < 3 of k step 4 elements (L1.i l1_i < 2 of i step 1)
        (w[i]) first () from (w_cor_k[cor_i, cor_k, l1_i]);
    }
  }
}
)");
}

TEST(Plan, slots_are_dense_tiles_over_the_levels_inside) {
  // Inside of COR.k stand REG.i (worth 2), SIMD.i (worth 1) and COR.i (worth 4): an axis of 2*2*2.
  const std::string text = planned(matvec_program, R"("layers": ["COR", "REG", "SIMD"],
    "split": {"i": ["COR 2", "REG 2", "SIMD 2"], "k": ["COR 10"]},
    "order": ["COR.k", "SIMD.i", "COR.i", "REG.i"])");
  EXPECT_NE(text.find("buffer workspace w_cor_k: f32[10, 8]\n"), std::string::npos) << text;
  EXPECT_EQ(text.substr(text.find("body {")), R"(body {
  cores COR.k cor_k < 10 of k step 1 {
    lanes SIMD.i simd_i < 2 of i step 1 {
      cores COR.i cor_i < 2 of i step 4 {
        unrolled REG.i reg_i < 2 of i step 2 {
          accumulate (w_cor_k[cor_k, (cor_i * 2 + reg_i) * 2 + simd_i]) first () from (M[i, k], v[k]);
        }
      }
    }
  }
  team_combine COR.k cor_k < 10 of k step 1 elements (SIMD.i simd_i < 2 of i step 1, COR.i cor_i < 2 of i step 4, REG.i reg_i < 2 of i step 2)
    (w[i]) first () from (w_cor_k[cor_k, (cor_i * 2 + reg_i) * 2 + simd_i]);
}
)");
}

TEST(Plan, nested_teams_have_slots_within_slots_and_first_digits_belong_to_their_run) {
  const std::string text = planned(
      "all = out_view( s: i64 = [] ) * md_hom( k: 8 by pw(max), l: 12 by pw(max) ) { s = x; }"
      " * inp_view( x: i64 = [k, l] )",
      R"("layers": ["MM", "COR", "L1"],
    "split": {"k": ["MM 2", "COR 2", "L1 2"], "l": ["MM 2", "COR 3", "L1 2"]},
    "order": ["MM.k", "COR.k", "MM.l", "COR.l", "L1.k", "L1.l"])");
  EXPECT_NE(text.find("buffer workspace s_cor_k: i64[2]\nbuffer workspace s_cor_l: i64[2, 3]\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.substr(text.find("body {")), R"(body {
  sequential MM.k mm_k < 2 of k step 4 {
    cores COR.k cor_k < 2 of k step 2 {
      sequential MM.l mm_l < 2 of l step 6 {
        cores COR.l cor_l < 3 of l step 2 {
          sequential L1.k l1_k < 2 of k step 1 {
            sequential L1.l l1_l < 2 of l step 1 {
              accumulate (s_cor_l[cor_k, cor_l]) first (l1_k, l1_l) from (x[k, l]);
            }
          }
        }
        team_combine COR.l cor_l < 3 of l step 2 elements ()
          (s_cor_k[cor_k]) first (mm_l) from (s_cor_l[cor_k, cor_l]);
      }
    }
    team_combine COR.k cor_k < 2 of k step 2 elements ()
      (s[]) first (mm_k) from (s_cor_k[cor_k]);
  }
}
)");
}

TEST(Plan, every_result_has_slots_of_its_own_type) {
  const std::string text = planned(
      "two = out_view( y: f64 = [i]; z: i32 = [2 * i + 1] )"
      " * md_hom( i: 3 by cc, k: 4 by pw(add, max) ) { y = x; z = i32(x); }"
      " * inp_view( x: f64 = [i, k] )",
      R"("layers": ["COR", "L1"], "split": {"i": ["L1 3"], "k": ["COR 4"]},
    "order": ["COR.k", "L1.i"])");
  EXPECT_EQ(text.substr(text.find("buffer")), R"(buffer output y: f64[3]
buffer output z: i32[6]
buffer input x: f64[3, 4]
buffer workspace y_cor_k: f64[4, 3]
buffer workspace z_cor_k: i32[4, 3]
function f(x: f64, i: i64, k: i64) { y: f64 = x; z: i32 = i32(x); }
function combine(l0: f64, l1: i32, r0: f64, r1: i32) { x0: f64 = l0 + r0; x1: i32 = max(l1, r1); }
body {
  cores COR.k cor_k < 4 of k step 1 {
    sequential L1.i l1_i < 3 of i step 1 {
      accumulate (y_cor_k[cor_k, l1_i], z_cor_k[cor_k, l1_i]) first () from (x[i, k]);
    }
  }
  team_combine COR.k cor_k < 4 of k step 1 elements (L1.i l1_i < 3 of i step 1)
    (y[i], z[2 * i + 1]) first () from (y_cor_k[cor_k, l1_i], z_cor_k[cor_k, l1_i]);
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
  sequential L1.i l1_i < 5 of i step 1 {
    sequential L1.k l1_k < 2 of k step 1 {
      accumulate (y[4 - i]) first (l1_k) from (x[0 - i + 4]);
    }
  }
}
)");
}

TEST(Plan, digits_and_slots_take_names_that_are_free) {
  const std::string text = planned(
      "names = out_view( y: i64 = [] ) * md_hom( k: 4 by pw(add) ) { y = cor_k * y_cor_k_; }"
      " * inp_view( cor_k: i64 = [k]; y_cor_k_: i64 = [k] )",
      R"("layers": ["COR"], "split": {"k": ["COR 4"]}, "order": ["COR.k"])");
  EXPECT_NE(text.find("buffer workspace y_cor_k__: i64[4]\n"), std::string::npos) << text;
  EXPECT_NE(text.find("cores COR.k cor_k_ < 4 of k step 1 {"), std::string::npos) << text;
}

TEST(Plan, a_single_point_needs_no_loop) {
  EXPECT_EQ(planned_body("one = out_view( y: i64 = [i] ) * md_hom( i: 1 by cc ) { y = x; }"
                         " * inp_view( x: i64 = [i] )",
                         R"("layers": ["L1"], "split": {}, "order": [])"),
            "body {\n  accumulate (y[i]) first () from (x[i]);\n}\n");
}

// ---- refusals

ll::Program lowered() {
  return lower(computation(matvec_program), machine::find_machine("cpu"),
               config(R"("layers": ["COR", "L1"], "split": {"i": ["COR 7"], "k": ["L1 10"]},
    "order": ["COR.i", "L1.k"])"));
}

std::string refusal(const ll::Program& p) {
  const Diagnostic d = diagnostic_of([&] { plan(p, machine::find_machine("cpu")); });
  EXPECT_EQ(d.kind, DiagnosticKind::unsupported);
  return fmt::format("{} {} | {}", d.code, d.message, d.hint);
}

TEST(Plan, phases_with_different_orders_or_assignments_are_refused) {
  const std::string expected =
      "E501 not supported: code for phases with different orders or assignments | use one order "
      "for all three phases; the reference runs any";
  ll::Program p = lowered();
  std::swap(p.decompose[0], p.decompose[1]);
  EXPECT_EQ(refusal(p), expected);
  p = lowered();
  std::swap(p.scalar.order[0], p.scalar.order[1]);
  EXPECT_EQ(refusal(p), expected);
  p = lowered();
  std::swap(p.recompose[0], p.recompose[1]);
  EXPECT_EQ(refusal(p), expected);
  p = lowered();
  p.recompose[0].layer = "MM";
  EXPECT_EQ(refusal(p), expected);
}

TEST(Plan, outputs_that_may_be_written_twice_are_refused) {
  const auto low = [](const std::string& out_view) {
    return lower(computation("p = out_view( " + out_view +
                             " ) * md_hom( i: 2 by cc, j: 3 by cc ) { y = 1; } * inp_view( )"),
                 machine::find_machine("cpu"),
                 config(R"("layers": ["L1"], "split": {"i": ["L1 2"], "j": ["L1 3"]},
    "order": ["L1.i", "L1.j"])"));
  };
  const std::string expected =
      "E502 not supported: code for output 'y', whose index functions are not provably injective | "
      "run it with --target reference";
  EXPECT_EQ(refusal(low("y: i64 = [i + j]")), expected);
  EXPECT_EQ(refusal(low("y: i64 = [i]")), expected);
  EXPECT_EQ(loop::print(plan(low("y: i64 = [3 * i + j]"), machine::find_machine("cpu")))
                .find("mdh_loop 1\nkernel p\n"),
            0u);
}

}  // namespace
}  // namespace mdh::passes
