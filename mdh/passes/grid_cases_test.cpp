// Programs and configurations for grids on which passes or the evaluator once failed.
#include <gtest/gtest.h>

#include "mdh/hl/evaluate.h"
#include "mdh/loop/evaluate.h"
#include "mdh/passes/pipeline.h"
#include "mdh/passes/plan/test_plans.h"

namespace mdh::passes::grid_cases_test {
namespace {

/// In several orders of what no barrier orders.
void expect_meaning_on_gpu(const std::string& text, const std::string& entries,
                           uint64_t orders = 3) {
  const hl::Program program = computation(text);
  Random random(1);
  const std::vector<scalar::Array> inputs = random_inputs(random, program);
  const loop::Program loops = run_pipeline(plan_of(text, entries, "gpu"), facts_of_gpus);
  for (uint64_t seed = 1; seed <= orders; ++seed) {
    EXPECT_EQ(loop::evaluate(loops, inputs, seed), hl::evaluate(program, inputs))
        << loop::print(loops);
  }
}

/// What a core moves lies along rows only where rows are scanned.
TEST(GridCases, scans_of_several_rows_in_a_thread) {
  const auto scan = [](const std::string& index) {
    return "rows = out_view( a: i64 = " + index +
           " ) * md_hom( c: 12 by cc, i: 64 by ps(add) ) { a = x; } * inp_view( x: i64 = [c, i] )";
  };
  for (const char* index : {"[c, i]", "[i, c]", "[i, c + i]", "[c + i, i]"}) {
    for (const char* region : {"SM", "RM"}) {
      expect_meaning_on_gpu(scan(index), fmt::format(R"("layers": ["BLK", "THR", "SHR"],
          "split": {{"c": ["SHR 12"], "i": ["BLK 4", "THR 16"]}},
          "order": ["BLK.i", "THR.i", "SHR.c"],
          "acc": {{"a": [{{"inside": "THR.i", "region": "{}"}}]}},
          "code": {{"combine": {{"THR.i": "shuffle", "BLK.i": "look_back"}}}})",
                                                     region));
      expect_meaning_on_gpu(scan(index), fmt::format(R"("layers": ["BLK", "THR", "SHR"],
          "split": {{"c": ["BLK 3", "SHR 4"], "i": ["BLK 4", "THR 16"]}},
          "order": ["BLK.c", "BLK.i", "THR.i", "SHR.c"],
          "acc": {{"a": [{{"inside": "THR.i", "region": "{}"}}]}},
          "code": {{"combine": {{"THR.i": "shuffle", "BLK.i": "look_back"}}}})",
                                                     region));
    }
  }
}

/// A dimension of size 1 has the same stride as the one outside of it.
TEST(GridCases, neighbours_write_up_along_equal_strides) {
  for (const int parts : {2, 3, 4}) {
    expect_meaning_on_gpu(
        "d4 = out_view( O: i64 = [l, j, i] ) * md_hom( i: 33 by cc, j: 1 by cc, l: 17 by cc )"
        " { O = A; } * inp_view( A: i64 = [i, j, l] )",
        fmt::format(R"("layers": ["DEV", "THR", "BLK"],
          "split": {{"i": ["BLK 33"], "j": ["DEV {}"], "l": ["THR 17"]}},
          "order": ["BLK.i", "DEV.j", "THR.l"],
          "acc": {{"O": [{{"inside": "DEV.j", "region": "SM"}}]}})",
                    parts));
  }
}

/// Parts that wait for each other do not all have as many barriers.
TEST(GridCases, the_clock_goes_on_after_parts_that_wait) {
  expect_meaning_on_gpu(
      "p = out_view( O: i64 = [j, i] ) * md_hom( i: 17 by ps(add), j: 4 by ps(add),"
      " k: 13 by pw(add) ) { O = A; } * inp_view( A: i64 = [i, k, j] )",
      R"("layers": ["WRP", "BLK", "VEC", "DEV", "SHR", "THR"],
      "split": {"i": ["BLK 32", "VEC 1", "SHR 2", "THR 1"], "j": ["BLK 4"],
                "k": ["WRP 2", "VEC 2", "DEV 3", "THR 2"]},
      "order": ["BLK.j", "BLK.i", "WRP.k", "THR.i", "THR.k", "DEV.k", "SHR.i", "VEC.k", "VEC.i"],
      "stage": {"A": [{"from": "VEC.k", "region": "SM"}]},
      "code": {"combine": {"BLK.i": "look_back", "THR.i": "shuffle", "THR.k": "team_tree"},
               "kernel": {"start": "early"}})",
      40);
}

}  // namespace
}  // namespace mdh::passes::grid_cases_test
