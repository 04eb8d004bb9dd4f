#include "mdh/loop/print.h"

#include <gtest/gtest.h>

#include "mdh/loop/test_programs.h"
#include "mdh/scalar/simplify.h"

namespace mdh::loop::print_test {
namespace {

/// What print() writes is read back as an equal program and written the same again.
void expect_round_trip(const std::string& text) {
  const Program p = parse(text);
  EXPECT_EQ(print(p), text);
  EXPECT_EQ(parse(print(p)), p);
}

/// The body alone.
std::string body_of(const Program& p) {
  const std::string text = print(p);
  return text.substr(text.find("body {"));
}

TEST(LoopText, structured_statements_are_read_back) {
  expect_round_trip(R"(mdh_loop 1
kernel matvec
dimension i < 7 kept
dimension k < 10 reduced
digit mm_i: MM.i < 2 of i step 4 sequential
digit cor_k: COR.k < 3 of k step 4 cores
digit reg_i: REG.i < 2 of i step 2 unrolled
digit simd_i: SIMD.i < 2 of i step 1 lanes
digit l1_k: L1.k < 4 of k step 1 sequential
digit blk_k: BLK.k < 1 of k step 12 grid
buffer output w: f32[7]
buffer input M: f32[7, 10]
buffer input v: f32[10]
buffer temporary v_l1: f32[4] in L1 of core per (cor_k)
buffer temporary w_acc: f32[3, 2, 2] in MM of all per ()
buffer temporary w_reg: f32[] in REG of registers per (cor_k)
function f(M: f32, v: f32, i: i64, k: i64) { w: f32 = M * v; }
function combine(l: f32, r: f32) { x: f32 = l + r; }
body {
  loop blk_k {
    loop mm_i {
      alloc w_acc;
      loop cor_k {
        alloc v_l1;
        copy (c < 4) v_l1[c] = v[cor_k * 4 + c] within (cor_k * 4 + c >= 0, cor_k * 4 + c < 10) team () roll mm_i along c by 3 across mm_i;
        loop reg_i {
          loop simd_i {
            alloc w_reg;
            loop l1_k {
              accumulate (w_reg[]) first (l1_k) from (M[i, k], v_l1[l1_k]);
            }
            write_up () (w_acc[cor_k, reg_i, simd_i]) first () from (w_reg[]);
          }
        }
      }
      team_combine cor_k elements (reg_i, simd_i) (w[i]) first () from (w_acc[cor_k, reg_i, simd_i]);
      write_up (reg_i, simd_i) (w[i]) first (blk_k) from (w_acc[0, reg_i, simd_i]);
    }
  }
}
)");
}

TEST(LoopText, scans_are_read_back) {
  expect_round_trip(R"(mdh_loop 1
kernel scans
dimension i < 24 scanned
dimension j < 2 kept
digit l2_i: L2.i < 3 of i step 4 sequential
digit cor_i: COR.i < 2 of i step 2 cores
digit mm_i: MM.i < 2 of i step 12 sequential
digit l1_i: L1.i < 2 of i step 1 sequential
digit l1_j: L1.j < 2 of j step 1 sequential
buffer output y: i64[24, 2]
buffer input x: i64[24, 2]
buffer temporary y_totals: i64[2, 2, 2] in MM of all per ()
buffer temporary y_offset: i64[2, 2, 2] in MM of all per ()
function f(x: i64, i: i64, j: i64) { y: i64 = x; }
function combine(l: i64, r: i64) { x: i64 = l + r; }
body {
  loop l2_i {
    alloc y_totals;
    alloc y_offset;
    loop cor_i {
      loop mm_i {
        loop l1_i {
          loop l1_j {
            accumulate (y[i, j]) first () from (x[i, j]);
          }
          scan_step l1_i coarse () fine () lines (l1_j) (y[mm_i * 12 + l2_i * 4 + cor_i * 2 + l1_i, l1_j]);
        }
        scan_step mm_i coarse () fine (l1_i) lines (l1_j) (y[mm_i * 12 + l2_i * 4 + cor_i * 2 + l1_i, l1_j]);
      }
    }
    scan_fix cor_i coarse (mm_i) fine (l1_i) lines (l1_j) (y[mm_i * 12 + l2_i * 4 + cor_i * 2 + l1_i, l1_j]) totals (y_totals[l1_j, mm_i, cor_i]) offset (y_offset[l1_j, mm_i, cor_i]) look_back;
  }
}
)");
}

TEST(LoopText, concrete_statements_are_read_back) {
  expect_round_trip(R"(mdh_loop 1
kernel rows
dimension i < 7 kept
dimension k < 10 reduced
digit g: BLK.i < 2 of i step 4 grid
digit a: COR.i < 2 of i step 2 cores
digit b: L2.i < 2 of i step 1 sequential
cores BLK (g) block on 1
cores COR (a) dynamic
warp 16
buffer output y: i64[7]
buffer input x: i64[7, 10]
buffer temporary s: i64[2] in L1 of core per (a)
bounds 128 2
early
function f(x: i64, i: i64, k: i64) { y: i64 = x + i * k; }
function combine(l: i64, r: i64) { x: i64 = min(l, r); }
body {
  for L3.k l3_k < 2 sequential {
    deal grid (g < 2) cyclic on 1 {
      deal cores (a < 2, b < 2) dynamic {
        if g * 4 + a * 2 + b < 7 {
          let i = g * 4 + a * 2 + b;
          alloc s;
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
      barrier cores;
      deal cores (c < 3) collective {
      }
      barrier warp;
    }
    barrier grid;
    deal all (e < 64) collective {
      for - n < 2 unrolled {
        load z = y[n];
        store y[n] = z;
      }
    }
    barrier all;
  }
}
)");
}

TEST(LoopText, what_a_buffer_holds_and_its_depth_are_printed_if_they_say_something) {
  expect_round_trip(R"(mdh_loop 1
kernel buffers
dimension i < 7 kept
digit cor_i: COR.i < 7 of i step 1 cores
buffer output y: i64[7]
buffer temporary a: i64[7, 4] in L1 of core per (cor_i) holds 3 depth 2
buffer temporary b: i64[7, 4] in REG of registers per () holds 3
buffer temporary c: i64[] in L1 of core per (cor_i) depth 5
buffer temporary d: i64[2] in L2 of core per ()
function f(i: i64) { y: i64 = i; }
function combine() { }
body {
}
)");
}

TEST(LoopText, several_results_and_no_inputs_are_read_back) {
  expect_round_trip(R"(mdh_loop 1
kernel counts
dimension i < 2 kept
digit p: L1.i < 2 of i step 1 sequential
buffer output a: i32[2]
buffer output b: bool[]
function f(i: i64) { a: i32 = i32(i); b: bool = i == 1; }
function combine(l0: i32, l1: bool, r0: i32, r1: bool) { x0: i32 = l0 + r0; x1: bool = l1 | r1; }
body {
  loop p {
    accumulate (a[i], b[]) first (p) from ();
  }
  deal cores () {
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
dimension i < 4 kept
buffer output y: f64[4]
buffer input x: f64[5]
function f(x.1: f64, x.2: f64, i: i64) { y: f64 = 0.5 * x.1 + (-0.25 + x.2); }
function combine() { }
body {
}
)");
}

TEST(LoopText, copies_in_flight_are_read_back) {
  EXPECT_EQ(body_of(rows_with(R"(alloc t;
      loop p { copy async (c < 4) t[c, 0] = x[p, c] within () team (); commit; wait 2; }
      deal cores (a < 3) { async t[0, a] = x[a, 0]; })")),
            R"(body {
  alloc t;
  loop p {
    copy async (c < 4) t[c, 0] = x[p, c] within () team ();
    commit;
    wait 2;
  }
  deal cores (a < 3) {
    async t[0, a] = x[a, 0];
  }
}
)");
}

TEST(LoopText, what_is_asked_for_ahead_is_read_back) {
  EXPECT_EQ(body_of(rows_with(R"(alloc t;
      loop p { copy (c < 4) t[c, 0] = x[p, c] within () team () ahead p by 2 blocks (c < 2); prefetch x[p + 2, 0]; })")),
            R"(body {
  alloc t;
  loop p {
    copy (c < 4) t[c, 0] = x[p, c] within () team () ahead p by 2 blocks (c < 2);
    prefetch x[p + 2, 0];
  }
}
)");
}

TEST(LoopText, records_functions_and_locals_are_read_back) {
  expect_round_trip(R"(mdh_loop 1
kernel best
record match { id: i64; weight: f64; }
record person { id: i64; born: i16[3]; }
fun half(w: f64): f64 { h = 0.5 * w; return h; }
fun weight(a: person, b: person): f64 { return if a.born[1] == b.born[1] then half(2.0) else 0.0; }
dimension i < 4 kept
dimension k < 5 reduced
digit p: L1.i < 4 of i step 1 sequential
digit q: L1.k < 5 of k step 1 sequential
buffer output y: match[4]
buffer input x: person[4]
buffer input z: person[5]
function f(x: person, z: person, i: i64, k: i64) { w = weight(x, z); s = f32(0.5); y: match = match{ id = k, weight = w + f64(s) }; }
function combine(l: match, r: match) { first = l.weight >= r.weight; x: match = if first then l else r; }
body {
  loop p {
    loop q {
      accumulate (y[i]) first (q) from (x[i], z[k]);
    }
  }
}
)");
}

TEST(LoopText, loops_in_f_are_read_back) {
  expect_round_trip(R"(mdh_loop 1
kernel powers
dimension i < 4 kept
digit p: L1.i < 4 of i step 1 sequential
buffer output y: f32[4]
buffer input x: f32[4]
function f(x: f32, i: i64) { y: f32 = loop (k = 0, s = f32(1.0)) while (k < i) { s = s * x, k = k + 1 } yield s; }
function combine() { }
body {
  loop p {
    accumulate (y[i]) first () from (x[i]);
  }
}
)");
}

TEST(LoopText, indices_weaker_than_a_sum_stay_in_parentheses) {
  const Program p = rows_with("let a = (3 & 1) + 2; let b = (a | 4); let c = min(a & 1, b);");
  EXPECT_EQ(parse(print(p)), p);
  EXPECT_EQ(body_of(p),
            "body {\n  let a = (3 & 1) + 2;\n  let b = (a | 4);\n  let c = min(a & 1, b);\n}\n");
}

TEST(LoopText, negative_numbers_in_indices_are_literals) {
  const Program p = rows_with("let a = -3; let b = a - -4; let c = -b;");
  EXPECT_EQ(p.body[0].as<Let>()->value, scalar::index_literal(-3));
  EXPECT_EQ(parse(print(p)), p);
  EXPECT_EQ(body_of(p), "body {\n  let a = -3;\n  let b = a - -4;\n  let c = 0 - b;\n}\n");
}

TEST(LoopText, the_branch_otherwise_is_printed_only_if_there_is_one) {
  const Program p = rows_with("if 1 < 2 { barrier cores; } else { }");
  EXPECT_EQ(body_of(p), "body {\n  if 1 < 2 {\n    barrier cores;\n  }\n}\n");
  EXPECT_EQ(parse(print(p)), p);
}

TEST(LoopText, elements_are_printed_alone_for_messages) {
  EXPECT_EQ(print(Element{named("w"), {}}), "w[]");
  const Expr k = index_variable(named("k"));
  EXPECT_EQ(print(Element{named("w"), {index_variable(named("i")), k + scalar::index_literal(1)}}),
            "w[i, k + 1]");
}

TEST(LoopText, comments_and_layout_do_not_matter) {
  EXPECT_EQ(rows_with("// nothing\nbarrier\ncores ;"), rows_with("barrier cores;"));
}

TEST(PrintLoop, a_loop_may_begin_later) {
  const Program p = parse(R"(mdh_loop 1
kernel k
function f() { }
function combine() { }
body {
  for - n < 3 sequential from 1 {
  }
}
)");
  const auto* loop = p.body.at(0).as<For>();
  ASSERT_NE(loop, nullptr);
  EXPECT_EQ(loop->first, 1);
  EXPECT_EQ(parse(print(p)), p);
}

}  // namespace
}  // namespace mdh::loop::print_test
