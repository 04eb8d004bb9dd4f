#include "mdh/passes/first_write.h"

#include <gtest/gtest.h>

#include "mdh/passes/test_programs.h"

namespace mdh::passes {
namespace {

TEST(FirstWrite, an_accumulation_overwrites_first_and_combines_afterwards) {
  expect_rewrite(first_write, R"(
    deal () {
      sequential L1.i p < 7 of i step 1 {
        sequential L1.k q < 10 of k step 1 { accumulate (w[i]) first (q) from (M[i, k], v[k]); }
      }
    })",
                 R"(
    deal () {
      sequential L1.i p < 7 of i step 1 {
        sequential L1.k q < 10 of k step 1 {
          let i = p;
          let k = q;
          load M_in = M[i, k];
          load v_in = v[k];
          apply w_f = f(M_in, v_in; i, k);
          if q == 0 {
            store w[i] = w_f;
          } else {
            load w_old = w[i];
            combine w_new = (w_old; w_f);
            store w[i] = w_new;
          }
        }
      }
    })");
}

TEST(FirstWrite, all_first_digits_must_be_0_and_all_digits_around_make_the_point) {
  expect_rewrite(first_write, R"(
    lanes L3.k r < 2 of k step 6 {
      deal (COR.i c < 4 of i step 2, COR.k d < 2 of k step 3) {
        if r * 6 + d * 3 < 10 {
          unrolled L1.i p < 2 of i step 1 {
            sequential L1.k q < 3 of k step 1 {
              accumulate (t[c * 2 + p, d]) first (r, q) from (M[i, k], v[k]);
            }
          }
        }
      }
    })",
                 R"(
    lanes L3.k r < 2 of k step 6 {
      deal (COR.i c < 4 of i step 2, COR.k d < 2 of k step 3) {
        if r * 6 + d * 3 < 10 {
          unrolled L1.i p < 2 of i step 1 {
            sequential L1.k q < 3 of k step 1 {
              let i = c * 2 + p;
              let k = r * 6 + d * 3 + q;
              load M_in = M[i, k];
              load v_in = v[k];
              apply w_f = f(M_in, v_in; i, k);
              if r == 0 && q == 0 {
                store t[c * 2 + p, d] = w_f;
              } else {
                load w_old = t[c * 2 + p, d];
                combine w_new = (w_old; w_f);
                store t[c * 2 + p, d] = w_new;
              }
            }
          }
        }
      }
    })");
}

TEST(FirstWrite, without_first_digits_every_write_is_the_first) {
  expect_rewrite(first_write, R"(
    deal (COR.k d < 10 of k step 1) {
      sequential L1.i p < 7 of i step 1 { accumulate (w[i]) first () from (M[i, k], v[k]); }
    })",
                 R"(
    deal (COR.k d < 10 of k step 1) {
      sequential L1.i p < 7 of i step 1 {
        let i = p;
        let k = d;
        load M_in = M[i, k];
        load v_in = v[k];
        apply w_f = f(M_in, v_in; i, k);
        store w[i] = w_f;
      }
    })");
}

TEST(FirstWrite, write_up_loads_instead_of_calling_f) {
  expect_rewrite(first_write, R"(
    deal (COR.i a < 7 of i step 1) {
      sequential COR.k b < 4 of k step 3 { write_up (w[i]) first (b) from (t[a, b]); }
    })",
                 R"(
    deal (COR.i a < 7 of i step 1) {
      sequential COR.k b < 4 of k step 3 {
        let i = a;
        let k = b * 3;
        load w_part = t[a, b];
        if b == 0 {
          store w[i] = w_part;
        } else {
          load w_old = w[i];
          combine w_new = (w_old; w_part);
          store w[i] = w_new;
        }
      }
    })");
}

TEST(FirstWrite, dimensions_without_digits_are_0) {
  const loop::Program p = loop::parse(R"(mdh_loop 1
kernel one
dimension i < 1
buffer output y: i64[1]
function f(i: i64) { y: i64 = i; }
function combine() { }
body { deal () { accumulate (y[i]) first () from (); } })");
  EXPECT_EQ(first_write(p).body, loop::parse(R"(mdh_loop 1
kernel one
dimension i < 1
buffer output y: i64[1]
function f(i: i64) { y: i64 = i; }
function combine() { }
body { deal () { let i = 0; apply y_f = f(; i); store y[i] = y_f; } })")
                                     .body);
}

TEST(FirstWrite, several_results_are_combined_together_and_names_are_free) {
  const std::string declarations = R"(mdh_loop 1
kernel both
dimension k < 5 reduced
buffer output y: i64[]
buffer output z: i64[]
buffer input y_f: i64[6]
buffer input x_1_in: i64[5]
function f(x.1: i64, x.2: i64, y_in: i64, k: i64) { y: i64 = x.1 - x.2; z: i64 = y_in; }
function combine(l0: i64, l1: i64, r0: i64, r1: i64) { x0: i64 = l0 + r0; x1: i64 = max(l1, r1); }
)";
  const loop::Program before = loop::parse(declarations + R"(body {
  deal () {
    sequential L1.k z_old < 5 of k step 1 {
      accumulate (y[], z[]) first (z_old) from (y_f[k], y_f[k + 1], x_1_in[k]);
    }
  }
})");
  const loop::Program after = loop::parse(declarations + R"(body {
  deal () {
    sequential L1.k z_old < 5 of k step 1 {
      let k = z_old;
      load x_1_in_ = y_f[k];
      load x_2_in = y_f[k + 1];
      load y_in_in = x_1_in[k];
      apply y_f_, z_f = f(x_1_in_, x_2_in, y_in_in; k);
      if z_old == 0 {
        store y[] = y_f_;
        store z[] = z_f;
      } else {
        load y_old = y[];
        load z_old_ = z[];
        combine y_new, z_new = (y_old, z_old_; y_f_, z_f);
        store y[] = y_new;
        store z[] = z_new;
      }
    }
  }
})");
  EXPECT_EQ(loop::print(first_write(before)), loop::print(after));
}

}  // namespace
}  // namespace mdh::passes
