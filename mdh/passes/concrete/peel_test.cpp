#include "mdh/passes/concrete/peel.h"

#include <gtest/gtest.h>

#include "mdh/passes/common/test_programs.h"

namespace mdh::passes::peel_test {
namespace {

TEST(Peel, the_first_round_stores_and_the_others_combine) {
  expect_rewrite(peel, R"(
    deal cores (c < 7) {
      for L1.k s < 10 sequential {
        load m = M[c, s];
        if s == 0 { store w[c] = m; }
        else { load old = w[c]; combine sum = (old; m); store w[c] = sum; }
      }
    })",
                 R"(
    deal cores (c < 7) {
      load m_ = M[c, 0];
      store w[c] = m_;
      for L1.k s < 10 sequential from 1 {
        load m = M[c, s];
        load old = w[c];
        combine sum = (old; m);
        store w[c] = sum;
      }
    })");
}

TEST(Peel, a_loop_that_says_which_instance_is_meant_stays_whole) {
  const std::string loop = R"(
    alloc v_own;
    deal cores () {
      for COR.i c < 7 sequential {
        load m = v_own[0];
        if c == 0 { store w[c] = m; } else { store w[c - 1] = m; }
      }
    })";
  const More own{{}, "buffer temporary v_own: i64[10] in L1 of core per (c)\n"};
  expect_unchanged(peel, loop, own);
  std::string other = loop;
  other.replace(other.find("v_own[0]"), 8, "v[0]");
  EXPECT_NE(peel(matvec_with(other, own)), matvec_with(other, own));
}

TEST(Peel, a_loop_that_may_not_run_is_asked_first) {
  expect_rewrite(peel, R"(
    deal cores (c < 7) {
      for L1.k s < 7 - c sequential {
        load m = M[c, s];
        if s == 0 { store w[c] = m; }
      }
    })",
                 R"(
    deal cores (c < 7) {
      if 7 - c > 0 {
        load m_ = M[c, 0];
        store w[c] = m_;
      }
      for L1.k s < 7 - c sequential from 1 { load m = M[c, s]; }
    })");
}

TEST(Peel, what_else_decides_goes_on_deciding) {
  expect_rewrite(peel, R"(
    deal cores (c < 7) {
      for L2.k r < 5 sequential {
        for L1.k s < 2 sequential {
          load m = M[c, r * 2 + s];
          if r == 0 && s == 0 { store w[c] = m; }
          else { load old = w[c]; combine sum = (old; m); store w[c] = sum; }
        }
      }
    })",
                 R"(
    deal cores (c < 7) {
      for L2.k r < 5 sequential {
        load m_ = M[c, r * 2];
        if r == 0 { store w[c] = m_; }
        else { load old_ = w[c]; combine sum_ = (old_; m_); store w[c] = sum_; }
        for L1.k s < 2 sequential from 1 {
          load m = M[c, r * 2 + s];
          load old = w[c];
          combine sum = (old; m);
          store w[c] = sum;
        }
      }
    })");
}

TEST(Peel, a_part_without_others_before_it_is_not_asked_to_join_them) {
  expect_rewrite(peel, R"(
    deal cores (c < 7) {
      for L1.k s < 10 sequential {
        load m = M[c, s];
        store w[c] = m;
        if s > 0 { load old = w[c]; combine sum = (old; m); store w[c] = sum; }
      }
    })",
                 R"(
    deal cores (c < 7) {
      load m_ = M[c, 0];
      store w[c] = m_;
      for L1.k s < 10 sequential from 1 {
        load m = M[c, s];
        store w[c] = m;
        if s > 0 { load old = w[c]; combine sum = (old; m); store w[c] = sum; }
      }
    })");
}

TEST(Peel, loops_inside_are_not_written_twice_for_a_join) {
  const char* text = R"(
    deal cores (c < 7) {
      for L2.k r < 5 sequential {
        for L1.k s < 2 sequential { load m = M[c, r * 2 + s]; store w[c] = m; }
        if r > 0 { load old = w[c]; store w[c] = old; }
      }
    })";
  expect_rewrite(peel, text, text);
}

TEST(Peel, loops_that_decide_nothing_and_loops_around_deals_stay) {
  const char* const body = R"(
    for L2.k r < 5 sequential {
      deal cores (c < 7) {
        for L1.i q < 2 sequential { load m = M[c, q]; store t[c, q] = m; }
        load x = M[c, r];
        if r == 0 { store w[c] = x; }
      }
    })";
  expect_rewrite(peel, body, body);
}

}  // namespace
}  // namespace mdh::passes::peel_test
