#include "mdh/loop/print.h"

#include <gtest/gtest.h>

#include "mdh/loop/test_programs.h"
#include "mdh/scalar/simplify.h"

namespace mdh::loop {
namespace {

/// What print() writes is read back as an equal program and written the same again.
void expect_round_trip(const std::string& text) {
  const Program p = parse(text);
  EXPECT_EQ(print(p), text);
  EXPECT_EQ(parse(print(p)), p);
}

TEST(LoopText, structured_statements_are_read_back) {
  expect_round_trip(R"(mdh_loop 1
kernel matvec
dimension i < 7
dimension k < 10 reduced
buffer output w: f32[7]
buffer input M: f32[7, 10]
buffer input v: f32[10]
buffer workspace w_cor_k: f32[3, 4]
function f(M: f32, v: f32, i: i64, k: i64) { w: f32 = M * v; }
function combine(l: f32, r: f32) { x: f32 = l + r; }
body {
  sequential MM.i mm_i < 2 of i step 4 {
    cores COR.k cor_k < 3 of k step 4 {
      unrolled REG.i reg_i < 2 of i step 2 {
        lanes SIMD.i simd_i < 2 of i step 1 {
          sequential L1.k l1_k < 4 of k step 1 {
            accumulate (w_cor_k[cor_k, reg_i * 2 + simd_i]) first (l1_k) from (M[i, k], v[k]);
          }
        }
      }
    }
    team_combine COR.k cor_k < 3 of k step 4 elements (REG.i reg_i < 2 of i step 2, SIMD.i simd_i < 2 of i step 1)
      (w[i]) first () from (w_cor_k[cor_k, reg_i * 2 + simd_i]);
    sequential REG.i reg_i < 2 of i step 2 {
      write_up (w[i]) first (mm_i, reg_i) from (w_cor_k[0, reg_i]);
    }
  }
}
)");
}

TEST(LoopText, concrete_statements_are_read_back) {
  expect_round_trip(R"(mdh_loop 1
kernel rows
dimension i < 7
dimension k < 10 reduced
buffer output y: i64[7]
buffer input x: i64[7, 10]
function f(x: i64, i: i64, k: i64) { y: i64 = x + i * k; }
function combine(l: i64, r: i64) { x: i64 = min(l, r); }
body {
  for L3.k l3_k < 2 sequential {
    deal (COR.i a < 3 of i step 2, L2.i b < 2 of i step 1) {
      if a * 2 + b < 7 {
        let i = a * 2 + b;
        for L1.k l1_k < min(5, (14 - l3_k * 5) / 5) lanes {
          let k = l3_k * 5 + l1_k;
          load x_in = x[i, k];
          apply y_f = f(x_in; i, k);
          if l3_k == 0 && l1_k == 0 {
            store y[i] = y_f;
          } else {
            load y_old = y[i];
            combine y_new = (y_old; y_f);
            store y[i] = y_new;
          }
        }
      }
    }
    barrier;
    deal () {
      for REG.i n < 2 unrolled {
        load z = y[n];
        store y[n] = z;
      }
    }
  }
}
)");
}

TEST(LoopText, several_results_and_no_inputs_are_read_back) {
  expect_round_trip(R"(mdh_loop 1
kernel counts
dimension i < 2
buffer output a: i32[2]
buffer output b: bool[]
function f(i: i64) { a: i32 = i32(i); b: bool = i == 1; }
function combine(l0: i32, l1: bool, r0: i32, r1: bool) { x0: i32 = l0 + r0; x1: bool = l1 | r1; }
body {
  sequential L1.i p < 2 of i step 1 {
    accumulate (a[i], b[]) first (p) from ();
  }
  deal () {
    for L1.i q < 2 sequential {
      apply u, v = f(; q);
      load s = a[q];
      load t = b[];
      combine m, n = (u, v; s, t);
      store a[q] = m;
      store b[] = n;
    }
  }
}
)");
}

TEST(LoopText, accesses_with_numbers_are_read_back) {
  expect_round_trip(R"(mdh_loop 1
kernel stencil
dimension i < 4
buffer output y: f64[4]
buffer input x: f64[5]
function f(x.1: f64, x.2: f64, i: i64) { y: f64 = 0.5 * x.1 + (-0.25 + x.2); }
function combine() { }
body {
}
)");
}

TEST(LoopText, indices_weaker_than_a_sum_stay_in_parentheses) {
  const Program p = rows_with("let a = (3 & 1) + 2; let b = (a | 4); let c = min(a & 1, b);");
  EXPECT_EQ(parse(print(p)), p);
  const std::string text = print(p);
  EXPECT_NE(text.find("let a = (3 & 1) + 2;"), std::string::npos) << text;
  EXPECT_NE(text.find("let b = (a | 4);"), std::string::npos) << text;
  EXPECT_NE(text.find("let c = min(a & 1, b);"), std::string::npos) << text;
}

TEST(LoopText, negative_numbers_in_indices_are_literals) {
  const Program p = rows_with("let a = -3; let b = a - -4; let c = -b;");
  EXPECT_EQ(p.body[0].as<Let>()->value, scalar::index_literal(-3));
  EXPECT_EQ(parse(print(p)), p);
  EXPECT_NE(print(p).find("let b = a - -4;\n  let c = 0 - b;"), std::string::npos) << print(p);
}

TEST(LoopText, the_branch_otherwise_is_printed_only_if_there_is_one) {
  const Program p = rows_with("if 1 < 2 { barrier; } else { }");
  EXPECT_EQ(print(p), rows + "body {\n  if 1 < 2 {\n    barrier;\n  }\n}\n");
  EXPECT_EQ(parse(print(p)), p);
}

TEST(LoopText, elements_are_printed_alone_for_messages) {
  EXPECT_EQ(print(Element{named("w"), {}}), "w[]");
  const Expr k = index_variable(named("k"));
  EXPECT_EQ(print(Element{named("w"), {index_variable(named("i")), k + scalar::index_literal(1)}}),
            "w[i, k + 1]");
}

TEST(LoopText, comments_and_layout_do_not_matter) {
  EXPECT_EQ(parse(rows + "body{// nothing\nbarrier ;}"), parse(rows + "body { barrier; }"));
}

}  // namespace
}  // namespace mdh::loop
