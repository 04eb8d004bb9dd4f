// Parts that members of a grid keep, meet, and combine together.
#include <gtest/gtest.h>

#include "mdh/hl/evaluate.h"
#include "mdh/loop/evaluate.h"
#include "mdh/passes/pipeline.h"
#include "mdh/passes/plan/test_plans.h"

namespace mdh::passes::combine_in_cluster_test {
namespace {

const TargetFacts plain_clusters{.teams = Teams::nested, .most_that_meet = 8};
const TargetFacts without{.teams = Teams::nested, .access_bytes = 16, .knows_last = true};

int64_t count_of(const std::string& text, const std::string& what) {
  int64_t count = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

struct Case {
  std::string split, order, acc, code;
};

loop::Program plan_with(const std::string& program, const Case& c) {
  return plan_of(program,
                 fmt::format(R"("machine": "gpu",
                     "layers": ["DEV", "BLK", "SHR", "REG", "WRP", "THR", "VEC"], "split": {{{}}},
                     "order": [{}], "acc": {{{}}}, "code": {{{}}})",
                             c.split, c.order, c.acc, c.code),
                 "gpu");
}

/// Computes what the definition does, on all targets; the text of the first one.
std::string expect_right(const std::string& program, const Case& c) {
  const loop::Program plan = plan_with(program, c);
  const hl::Program computed = computation(program);
  Random random(7);
  const std::vector<scalar::Array> inputs = random_inputs(random, computed);
  const std::vector<scalar::Array> expected = hl::evaluate(computed, inputs);
  EXPECT_EQ(loop::evaluate(plan, inputs), expected) << loop::print(plan);
  std::string first;
  for (const TargetFacts& facts : {facts_of_gpus, plain_clusters, without}) {
    const loop::Program loops = run_pipeline(plan, facts);
    if (first.empty()) first = loop::print(loops);
    for (const uint64_t seed : {1, 2, 3, 4}) {
      EXPECT_EQ(loop::evaluate(loops, inputs, seed), expected) << loop::print(loops);
    }
  }
  EXPECT_EQ(count_of(loop::print(run_pipeline(plan, without)), "meet "), 0);
  return first;
}

/// Whether members meet: twice, and there is one launch.
void expect_met(const std::string& program, const Case& c) {
  const std::string text = expect_right(program, c);
  EXPECT_EQ(count_of(text, " meet blk_"), 2) << text;
  EXPECT_EQ(count_of(text, "deal grid"), 1) << text;
  EXPECT_EQ(count_of(text, "deal all"), 0) << text;
}

void expect_not_met(const std::string& program, const Case& c) {
  const std::string text = expect_right(program, c);
  EXPECT_EQ(count_of(text, " meet blk_"), 0) << text;
}

const std::string by_cluster = R"("combine": {"BLK.k": "cluster"})";

/// Two results of one operator; some dimensions have parts that hold nothing.
const std::string two =
    "two = out_view( y: i64 = [i]; z: i64 = [i] )"
    " * md_hom( k: 11 by pw(add, max), i: 3 by cc ) { y = x + i; z = k * x; }"
    " * inp_view( x: i64 = [i, k] )";

const std::string rows =
    "rows = out_view( y: i64 = [i, j] )"
    " * md_hom( i: 5 by cc, j: 7 by cc, k: 9 by pw(add) ) { y = a * b; }"
    " * inp_view( a: i64 = [i, k]; b: i64 = [k, j] )";

TEST(InCluster, any_number_of_blocks) {
  for (const int parts : {2, 3, 4, 5, 6, 7, 8}) {
    for (const std::string order :
         {R"("BLK.k", "BLK.i", "SHR.k")", R"("BLK.i", "BLK.k", "SHR.k")"}) {
      expect_met(two, {fmt::format(R"("k": ["BLK {}", "SHR {}"], "i": ["BLK 3"])", parts,
                                   (11 + parts - 1) / parts),
                       order, "", by_cluster});
    }
  }
}

TEST(InCluster, no_more_than_there_can_be) {
  expect_not_met(two,
                 {R"("k": ["BLK 11"], "i": ["BLK 3"])", R"("BLK.i", "BLK.k")", "", by_cluster});
}

/// Sizes that divide and such that do not, results of threads, of registers and of vectors.
TEST(InCluster, tiles_and_borders) {
  const std::vector<std::string> splits = {
      R"("i": ["BLK 2", "REG 3"], "j": ["BLK 2", "THR 2", "VEC 2"])",
      R"("i": ["BLK 5"], "j": ["BLK 4", "THR 1", "VEC 2"])",
      R"("i": ["BLK 1", "REG 5"], "j": ["BLK 1", "THR 7"])",
      R"("i": ["BLK 3", "REG 2"], "j": ["BLK 2", "THR 2", "VEC 2"])",
      R"("i": ["BLK 1", "REG 5"], "j": ["BLK 2", "THR 1", "VEC 4"])"};
  for (const std::string& split : splits) {
    for (const int parts : {2, 3, 4, 8}) {
      for (const char* edge : {"", R"(, "edge": {"i": "mask", "j": "mask"})"}) {
        SCOPED_TRACE(split + edge);
        expect_met(rows, {fmt::format(R"({}, "k": ["BLK {}", "SHR {}"])", split, parts,
                                      (9 + parts - 1) / parts),
                          R"("BLK.i", "BLK.k", "BLK.j", "SHR.k", "THR.j", "REG.i", "VEC.j")",
                          R"("y": [{"inside": "REG.i", "region": "RM"}])", by_cluster + edge});
      }
    }
  }
}

/// Threads share the parts of a block, which blocks share then.
TEST(InCluster, behind_other_combinations) {
  expect_met(rows,
             {R"("i": ["BLK 5"], "j": ["THR 7"], "k": ["BLK 3", "SHR 2", "WRP 2"])",
              R"("BLK.i", "BLK.k", "WRP.k", "THR.j", "SHR.k")",
              R"("y": [{"inside": "WRP.k", "region": "SM"}, {"inside": "SHR.k", "region": "RM"}])",
              R"("combine": {"BLK.k": "cluster", "WRP.k": "team_tree"})"});
  expect_met(rows, {R"("i": ["BLK 5"], "j": ["SHR 7"], "k": ["BLK 3", "SHR 1", "THR 4"])",
                    R"("BLK.i", "BLK.k", "SHR.j", "THR.k", "SHR.k")",
                    R"("y": [{"inside": "SHR.k", "region": "RM"}])",
                    R"("combine": {"BLK.k": "cluster", "THR.k": "shuffle"})"});
}

TEST(InCluster, one_result) {
  const std::string sum = pw_program("k: 29 by pw(add)", "[k]");
  for (const int parts : {2, 3, 8}) {
    expect_met(sum, {fmt::format(R"("k": ["BLK {}", "SHR {}"])", parts, (29 + parts - 1) / parts),
                     R"("BLK.k", "SHR.k")", "", by_cluster});
  }
}

TEST(InCluster, sizes_of_one) {
  const std::string one =
      "one = out_view( y: i64 = [i] ) * md_hom( i: 1 by cc, k: 1 by pw(add) ) { y = x; }"
      " * inp_view( x: i64 = [i, k] )";
  expect_met(one, {R"("i": ["BLK 2"], "k": ["BLK 3", "SHR 2"])", R"("BLK.i", "BLK.k", "SHR.k")", "",
                   by_cluster});
}

/// Two reduced dimensions on blocks: those of one of them meet, and the others combine in a launch.
TEST(InCluster, only_one_combination_of_a_share) {
  const std::string both =
      "both = out_view( y: i64 = [i] )"
      " * md_hom( i: 3 by cc, j: 4 by pw(add), k: 5 by pw(add) ) { y = x + j * k; }"
      " * inp_view( x: i64 = [i, j, k] )";
  for (const char* other : {"cluster", "last_core", "partials_kernel"}) {
    const std::string text = expect_right(
        both, {R"("i": ["SHR 3"], "j": ["BLK 4"], "k": ["BLK 5"])", R"("BLK.j", "BLK.k", "SHR.i")",
               "", fmt::format(R"("combine": {{"BLK.k": "cluster", "BLK.j": "{}"}})", other)});
    EXPECT_EQ(count_of(text, " meet blk_k"), 2) << text;
    EXPECT_EQ(count_of(text, "last "), 0) << text;
    EXPECT_EQ(count_of(text, "deal all"), 1) << text;
  }
}

TEST(InCluster, loops_of_the_host_and_sums_around) {
  expect_met(rows, {R"("i": ["BLK 5"], "j": ["SHR 7"], "k": ["DEV 2", "BLK 3", "SHR 2"])",
                    R"("DEV.k", "BLK.i", "BLK.k", "SHR.j", "SHR.k")", "", by_cluster});
}

/// Rounds of the host that are written out: the same members meet in several launches.
TEST(InCluster, launches_behind_each_other) {
  const std::string program =
      "sums = out_view( y: i64 = [i] ) * md_hom( i: 11 by cc, k: 4 by pw(add) ) { y = x; }"
      " * inp_view( x: i64 = [i, k] )";
  const std::string text = expect_right(program, {R"("i": ["REG 2", "WRP 7"], "k": ["BLK 4"])",
                                                  R"("REG.i", "BLK.k", "WRP.i")", "", by_cluster});
  EXPECT_EQ(count_of(text, "deal grid"), 2) << text;
  EXPECT_EQ(count_of(text, " meet blk_k"), 4) << text;
}

/// Blocks that do several parts in turns do not run at the same time.
TEST(InCluster, blocks_that_stay_do_not_meet) {
  const Case c{R"("i": ["BLK 5"], "j": ["SHR 7"], "k": ["BLK 3", "SHR 3"])",
               R"("BLK.k", "BLK.i", "SHR.j", "SHR.k")", "",
               by_cluster + R"(, "cores": {"BLK": {"count": 6}})"};
  expect_not_met(rows, c);
}

TEST(InCluster, begin_side_by_side) {
  expect_met(rows, {R"("i": ["BLK 5"], "j": ["BLK 7"], "k": ["BLK 3", "SHR 3"])",
                    R"("BLK.i", "BLK.k", "BLK.j", "SHR.k")", "",
                    by_cluster + R"(, "cores": {"BLK": {"swizzle": 2}})"});
}

TEST(InCluster, the_order_of_the_parts_is_kept) {
  const std::string program = pw_program("k: 11 by pw(add)", "[k]");
  Random random(4);
  const std::vector<scalar::Array> inputs = random_inputs(random, computation(program));
  for (const int parts : {2, 3, 5, 8}) {
    const auto plan = [&](const char* how) {
      return loop::print(plan_with(
          program,
          {fmt::format(R"("k": ["BLK {}", "SHR {}"])", parts, (11 + parts - 1) / parts),
           R"("BLK.k", "SHR.k")", "", fmt::format(R"("combine": {{"BLK.k": "{}"}})", how)}));
    };
    for (const char* taken : {"= l;", "= r;"}) {
      const auto result = [&](std::string text) {
        const size_t at = text.find("= l + r;");
        text.replace(at, 8, taken);
        return loop::evaluate(run_pipeline(loop::parse(text), facts_of_gpus), inputs);
      };
      EXPECT_EQ(result(plan("cluster")), result(plan("auto"))) << parts << taken;
    }
  }
}

/// What fills the slots is what it was; the slots that all members saw are gone.
TEST(InCluster, slots_are_in_the_memory_of_groups) {
  const std::string text =
      expect_right(rows, {R"("i": ["BLK 5"], "j": ["BLK 1", "THR 7"], "k": ["BLK 3", "SHR 3"])",
                          R"("BLK.k", "BLK.i", "BLK.j", "THR.j", "SHR.k")", "", by_cluster});
  EXPECT_EQ(count_of(text, "of group per (blk_i) across blk_k"), 1) << text;
  EXPECT_EQ(count_of(text, "of all per"), 0) << text;
}

}  // namespace
}  // namespace mdh::passes::combine_in_cluster_test
