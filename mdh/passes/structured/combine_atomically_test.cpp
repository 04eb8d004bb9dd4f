// Parts that members of a grid combine into one element, whoever comes first.
#include <gtest/gtest.h>

#include "mdh/hl/evaluate.h"
#include "mdh/loop/evaluate.h"
#include "mdh/passes/pipeline.h"
#include "mdh/passes/plan/test_plans.h"

namespace mdh::passes::combine_atomically_test {
namespace {

const TargetFacts cuda_like{.teams = Teams::nested,
                            .access_bytes = 16,
                            .lockstep = 32,
                            .exchanges = true,
                            .knows_last = true,
                            .atomics = true};
const TargetFacts without{.teams = Teams::nested, .access_bytes = 16, .lockstep = 32};

int64_t count_of(const std::string& text, const std::string& what) {
  int64_t count = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

std::string loops_of(const loop::Program& plan, const TargetFacts& facts) {
  return loop::print(run_pipeline(plan, facts));
}

struct Case {
  std::string split, order, acc, combine, edge;
};

loop::Program plan_with(const std::string& program, const Case& c) {
  return plan_of(program,
                 fmt::format(R"("machine": "gpu",
                     "layers": ["BLK", "DEV", "SHR", "REG", "WRP", "THR", "VEC"], "split": {{{}}},
                     "order": [{}], "acc": {{{}}},
                     "code": {{"combine": {{{}}}, "edge": {{{}}}}})",
                             c.split, c.order, c.acc, c.combine, c.edge),
                 "gpu");
}

/// Every member computes, and all of them together the same as ever.
void expect_right(const std::string& program, const loop::Program& plan) {
  const hl::Program computed = computation(program);
  Random random(7);
  const std::vector<scalar::Array> inputs = random_inputs(random, computed);
  const std::vector<scalar::Array> expected = hl::evaluate(computed, inputs);
  EXPECT_EQ(loop::evaluate(plan, inputs), expected) << loop::print(plan);
  for (const TargetFacts& facts : {cuda_like, without}) {
    const loop::Program loops = run_pipeline(plan, facts);
    for (const uint64_t seed : {1, 2, 3}) {
      EXPECT_EQ(loop::evaluate(loops, inputs, seed), expected) << loop::print(loops);
    }
  }
}

/// Two results of one operator; some dimensions have parts that hold nothing.
const std::string two =
    "two = out_view( y: i64 = [i]; z: i64 = [i] )"
    " * md_hom( k: 11 by pw(add, max), i: 3 by cc ) { y = x + i; z = k * x; }"
    " * inp_view( x: i64 = [i, k] )";

TEST(Atomically, any_number_of_blocks) {
  for (const int parts : {2, 3, 5, 8, 11, 16}) {
    for (const std::string order :
         {R"("BLK.k", "BLK.i", "SHR.k")", R"("BLK.i", "BLK.k", "SHR.k")"}) {
      const loop::Program plan =
          plan_with(two, {fmt::format(R"("k": ["BLK {}", "SHR {}"], "i": ["BLK 3"])", parts,
                                      (11 + parts - 1) / parts),
                          order, "", R"("BLK.k": "atomic")", ""});
      expect_right(two, plan);
      EXPECT_EQ(count_of(loops_of(plan, cuda_like), "atomic_combine ("), 1) << parts;
      EXPECT_EQ(count_of(loops_of(plan, cuda_like), "atomic_take ("), 1) << parts;
      EXPECT_EQ(count_of(loops_of(plan, cuda_like), "deal all"), 0) << parts;
      EXPECT_EQ(count_of(loops_of(plan, without), "atomic"), 0) << parts;
    }
  }
}

const std::string product =
    "rows = out_view( y: i64 = [i, j] )"
    " * md_hom( i: 5 by cc, j: 7 by cc, k: 9 by pw(add) ) { y = a * b; }"
    " * inp_view( a: i64 = [i, k]; b: i64 = [k, j] )";

/// Tiles of registers that may end at an edge, whatever is done there.
TEST(Atomically, tiles_of_registers_go_past_slots) {
  for (const std::string edge :
       {"", R"("i": "clamp", "j": "mask")", R"("i": "mask", "j": "clamp")"}) {
    const loop::Program plan = plan_with(
        product,
        {R"("i": ["BLK 2", "REG 3"], "j": ["BLK 2", "THR 2", "VEC 2"], "k": ["BLK 3", "DEV 3"])",
         R"("BLK.i", "BLK.k", "BLK.j", "THR.j", "DEV.k", "REG.i", "VEC.j")",
         R"("y": [{"inside": "DEV.k", "region": "RM"}])", R"("BLK.k": "atomic")", edge});
    expect_right(product, plan);
    const std::string text = loops_of(plan, cuda_like);
    EXPECT_EQ(count_of(text, "buffer temporary y_acc: i64"), 0) << text;
    EXPECT_GT(count_of(text, "atomic_combine (y_acc_all["), 0) << text;
  }
}

TEST(Atomically, results_of_exchanges_go_past_slots) {
  const std::string sums =
      "sums = out_view( y: i64 = [i] ) * md_hom( i: 3 by cc, k: 50 by pw(add) ) { y = x; }"
      " * inp_view( x: i64 = [i, k] )";
  for (const std::string how : {"shuffle", "team_tree", "auto"}) {
    const loop::Program plan =
        plan_with(sums, {R"("i": ["SHR 3"], "k": ["BLK 3", "REG 3", "THR 8"])",
                         R"("BLK.k", "THR.k", "SHR.i", "REG.k")", "",
                         fmt::format(R"("BLK.k": "atomic", "THR.k": "{}")", how), ""});
    expect_right(sums, plan);
    const std::string text = loops_of(plan, cuda_like);
    EXPECT_EQ(count_of(text, "atomic_combine ("), 1) << text;
    EXPECT_EQ(count_of(text, "buffer temporary y_acc: i64") == 0, how != "auto") << text;
  }
}

/// Loops of the host around it: results of rounds are combined by who takes them.
TEST(Atomically, rounds_of_the_host) {
  const loop::Program plan = plan_with(
      product, {R"("i": ["DEV 5"], "j": ["THR 7"], "k": ["BLK 3", "DEV 2", "SHR 2"])",
                R"("DEV.k", "DEV.i", "BLK.k", "THR.j", "SHR.k")", "", R"("BLK.k": "atomic")", ""});
  expect_right(product, plan);
  EXPECT_EQ(count_of(loops_of(plan, cuda_like), "atomic_take ("), 1);
}

TEST(Atomically, only_one_combination_is_the_end_of_a_share) {
  const std::string program =
      "both = out_view( y: i64 = [i] )"
      " * md_hom( i: 3 by cc, j: 4 by pw(add), k: 5 by pw(add) ) { y = x + j * k; }"
      " * inp_view( x: i64 = [i, j, k] )";
  const loop::Program plan = plan_with(
      program, {R"("i": ["SHR 3"], "j": ["BLK 4"], "k": ["BLK 5"])", R"("BLK.j", "BLK.k", "SHR.i")",
                "", R"("BLK.j": "atomic", "BLK.k": "atomic")", ""});
  expect_right(program, plan);
  EXPECT_EQ(count_of(loops_of(plan, cuda_like), "last blk_"), 1);
  EXPECT_EQ(count_of(loops_of(plan, cuda_like), "deal all"), 1);
}

}  // namespace
}  // namespace mdh::passes::combine_atomically_test
