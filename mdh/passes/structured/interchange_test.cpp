#include "mdh/passes/structured/interchange.h"

#include <gtest/gtest.h>

#include "mdh/passes/common/test_programs.h"

namespace mdh::passes::interchange_test {
namespace {

const More more{R"(digit g: BLK.i < 7 of i step 1 grid
digit a: COR.i < 5 of i step 2 cores
digit u: REG.k < 5 of k step 2 unrolled
digit l: SIMD.k < 2 of k step 1 lanes
)",
                {}};

/// f in loops, outermost first.
std::string loops(const std::vector<std::string>& digits) {
  std::string text = "accumulate (w[i]) first () from (M[i, k], v[k]);";
  for (auto d = digits.rbegin(); d != digits.rend(); ++d) text = "loop " + *d + " {" + text + "}";
  return text;
}

void expect_order(const std::vector<std::string>& before, const std::vector<std::string>& after) {
  expect_rewrite(interchange, loops(before), loops(after), more);
}

TEST(Interchange, cores_move_outwards) { expect_order({"q", "c"}, {"c", "q"}); }

TEST(Interchange, the_grid_is_outside_of_cores) { expect_order({"d", "s", "g"}, {"g", "d", "s"}); }

TEST(Interchange, what_lies_in_registers_moves_inwards_and_lanes_most) {
  expect_order({"u", "s", "p"}, {"s", "p", "u"});
  expect_order({"l", "u", "p"}, {"p", "u", "l"});
}

TEST(Interchange, loops_of_one_kind_keep_their_order) {
  expect_order({"o", "r", "s", "n"}, {"o", "r", "s", "n"});
  expect_order({"s", "d", "n", "a"}, {"d", "a", "s", "n"});
}

TEST(Interchange, loops_with_something_between_them_stay) {
  expect_unchanged(interchange, R"(
    loop r {
      alloc t;
      loop c { loop s { accumulate (t[c, 0]) first (s) from (M[i, k], v[k]); } }
    })");
  expect_unchanged(interchange, R"(
    loop r {
      loop c { loop s { accumulate (t[c, 0]) first (s) from (M[i, k], v[k]); } }
      write_up (c) (w[i]) first (r) from (t[c, 0]);
    })");
}

TEST(Interchange, loops_move_on_both_sides_of_what_stands_between) {
  expect_rewrite(
      interchange, R"(
    loop r { loop c {
      alloc t;
      loop l { loop m { accumulate (t[c, 0]) first () from (M[i, k], v[k]); } }
    } })",
      R"(
    loop c { loop r {
      alloc t;
      loop m { loop l { accumulate (t[c, 0]) first () from (M[i, k], v[k]); } }
    } })",
      {"digit l: SIMD.k < 2 of k step 1 lanes\ndigit m: L1.i < 1 of i step 7 sequential\n", {}});
}

TEST(Interchange, concrete_loops_stay) {
  expect_unchanged(interchange, "for - a < 3 sequential { loop c { alloc t; } }");
}

}  // namespace
}  // namespace mdh::passes::interchange_test
