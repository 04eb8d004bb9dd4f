#include "mdh/passes/concrete/whole_rounds.h"

#include <gtest/gtest.h>

#include "mdh/passes/registers/test_registers.h"

namespace mdh::passes::whole_rounds_test {
namespace {

const TargetFacts groups{.teams = Teams::nested};

/// Columns: h and, written out, e; its rounds use registers.
const More written_out{R"(digit h: L1.k < 3 of k step 4 sequential
digit e: L2.k < 4 of k step 1 sequential unroll 2
digit g: L1.k < 3 of k step 4 sequential unroll 3
)",
                       "buffer temporary acc: i64[2] in REG of registers per (c)\n"};

const std::string sums =
    "load m = M[c, h * 4 + e]; store acc[e % 2] = m; load x = acc[e % 2]; store w[c] = x;";

TEST(WholeRounds, all_rounds_or_those_that_exist) {
  expect_rewrite(whole_rounds,
                 "deal cores (c < 7) { for L1.k h < 3 sequential { for L2.k e < min(4, 10 - h * 4) "
                 "sequential { " +
                     sums + " } } }",
                 "deal cores (c < 7) { for L1.k h < 3 sequential { if 10 - h * 4 >= 4 { for L2.k e "
                 "< 4 sequential { " +
                     sums +
                     " } } else { for L2.k e < 4 sequential { if e < 10 - "
                     "h * 4 { " +
                     sums + " } } } } }",
                 written_out, groups);
}

TEST(WholeRounds, mean_the_same) {
  for (const int points : {1, 7, 9, 10}) {
    expect_meaning(whole_rounds,
                   fmt::format("deal cores (c < 7) {{ for L1.k h < 3 sequential {{ for L2.k e < "
                               "min(4, {} - h * 4) sequential {{ {} }} }} }}",
                               points, sums),
                   written_out, groups);
  }
}

TEST(WholeRounds, one_team_has_compilers_that_find_rounds_themselves) {
  expect_unchanged(whole_rounds,
                   "deal cores (c < 7) { for L1.k h < 3 sequential { for L2.k e < min(4, 10 - h * "
                   "4) sequential { " +
                       sums + " } } }",
                   written_out);
}

TEST(WholeRounds, the_innermost_loop_only) {
  const auto nest = [](const std::string& inner) {
    return "deal cores (c < 7) { for L1.k g < min(3, 7 - c) sequential { " + inner + " } }";
  };
  const std::string sums_of_g =
      "load m = M[c, g * 4 + e]; store acc[e % 2] = m; load x = acc[e % 2]; store w[c] = x;";
  expect_rewrite(
      whole_rounds, nest("for L2.k e < min(4, 10 - g * 4) sequential { " + sums_of_g + " }"),
      nest("if 10 - g * 4 >= 4 { for L2.k e < 4 sequential { " + sums_of_g +
           " } } else { for L2.k e < 4 sequential { if e < 10 - g * 4 { " + sums_of_g + " } } }"),
      written_out, groups);
}

}  // namespace
}  // namespace mdh::passes::whole_rounds_test
