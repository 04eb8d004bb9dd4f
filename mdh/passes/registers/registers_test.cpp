// The passes that turn loops over registers and lanes into straight vector code.
#include <gtest/gtest.h>

#include "mdh/passes/common/conditions.h"
#include "mdh/passes/concrete/peel.h"
#include "mdh/passes/registers/test_registers.h"
#include "mdh/passes/registers/two_bodies.h"
#include "mdh/passes/registers/unroll_jam.h"
#include "mdh/passes/registers/unswitch.h"

namespace mdh::passes::registers_test {
namespace {

// ---- unswitch

TEST(Unswitch, what_is_the_same_in_all_rounds_is_decided_before_them) {
  expect_rewrite(unswitch, R"(
    deal cores (c < 7) {
      for L1.k h < 2 sequential {
        for REG.k u < 2 unrolled {
          for SIMD.k a < 4 lanes {
            load m = acc[u, a];
            if h == 0 { store t[c, u] = m; }
            else { load old = t[c, u]; combine sum = (old; m); store t[c, u] = sum; }
          }
        }
      }
    })",
                 R"(
    deal cores (c < 7) {
      for L1.k h < 2 sequential {
        if h == 0 {
          for REG.k u < 2 unrolled {
            for SIMD.k a < 4 lanes { load m = acc[u, a]; store t[c, u] = m; }
          }
        } else {
          for REG.k u < 2 unrolled {
            for SIMD.k a < 4 lanes {
              load m = acc[u, a];
              load old = t[c, u];
              combine sum = (old; m);
              store t[c, u] = sum;
            }
          }
        }
      }
    })",
                 registers);
}

TEST(Unswitch, of_several_conditions_only_those_that_are_the_same_leave) {
  expect_rewrite(unswitch, R"(
    deal cores (c < 7) {
      for L1.k h < 2 sequential {
        for REG.k u < 2 unrolled {
          load m = acc[u, 0];
          if h == 0 && u == 0 { store w[c] = m; }
          else { load old = w[c]; combine sum = (old; m); store w[c] = sum; }
        }
      }
    })",
                 R"(
    deal cores (c < 7) {
      for L1.k h < 2 sequential {
        if h == 0 {
          for REG.k u < 2 unrolled {
            load m = acc[u, 0];
            if u == 0 { store w[c] = m; }
            else { load old = w[c]; combine sum = (old; m); store w[c] = sum; }
          }
        } else {
          for REG.k u < 2 unrolled {
            load m = acc[u, 0];
            load old = w[c];
            combine sum = (old; m);
            store w[c] = sum;
          }
        }
      }
    })",
                 registers);
}

TEST(Unswitch, a_loop_that_would_do_nothing_is_left_out_and_loops_in_time_go_on_deciding) {
  expect_rewrite(unswitch, R"(
    deal cores (c < 7) {
      for REG.k u < 2 unrolled {
        load m = acc[u, 0];
        if c < 3 { store t[c, u] = m; }
      }
      for L1.k h < 2 sequential { if c < 3 { load b = acc[h, 0]; store t[c, h] = b; } }
    })",
                 R"(
    deal cores (c < 7) {
      if c < 3 {
        for REG.k u < 2 unrolled { load m = acc[u, 0]; store t[c, u] = m; }
      }
      for L1.k h < 2 sequential { if c < 3 { load b = acc[h, 0]; store t[c, h] = b; } }
    })",
                 registers);
}

// ---- two bodies

TEST(TwoBodies, a_tile_that_is_whole_has_no_bounds) {
  expect_rewrite(two_bodies, R"(
    deal cores (c < 7) {
      for L1.k h < 2 sequential {
        for REG.k u < min(2, (10 - h * 8 + 3) / 4) unrolled {
          for SIMD.k a < min(4, 10 - (h * 8 + u * 4)) lanes {
            load m = M[c, h * 8 + u * 4 + a];
            store acc[u, a] = m;
          }
        }
      }
    })",
                 R"(
    deal cores (c < 7) {
      for L1.k h < 2 sequential {
        if 10 - (h * 8 + 4) >= 4 {
          for REG.k u < 2 unrolled {
            for SIMD.k a < 4 lanes {
              load m = M[c, h * 8 + u * 4 + a];
              store acc[u, a] = m;
            }
          }
        } else {
          for REG.k u < min(2, (10 - h * 8 + 3) / 4) unrolled {
            for SIMD.k a < min(4, 10 - (h * 8 + u * 4)) lanes {
              load m = M[c, h * 8 + u * 4 + a];
              store acc[u, a] = m;
            }
          }
        }
      }
    })",
                 registers);
}

