// Combinations over cores in steps.
#include <gtest/gtest.h>

#include "mdh/hl/evaluate.h"
#include "mdh/loop/evaluate.h"
#include "mdh/passes/pipeline.h"
#include "mdh/passes/plan/test_plans.h"
#include "mdh/passes/structured/form_teams.h"

namespace mdh::passes::team_tree_test {
namespace {

TEST(TeamTree, slots_meet_in_pairs_and_the_last_one_is_written_up) {
  expect_rewrite(form_teams, R"(
    loop d { loop o { loop n { loop s {
      accumulate (t[o * 2 + n, d]) first (s) from (M[i, k], v[k]);
    } } } }
    team_combine d tree elements (o, n) (w[i]) first () from (t[o * 2 + n, d]);)",
                 R"(
    deal cores (d < 5) { loop o { loop n { loop s {
      accumulate (t[o * 2 + n, d]) first (s) from (M[i, k], v[k]);
    } } } }
    deal cores (o < 5, n < 2, pair < 2) collective {
      if o * 2 + n < 7 {
        load right = t[o * 2 + n, pair * 2 + 1];
        load left = t[o * 2 + n, pair * 2];
        combine both = (left; right);
        store t[o * 2 + n, pair * 2] = both;
      }
    }
    deal cores (o < 5, n < 2, pair_ < 1) collective {
      if o * 2 + n < 7 {
        load right_ = t[o * 2 + n, pair_ * 4 + 2];
        load left_ = t[o * 2 + n, pair_ * 4];
        combine both_ = (left_; right_);
        store t[o * 2 + n, pair_ * 4] = both_;
      }
    }
    deal cores (o < 5, n < 2, pair_2 < 1) collective {
      if o * 2 + n < 7 {
        load right_2 = t[o * 2 + n, pair_2 * 8 + 4];
        load left_2 = t[o * 2 + n, pair_2 * 8];
        combine both_2 = (left_2; right_2);
        store t[o * 2 + n, pair_2 * 8] = both_2;
        write_up () (w[i]) first () from (t[o * 2 + n, 0]);
      }
    })");
}

TEST(TeamTree, slots_that_hold_nothing_meet_nobody) {
  const loop::Program result = form_teams(matvec_with(R"(
    loop a { loop c { loop b { loop s {
      accumulate (t[c, b]) first (s) from (M[i, k], v[k]);
    } }
    team_combine b tree elements () (w[i]) first (a) from (t[c, b]);
    } })",
                                                      {"digit a: MM.k < 2 of k step 6 sequential\n"
                                                       "digit b: COR.k < 3 of k step 2 cores\n",
                                                       {}}));
  const std::string text = loop::print(result);
  EXPECT_NE(text.find("if pair * 2 + 1 < min(3, (10 - a * 6 + 1) / 2) {"), std::string::npos)
      << text;
  EXPECT_NE(text.find("if pair_ * 4 + 2 < min(3, (10 - a * 6 + 1) / 2) {"), std::string::npos)
      << text;
}

TEST(TeamTree, slots_that_never_hold_anything_meet_nobody_either) {
  // Parts of 2 begin at 0, 2, ... 8; the sixth one never exists.
  const loop::Program result =
      form_teams(matvec_with(R"(
    loop p { loop b { loop s {
      accumulate (t[p, b]) first (s) from (M[i, k], v[k]);
    } }
    team_combine b tree elements () (w[i]) first () from (t[p, b]);
    })",
                             {"digit b: COR.k < 6 of k step 2 cores\n", {}}));
  const std::string text = loop::print(result);
  EXPECT_NE(text.find("if pair * 2 + 1 < 5 {"), std::string::npos) << text;
}

/// Rows p of slots, which four cores in lockstep make: they also combine them, two in the first
/// step and one in the second, and the others have nothing to do.
TEST(TeamTree, slots_that_neighbours_have_made_are_combined_by_them) {
  const More more{
      "digit g: BLK.i < 1 of i step 7 grid\n"
      "digit h: COR.i < 7 of i step 1 cores\n"
      "digit b: COR.k < 4 of k step 3 cores\n"
      "digit m: L3.k < 3 of k step 1 sequential\n",
      {}};
  const loop::Program grid = form_grid(matvec_with(R"(
    loop g { loop h { loop b { loop m {
      accumulate (t[h, b]) first (m) from (M[i, k], v[k]);
    } }
    team_combine b tree elements () (w[i]) first () from (t[h, b]);
    } })",
                                                   more),
                                       {});
  const auto text = [&](int64_t lockstep) {
    return loop::print(form_groups(grid, {.teams = Teams::nested, .lockstep = lockstep}));
  };
  for (const int64_t lockstep : {4, 8, 32}) {
    EXPECT_NE(text(lockstep).find("(h < 7, pair < 4) collective"), std::string::npos)
        << text(lockstep);
    EXPECT_NE(text(lockstep).find("if pair < 2 {"), std::string::npos) << text(lockstep);
    EXPECT_NE(text(lockstep).find("if pair_ < 1 {"), std::string::npos) << text(lockstep);
  }
  for (const int64_t lockstep : {1, 2, 6}) {
    EXPECT_NE(text(lockstep).find("(h < 7, pair < 2) collective"), std::string::npos)
        << text(lockstep);
  }
}

