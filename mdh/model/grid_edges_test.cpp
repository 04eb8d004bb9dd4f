#include "mdh/model/grid_edges.h"

#include <gtest/gtest.h>

#include "mdh/hl/instantiate.h"
#include "mdh/hl/parse.h"
#include "mdh/ll/parameters.h"

namespace mdh::model::grid_edges_test {
namespace {

struct Asked {
  bool has_edges = false, asks = false, stays = false;
};

/// Of a product of matrices; whether the innermost loop of threads stays in a warp.
Asked asked(const std::string& sizes, const std::string& split, const std::string& stage = "{}") {
  const hl::Program p = hl::instantiate(
      hl::parse("mdh 1\nprogram product = out_view( C: f32 = [i, j] ) * md_hom( " + sizes +
                " ) { C = A * B; } * inp_view( A: f32 = [i, k]; B: f32 = [k, j] )"),
      {});
  const machine::Machine& gpu = machine::find_machine("gpu");
  const ll::Program low = ll::program_of(
      ll::parse_config(R"({"mdh_config": 1, "layers": ["BLK", "THR", "SHR", "REG"], "split": )" +
                       split + R"(, "order": ["BLK.i", "THR.j", "SHR.k", "REG.i", "REG.k"],
            "acc": {"C": [{"inside": "SHR.k", "region": "RM"}]}, "stage": )" +
                       stage + "}"),
      p, gpu);
  const ll::Decomposition d(low, gpu);
  const Shape shape = shape_of(p);
  const GridRates rates;
  const GridWork work(shape, d, rates);
  return {has_edges(work, work.tile), asks_at_edges(work, work.tile),
          stays_in_warp(work, *work.members.back())};
}

const char* const tiles = R"({"i": ["BLK 8", "REG 4"], "j": ["THR 32"], "k": ["SHR 16", "REG 2"]})";

TEST(GridEdges, are_none_where_parts_divide) {
  const Asked a = asked("i: 32 by cc, j: 32 by cc, k: 32 by pw(add)", tiles);
  EXPECT_FALSE(a.has_edges);
  EXPECT_FALSE(a.asks);
  EXPECT_TRUE(a.stays);
}

TEST(GridEdges, of_results_do_not_ask_and_of_sums_do) {
  const Asked results = asked("i: 31 by cc, j: 32 by cc, k: 32 by pw(add)", tiles);
  EXPECT_TRUE(results.has_edges);
  EXPECT_FALSE(results.asks);
  const Asked sums = asked("i: 32 by cc, j: 32 by cc, k: 31 by pw(add)", tiles);
  EXPECT_TRUE(sums.has_edges);
  EXPECT_TRUE(sums.asks);
}

TEST(GridEdges, copies_have_something_everywhere) {
  const Asked a = asked("i: 32 by cc, j: 32 by cc, k: 31 by pw(add)", tiles,
                        R"({"A": [{"from": "SHR.k", "region": "SM"}],
                            "B": [{"from": "SHR.k", "region": "SM"}]})");
  EXPECT_TRUE(a.has_edges);
  EXPECT_FALSE(a.asks);
}

TEST(GridEdges, twelve_threads_leave_their_warp) {
  EXPECT_FALSE(asked("i: 32 by cc, j: 12 by cc, k: 32 by pw(add)",
                     R"({"i": ["BLK 8", "REG 4"], "j": ["THR 12"], "k": ["SHR 16", "REG 2"]})")
                   .stays);
}

}  // namespace
}  // namespace mdh::model::grid_edges_test