TEST(TwoBodies, bounds_of_inner_rounds_stay_in_what_both_bodies_share) {
  expect_meaning(two_bodies, R"(
    deal cores (c < 7) {
      alloc acc;
      for SIMD.k a < 4 lanes { load m = M[c, a]; store acc[0, a] = m; }
      for L1.k h < 2 sequential {
        for SIMD.k a < min(4, 10 - h * 8) lanes {
          load x = acc[0, a];
          load y = M[c, h * 8 + a];
          combine z = (x; y);
          store acc[0, a] = z;
        }
      }
      for SIMD.k a < min(4, 7 - c * 1) lanes {
        if a < 1 { load e = acc[0, a]; store w[c + a] = e; }
      }
    })");
}

TEST(TwoBodies, registers_that_are_not_all_computed_are_not_read_to_write_them_up) {
  expect_meaning(two_bodies, R"(
    deal cores (c < 7) {
      alloc acc;
      for L1.k h < 2 sequential {
        for REG.k u < min(2, 2 - h) unrolled {
          for SIMD.k a < min(4, 10 - (h * 8 + u * 4)) lanes {
            load m = M[c, h * 8 + u * 4 + a];
            store acc[h, a] = m;
          }
        }
      }
      for REG.k u < min(2, (10 - c + 7) / 8) unrolled {
        for SIMD.k a < min(4, 10 - u * 8) lanes {
          load x = acc[u, a];
          store w[c] = x;
        }
      }
    })");
}

TEST(TwoBodies, all_of_the_life_of_registers_is_in_one_body) {
  expect_rewrite(two_bodies, R"(
    deal cores (c < 7) {
      for L1.k h < 2 sequential {
        alloc acc;
        for L2.i o < 5 sequential {
          for SIMD.k a < min(4, 10 - h * 8) lanes { load m = M[o, h * 8 + a]; store acc[0, a] = m; }
        }
      }
    })",
                 R"(
    deal cores (c < 7) {
      for L1.k h < 2 sequential {
        if 10 - h * 8 >= 4 {
          alloc acc;
          for L2.i o < 5 sequential {
            for SIMD.k a < 4 lanes { load m = M[o, h * 8 + a]; store acc[0, a] = m; }
          }
        } else {
          alloc acc;
          for L2.i o < 5 sequential {
            for SIMD.k a < min(4, 10 - h * 8) lanes {
              load m = M[o, h * 8 + a];
              store acc[0, a] = m;
            }
          }
        }
      }
    })",
                 registers);
}

TEST(TwoBodies, copies_inside_need_no_conditions) {
  expect_rewrite(two_bodies, R"(
    deal cores (c < 7) {
      for L1.k h < 2 sequential {
        for - x < 4 unrolled {
          if h * 8 + x < 10 { load m = M[c, h * 8 + x]; store tile[x] = m; }
        }
      }
    })",
                 R"(
    deal cores (c < 7) {
      for L1.k h < 2 sequential {
        if h * 8 + 3 < 10 {
          for - x < 4 unrolled { load m = M[c, h * 8 + x]; store tile[x] = m; }
        } else {
          for - x < 4 unrolled {
            if h * 8 + x < 10 { load m = M[c, h * 8 + x]; store tile[x] = m; }
          }
        }
      }
    })",
                 registers);
}

TEST(TwoBodies, a_loop_is_not_whole_because_others_are) {
  // Both run over a, but the bound of u says nothing of that, and is needed.
  expect_rewrite(two_bodies, R"(
    deal cores (c < 7) {
      for L1.k h < 2 sequential {
        for SIMD.k a < min(4, 10 - h * 2) lanes { load m = M[c, h * 2 + a]; store acc[0, a] = m; }
        for REG.k u < min(2, (10 - h * 2) / 4) unrolled { load b = v[u]; store acc[u, 1] = b; }
      }
    })",
                 R"(
    deal cores (c < 7) {
      for L1.k h < 2 sequential {
        if 10 - h * 2 >= 4 && (10 - h * 2) / 4 >= 2 {
          for SIMD.k a < 4 lanes { load m = M[c, h * 2 + a]; store acc[0, a] = m; }
          for REG.k u < 2 unrolled { load b = v[u]; store acc[u, 1] = b; }
        } else {
          for SIMD.k a < min(4, 10 - h * 2) lanes { load m = M[c, h * 2 + a]; store acc[0, a] = m; }
          for REG.k u < min(2, (10 - h * 2) / 4) unrolled { load b = v[u]; store acc[u, 1] = b; }
        }
      }
    })",
                 registers);
}