TEST(TeamTree, members_of_a_grid_cannot_wait_and_combine_one_after_the_other) {
  const More more{"digit g: BLK.k < 5 of k step 2 grid\n", {}};
  const auto combined = [&](const char* how) {
    return loop::print(
        form_grid(matvec_with(fmt::format("loop g {{ loop p {{ loop s {{ accumulate (t[p, g]) "
                                          "first (s) from (M[i, k], v[k]); }} }} }}"
                                          "team_combine g{} elements (p) (w[i]) first () from "
                                          "(t[p, g]);",
                                          how),
                              more),
                  {}));
  };
  EXPECT_EQ(combined(" tree"), combined(""));
}

/// The numbers of a vector stay together where cores move several at once.
TEST(TeamTree, members_of_a_grid_combine_in_the_order_of_memory) {
  const More more{
      "digit g: BLK.k < 5 of k step 2 grid\n"
      "digit a: THR.i < 2 of i step 4 unrolled\n"
      "digit b: VEC.i < 4 of i step 1 lanes\n",
      {}};
  const loop::Program p =
      matvec_with("team_combine g elements (b, a) (w[i]) first () from (t[a * 4 + b, g]);", more);
  const auto text = [&](int64_t bytes) {
    return loop::print(form_grid(p, {.teams = Teams::nested, .access_bytes = bytes}));
  };
  EXPECT_NE(text(0).find("deal all (b < 4, a < 2) collective"), std::string::npos) << text(0);
  EXPECT_NE(text(16).find("deal all (a < 2) collective"), std::string::npos) << text(16);
  EXPECT_LT(text(16).find("for BLK.k g <"), text(16).find("loop b {")) << text(16);
  loop::Program shifted = p;
  shifted.dimensions.front().edge = loop::Edge::overlap;
  EXPECT_NE(loop::print(form_grid(shifted, {.teams = Teams::nested, .access_bytes = 16}))
                .find("deal all (a < 2, b < 4) collective"),
            std::string::npos)
      << "sums cannot be shifted back";
}

/// Any number of parts, with and without empty ones, several results at once.
TEST(TeamTree, results_are_those_of_one_after_the_other) {
  const std::string program =
      "two = out_view( y: i64 = [i]; z: i64 = [i] )"
      " * md_hom( k: 11 by pw(add, max), i: 3 by cc ) { y = x + i; z = k * x; }"
      " * inp_view( x: i64 = [i, k] )";
  const hl::Program computed = computation(program);
  Random random(3);
  const std::vector<scalar::Array> inputs = random_inputs(random, computed);
  const std::vector<scalar::Array> expected = hl::evaluate(computed, inputs);
  for (const int parts : {2, 3, 4, 5, 7, 8, 9, 11, 12, 13}) {
    const std::string entries = fmt::format(
        R"("machine": "cpu", "layers": ["COR", "L1"],
           "split": {{"k": ["COR {}", "L1 {}"], "i": ["L1 3"]}},
           "order": ["COR.k", "L1.i", "L1.k"], "code": {{"combine": {{"COR.k": "team_tree"}}}})",
        parts, (11 + parts - 1) / parts);
    const loop::Program plan = plan_of(program, entries, "cpu");
    EXPECT_NE(loop::print(plan).find(" tree elements "), std::string::npos);
    EXPECT_EQ(loop::evaluate(plan, inputs), expected) << parts;
    EXPECT_EQ(loop::evaluate(run_pipeline(plan), inputs), expected) << parts;
  }
}

std::string replaced_in(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

/// An operator that takes one of its operands shows in which order they come.
TEST(TeamTree, the_order_of_the_parts_is_kept) {
  const std::string program = pw_program("k: 11 by pw(add)", "[k]");
  Random random(4);
  const std::vector<scalar::Array> inputs = random_inputs(random, computation(program));
  for (const int parts : {2, 3, 5, 6, 11}) {
    const std::string entries = fmt::format(
        R"("machine": "cpu", "layers": ["COR", "L1"], "split": {{"k": ["COR {}", "L1 {}"]}},
           "order": ["COR.k", "L1.k"], "code": {{"combine": {{"COR.k": "team_tree"}}}})",
        parts, (11 + parts - 1) / parts);
    const std::string plan = loop::print(plan_of(program, entries, "cpu"));
    for (const char* taken : {"= l;", "= r;", "= l * 3 + r;"}) {
      const std::string tree = replaced_in(plan, "= l + r;", taken);
      ASSERT_NE(tree, plan);
      // The last one is not associative: with two parts both ways are the same all the same.
      if (std::string(taken).size() > 4 && parts > 2) continue;
      EXPECT_EQ(loop::evaluate(run_pipeline(loop::parse(tree)), inputs),
                loop::evaluate(run_pipeline(loop::parse(replaced_in(tree, " tree ", " "))), inputs))
          << parts << taken;
    }
  }
}

}  // namespace
}  // namespace mdh::passes::team_tree_test
