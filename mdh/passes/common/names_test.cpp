#include "mdh/passes/common/names.h"

#include <gtest/gtest.h>

#include "mdh/passes/common/test_programs.h"

namespace mdh::passes::names_test {
namespace {

TEST(Names, a_free_name_is_kept_and_then_taken) {
  Names names(matvec_with(""));
  EXPECT_EQ(names.fresh("x"), loop::named("x"));
  EXPECT_EQ(names.fresh("x"), loop::named("x_"));
  EXPECT_EQ(names.fresh("x"), loop::named("x_2"));
}

TEST(Names, numbers_of_accesses_become_part_of_the_name) {
  Names names(matvec_with(""));
  EXPECT_EQ(names.fresh("x.1_in"), loop::named("x_1_in"));
}

TEST(Names, everything_that_a_program_names_is_taken) {
  const loop::Program p = matvec_with(R"(
    copy (axis < 2) t[axis, 0] = M[axis, 0] within () team ();
    for - counter < 2 sequential { let index = counter; load value = M[index, 0]; }
    deal cores (share < 2) { if 0 == 0 { let inner = 0; } })");
  Names names(p);
  for (const std::string name :
       {"i", "p", "w", "M", "t", "axis", "counter", "index", "value", "share", "inner"}) {
    EXPECT_EQ(names.fresh(name), loop::named(name + "_"));
  }
}

TEST(Names, results_of_functions_are_taken) {
  const loop::Program p = matvec_with(R"(
    load a = M[0, 0];
    apply result = f(a, a; 0, 0);
    combine sum = (result; result);)");
  Names names(p);
  EXPECT_EQ(names.fresh("result"), loop::named("result_"));
  EXPECT_EQ(names.fresh("sum"), loop::named("sum_"));
}

}  // namespace
}  // namespace mdh::passes::names_test