TEST(TwoBodies, a_finer_loop_that_does_not_depend_on_a_loop_says_nothing_of_it) {
  expect_meaning(two_bodies, R"(
    deal cores (c < 7) {
      for L1.k h < 1 sequential {
        alloc acc;
        for - x < 2 sequential { load one = v[0]; store acc[x, 0] = one; }
        for REG.k u < min(2, 7 - c) unrolled {
          for SIMD.k a < min(4, 10 - h * 8) lanes { load m = M[c, u * 4 + a]; store acc[u, a] = m; }
        }
        load b = acc[1, 0];
        store w[c] = b;
      }
    })");
}

// ---- straight code

TEST(Instance, what_is_defined_in_a_block_means_nothing_behind_it) {
  expect_meaning(unroll_jam, R"(
    deal cores (c < 7) {
      alloc acc;
      for REG.k u < 2 unrolled {
        if c < 3 { let h = 1; load x = M[c, h]; store acc[u, 2] = x; }
        for L1.k h < 2 sequential { load m = M[c, h + 3]; store acc[u, h] = m; }
      }
      load b = acc[1, 0];
      store w[c] = b;
    })");
  expect_meaning(peel, R"(
    deal cores (c < 7) {
      alloc acc;
      for L1.k q < 3 sequential {
        if c < 3 { let h = 1; load x = M[c, h]; store acc[1, 2] = x; }
        for L1.k h < 2 sequential {
          load m = M[c, h + 3];
          if q == 0 { store acc[0, h] = m; }
          else { load old = acc[0, h]; combine sum = (old; m); store acc[0, h] = sum; }
        }
      }
      load b = acc[0, 1];
      store w[c] = b;
    })");
}

TEST(UnrollJam, rounds_are_written_out_with_numbers_and_names_of_their_own) {
  expect_rewrite(unroll_jam, R"(
    deal cores (c < 7) {
      for REG.k u < 2 unrolled {
        let k = u * 4;
        load m = M[c, k];
        if u == 0 { store acc[0, 0] = m; } else { store acc[1, 0] = m; }
      }
    })",
                 R"(
    deal cores (c < 7) {
      load m_ = M[c, 0];
      store acc[0, 0] = m_;
      load m_2 = M[c, 4];
      store acc[1, 0] = m_2;
    })",
                 registers);
}

TEST(UnrollJam,
     rounds_at_a_border_keep_their_condition_if_registers_are_shared_with_straight_code) {
  expect_rewrite(unroll_jam, R"(
    deal cores (c < 7) {
      alloc acc;
      for REG.k u < 2 unrolled { load m = M[c, u]; store acc[u, 0] = m; }
      for REG.k u < min(2, 7 - c) unrolled { load b = M[c, u]; store acc[u, 1] = b; }
    })",
                 R"(
    deal cores (c < 7) {
      alloc acc;
      load m_ = M[c, 0];
      store acc[0, 0] = m_;
      load m_2 = M[c, 1];
      store acc[1, 0] = m_2;
      if min(2, 7 - c) > 0 { load b_ = M[c, 0]; store acc[0, 1] = b_; }
      if min(2, 7 - c) > 1 { load b_2 = M[c, 1]; store acc[1, 1] = b_2; }
    })",
                 registers);
}

TEST(UnrollJam, other_borders_and_loops_in_time_stay_loops) {
  const std::string body = R"(
    deal cores (c < 7) {
      alloc acc;
      for REG.k u < min(2, 7 - c) unrolled { load b = M[c, u]; store acc[u, 1] = b; }
      for L1.k h < 2 sequential { load m = M[c, h]; store w[c] = m; }
    })";
  expect_rewrite(unroll_jam, body, body, registers);
}

TEST(UnrollJam, a_loop_that_does_not_say_how_many_rounds_it_may_have_stays_one) {
  expect_meaning(unroll_jam, R"(
    deal cores (c < 7) {
      alloc acc;
      for REG.k u < 2 unrolled { load m = M[c, u]; store acc[u, 0] = m; }
      for REG.k u < 7 - c unrolled { load b = M[c, u]; store acc[1, 0] = b; }
      load x = acc[1, 0];
      store w[c] = x;
    })");
}

// ---- conditions

TEST(Conditions, what_holds_anyway_is_left_out) {
  const loop::Expr c = loop::index_variable(loop::named("c"));
  const auto less = [](const loop::Expr& a, int64_t b) {
    return scalar::binary(scalar::BinaryOp::less, a, scalar::index_literal(b));
  };
  const loop::Expr yes = less(scalar::index_literal(1), 2), no = less(scalar::index_literal(2), 2);
  EXPECT_EQ(decided(all_of({yes, yes})), true);
  EXPECT_EQ(decided(all_of({less(c, 3), no})), false);
  EXPECT_EQ(decided(all_of({less(c, 3), yes})), std::nullopt);
  EXPECT_EQ(undecided_part(all_of({yes, less(c, 3)})), less(c, 3));
}

}  // namespace
}  // namespace mdh::passes::registers_test
