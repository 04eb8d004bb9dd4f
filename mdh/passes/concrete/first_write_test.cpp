#include "mdh/passes/concrete/first_write.h"

#include <gtest/gtest.h>

#include "mdh/passes/common/test_programs.h"

namespace mdh::passes::first_write_test {
namespace {

TEST(FirstWrite, an_accumulation_overwrites_first_and_combines_afterwards) {
  expect_rewrite(first_write, R"(
    deal cores () {
      loop p { loop q { accumulate (w[i]) first (q) from (M[i, k], v[k]); } }
    })",
                 R"(
    deal cores () {
      loop p { loop q {
        let i = p;
        let k = q;
        load M_in = M[i, k];
        load v_in = v[k];
        apply w_f = f(M_in, v_in; i, k);
        if q == 0 {
          store w[i] = w_f;
        } else {
          load w_old = w[i];
          combine w_sum = (w_old; w_f);
          store w[i] = w_sum;
        }
      } }
    })");
}

TEST(FirstWrite, all_first_digits_must_be_0_and_all_digits_around_make_the_point) {
  // Digits of loops, of Deals and of loops that are concrete already.
  expect_rewrite(first_write, R"(
    loop a {
      deal cores (e < 4, b < 2) {
        if a * 6 + b * 3 < 10 {
          for L3.i n < 2 sequential { loop h {
            accumulate (t[e * 2 + n, b]) first (a, h) from (M[i, k], v[k]);
          } }
        }
      }
    })",
                 R"(
    loop a {
      deal cores (e < 4, b < 2) {
        if a * 6 + b * 3 < 10 {
          for L3.i n < 2 sequential { loop h {
            let i = e * 2 + n;
            let k = a * 6 + b * 3 + h;
            load M_in = M[i, k];
            load v_in = v[k];
            apply w_f = f(M_in, v_in; i, k);
            if a == 0 && h == 0 {
              store t[e * 2 + n, b] = w_f;
            } else {
              load w_old = t[e * 2 + n, b];
              combine w_sum = (w_old; w_f);
              store t[e * 2 + n, b] = w_sum;
            }
          } }
        }
      }
    })",
                 {R"(digit a: MM.k < 2 of k step 6 lanes
digit b: COR.k < 2 of k step 3 cores
digit h: L1.k < 3 of k step 1 sequential
digit e: COR.i < 4 of i step 2 cores
)",
                  {}});
}

TEST(FirstWrite, without_first_digits_every_write_is_the_first) {
  expect_rewrite(first_write, R"(
    deal cores (d < 5) { loop p { loop s { accumulate (w[i]) first () from (M[i, k], v[k]); } } })",
                 R"(
    deal cores (d < 5) { loop p { loop s {
      let i = p;
      let k = d * 2 + s;
      load M_in = M[i, k];
      load v_in = v[k];
      apply w_f = f(M_in, v_in; i, k);
      store w[i] = w_f;
    } } })");
}

TEST(FirstWrite, write_up_loads_instead_of_calling_f_and_has_no_point) {
  expect_rewrite(first_write, R"(
    deal cores (c < 7) { loop r { write_up () (w[i]) first (r) from (t[c, r]); } })",
                 R"(
    deal cores (c < 7) { loop r {
      load w_part = t[c, r];
      if r == 0 {
        store w[c] = w_part;
      } else {
        load w_old = w[c];
        combine w_sum = (w_old; w_part);
        store w[c] = w_sum;
      }
    } })");
}

TEST(FirstWrite, write_up_loops_over_its_digits_and_dimensions_are_made_of_digits) {
  expect_rewrite(first_write, R"(
    deal cores () { write_up (o, n) (w[i]) first () from (t[o * 2 + n, 0]); })",
                 R"(
    deal cores () { loop o { loop n {
      load w_part = t[o * 2 + n, 0];
      store w[o * 2 + n] = w_part;
    } } })");
}

TEST(FirstWrite, a_digit_that_write_up_runs_over_may_be_a_first_one) {
  expect_rewrite(first_write, R"(
    deal cores (c < 7) { write_up (r) (w[i]) first (r) from (t[c, r]); })",
                 R"(
    deal cores (c < 7) { loop r {
      load w_part = t[c, r];
      if r == 0 {
        store w[c] = w_part;
      } else {
        load w_old = w[c];
        combine w_sum = (w_old; w_part);
        store w[c] = w_sum;
      }
    } })");
}

TEST(FirstWrite, dimensions_without_digits_are_0) {
  const std::string declarations = R"(mdh_loop 1
kernel one
dimension i < 1 kept
buffer output y: i64[1]
function f(i: i64) { y: i64 = i; }
function combine() { }
)";
  expect_rewrite_of(
      first_write,
      loop::parse(declarations + "body { deal cores () { accumulate (y[i]) first () from (); } }"),
      loop::parse(declarations +
                  "body { deal cores () { let i = 0; apply y_f = f(; i); store y[i] = y_f; } }"));
}

TEST(FirstWrite, several_results_are_combined_together_and_names_are_free) {
  const std::string declarations = R"(mdh_loop 1
kernel both
dimension k < 5 reduced
digit z_old: L1.k < 5 of k step 1 sequential
buffer output y: i64[]
buffer output z: i64[]
buffer input y_f: i64[6]
buffer input x_1_in: i64[5]
function f(x.1: i64, x.2: i64, y_in: i64, k: i64) { y: i64 = x.1 - x.2; z: i64 = y_in; }
function combine(l0: i64, l1: i64, r0: i64, r1: i64) { x0: i64 = l0 + r0; x1: i64 = max(l1, r1); }
)";
  expect_rewrite_of(first_write, loop::parse(declarations + R"(body {
  deal cores () {
    loop z_old { accumulate (y[], z[]) first (z_old) from (y_f[k], y_f[k + 1], x_1_in[k]); }
  }
})"),
                    loop::parse(declarations + R"(body {
  deal cores () {
    loop z_old {
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
        combine y_sum, z_sum = (y_old, z_old_; y_f_, z_f);
        store y[] = y_sum;
        store z[] = z_sum;
      }
    }
  }
})"));
}

}  // namespace
}  // namespace mdh::passes::first_write_test
