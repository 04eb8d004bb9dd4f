#include "mdh/model/grid_cost.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "mdh/hl/instantiate.h"
#include "mdh/hl/parse.h"
#include "mdh/ll/parameters.h"
#include "mdh/ll/shared_test_programs.h"
#include "mdh/model/grid_banks.h"
#include "mdh/model/grid_traffic.h"
#include "mdh/model/rates.h"

namespace mdh::model::grid_cost_test {
namespace {

const machine::Machine& gpu() { return machine::find_machine("gpu"); }

/// A tile of 64 results for each of 256 threads, from copies of both operands.
std::string tiled(const std::string& blocks, const std::string& a, const std::string& b) {
  return fmt::format(
      R"({{"mdh_config": 1, "layers": ["BLK", "WRP", "DEV", "SHR", "REG", "THR", "VEC"],
          "split": {{"i": ["BLK {0}", "WRP 4", "REG 2", "THR 4", "VEC 4"],
                    "j": ["BLK 8", "WRP 2", "REG 2", "THR 8", "VEC 4"], "k": ["DEV 64", "SHR 16"]}},
          "order": ["BLK.i", "BLK.j", "WRP.i", "WRP.j", "THR.i", "THR.j", "DEV.k", "SHR.k", "REG.i",
                    "REG.j", "VEC.i", "VEC.j"],
          "stage": {{"A": [{{"from": "SHR.k", "region": "SM", "layout": ["k", "i"]}}],
                    "B": [{{"from": "SHR.k", "region": "SM"}}]}},
          "acc": {{"C": [{{"inside": "DEV.k", "region": "RM"}}]}},
          "code": {{"stage": {{"A": [{{{1}}}], "B": [{{{2}}}]}}, "kernel": {{"unroll": {{"SHR.k": 16}}}}}}}})",
      blocks, a, b);
}

GridCost cost_of(const hl::Program& p, const std::string& config, const GridRates& rates = {}) {
  return estimate(shape_of(p), p, gpu(), ll::parse_config(config), rates);
}

TEST(GridCost, products_are_bound_by_their_operations) {
  const GridRates r;
  const std::string config = tiled("8", R"("pad": 4)", R"("pad": 4)");
  const GridCost cost = cost_of(matmul(1024), config);
  EXPECT_EQ(cost.groups, 64);
  EXPECT_EQ(cost.threads, 256);
  EXPECT_EQ(cost.shared_bytes, 2 * (128 + 4) * 16 * 4);
  // One group of a multiprocessor begins 128 operations a cycle at best.
  const double least = 1024.0 * 1024 * 1024 / 64 / 128 / r.clock;
  EXPECT_GT(cost.compute, least);
  EXPECT_LT(cost.compute, 1.6 * least);
  EXPECT_EQ(cost.memory, 0) << "12 MiB stay in the second cache";
}

TEST(GridCost, groups_are_dealt_whole) {
  GridRates r;
  r.multiprocessors = 64;
  const std::string config = tiled("8", R"("pad": 4)", R"("pad": 4)");
  const double even = cost_of(matmul(1024), config, r).compute;
  r.multiprocessors = 63;
  EXPECT_NEAR(cost_of(matmul(1024), config, r).compute, 2 * even, 0.1 * even);
}

/// A group keeps its part of 128 x 128 results where the others of its cluster read it.
TEST(GridCost, parts_of_clusters_take_shared_memory) {
  const auto combined_by = [](const std::string& how) {
    return R"({"mdh_config": 1, "layers": ["BLK", "SHR", "REG", "THR"],
        "split": {"i": ["BLK 8", "REG 8", "THR 16"], "j": ["BLK 8", "REG 8", "THR 16"],
                  "k": ["BLK 2", "SHR 512"]},
        "order": ["BLK.i", "BLK.j", "BLK.k", "THR.i", "THR.j", "SHR.k", "REG.i", "REG.j"],
        "acc": {"C": [{"inside": "SHR.k", "region": "RM"}]},
        "code": {"combine": {"BLK.k": ")" +
           how + R"("}}})";
  };
  EXPECT_EQ(cost_of(matmul(1024), combined_by("cluster")).shared_bytes, 128 * 128 * 4);
  EXPECT_EQ(cost_of(matmul(1024), combined_by("partials_kernel")).shared_bytes, 0);
}

/// 227 KiB are the most that a group may take, and then it is alone.
TEST(GridCost, shared_memory_says_how_many_groups_there_are) {
  GridRates r;
  r.registers = 1 << 20;  // only shared memory is scarce
  const auto groups_with = [&](int64_t pad) {
    const std::string line = fmt::format(R"("pad": {})", pad);
    return cost_of(matmul(1024), tiled("8", line, line), r);
  };
  // Two copies of 16 lines of 128 numbers.
  EXPECT_EQ(groups_with(320).shared_bytes, 56 << 10);
  EXPECT_EQ(groups_with(320).resident, 4);
  EXPECT_EQ(groups_with(1688).shared_bytes, 227 << 10);
  EXPECT_EQ(groups_with(1688).resident, 1);
  const GridCost too_large = groups_with(1696);
  EXPECT_FALSE(too_large.fits);
  EXPECT_EQ(print(too_large).find("does not fit: groups of 256 threads with "), 0U);
}

/// Those of the device are known, and typical where there is none.
TEST(GridCost, multiprocessors_are_those_of_the_machine) {
  machine::Machine mine = gpu();
  for (machine::Layer& layer : mine.layers) {
    if (layer.name == "BLK") layer.count = 108;
  }
  EXPECT_EQ(typical_rates(mine, 1).grid.multiprocessors, 108);
  EXPECT_EQ(typical_rates(gpu(), 1).grid.multiprocessors, GridRates{}.multiprocessors);
}

TEST(GridCost, waiting_for_copies_is_hidden_by_copies_that_run_ahead) {
  const std::string ahead = R"("pad": 4, "depth": 2, "transport": "registers")";
  const double late = cost_of(matmul(1024), tiled("8", R"("pad": 4)", R"("pad": 4)")).waiting;
  const double early = cost_of(matmul(1024), tiled("8", ahead, ahead)).waiting;
  EXPECT_GT(late, 2 * early);
}

TEST(GridCost, a_group_that_needs_too_much_does_not_fit) {
  GridRates r;
  r.shared = 8 << 10;
  const GridCost cost = cost_of(matmul(1024), tiled("8", "", ""), r);
  EXPECT_FALSE(cost.fits);
  EXPECT_GT(cost.total(), 1e12);
}

/// Four rows of a warp's threads read four numbers each, and each row is read by eight threads; eight
/// columns likewise.
TEST(GridBanks, are_those_of_the_threads_of_a_warp) {
  const auto passes = [](const std::string& a, const std::string& b) {
    const hl::Program p = matmul(1024);
    const ll::Config config = ll::parse_config(tiled("8", a, b));
    const ll::Program low = ll::program_of(config, p, gpu());
    const ll::Decomposition d(low, gpu());
    const Shape shape = shape_of(p);
    const GridRates rates;
    const GridWork work(shape, d, rates);
    std::vector<double> all;
    for (const ll::Staging& s : d.stagings()) {
      all.push_back(passes_to_read(work, s, 4));
      all.push_back(passes_to_store(work, s, 4));
    }
    return all;
  };
  // A is read in rows of 16 and turned: 4 numbers of each of 8 rows, stored one by one.
  const std::vector<double> plain = passes("", ""), padded = passes(R"("pad": 4)", R"("pad": 4)");
  ASSERT_EQ(plain.size(), 4U);
  EXPECT_EQ(plain[0], 4) << "16 bytes each: eight threads at a time";
  EXPECT_EQ(plain[1], 4 * 4) << "four threads of a row in one bank";
  EXPECT_EQ(padded[1], 4 * 2);
  EXPECT_EQ(plain[2], 4);
  EXPECT_EQ(plain[3], 4) << "512 bytes";
}

// ---- traffic

const char* const rows =
    R"({"mdh_config": 1, "layers": ["BLK", "WRP", "SHR", "THR", "VEC"],
        "split": {"i": ["BLK 512", "WRP 8"], "k": ["SHR 32", "THR 32", "VEC 4"]},
        "order": ["BLK.i", "WRP.i", "THR.k", "SHR.k", "VEC.k"],
        "acc": {"w": [{"inside": "SHR.k", "region": "RM"}]},
        "code": {"combine": {"THR.k": "shuffle"}}})";

const char* const columns =
    R"({"mdh_config": 1, "layers": ["BLK", "WRP", "SHR", "THR"],
        "split": {"i": ["BLK 16", "WRP 8", "THR 32"], "k": ["SHR 4096"]},
        "order": ["BLK.i", "WRP.i", "THR.i", "SHR.k"],
        "acc": {"w": [{"inside": "SHR.k", "region": "RM"}]}})";

hl::Program product() {
  return hl::instantiate(hl::parse("mdh 1\nprogram product = out_view( w: f32 = [i] )"
                                   " * md_hom( i: 4096 by cc, k: 4096 by pw(add) ) { w = M * v; }"
                                   " * inp_view( M: f32 = [i, k]; v: f32 = [k] )"),
                         {});
}

TEST(GridTraffic, what_does_not_stay_comes_once_from_memory) {
  const GridRates r;
  const double matrix = 4096.0 * 4096 * 4;
  EXPECT_NEAR(cost_of(product(), rows).memory, matrix / r.memory_rate,
              0.01 * matrix / r.memory_rate);
}

/// Threads side by side that read rows of their own take a sector for every number, until the cache of
/// the multiprocessor has the rest of it.
TEST(GridTraffic, threads_along_memory_are_faster) {
  const GridCost along = cost_of(product(), rows), across = cost_of(product(), columns);
  EXPECT_GT(across.compute, 3 * along.compute);
  EXPECT_GT(across.total(), 2 * along.total());
}

/// No loop can count registers up: what an accumulator holds of several rounds is an array in memory.
TEST(GridCost, accumulators_of_several_rounds_are_slow) {
  const auto inside = [](const char* level, const char* order) {
    return cost_of(matmul(256),
                   fmt::format(R"({{"mdh_config": 1, "layers": ["BLK", "SHR", "REG", "THR"],
        "split": {{"i": ["BLK 16", "SHR 8", "REG 2"], "j": ["BLK 8", "THR 32"], "k": ["SHR 256"]}},
        "order": ["BLK.i", "BLK.j", "THR.j", {}, "REG.i"],
        "acc": {{"C": [{{"inside": "{}", "region": "RM"}}]}}}})",
                               order, level));
  };
  const GridCost one = inside("SHR.k", R"("SHR.i", "SHR.k")");
  const GridCost all = inside("SHR.k", R"("SHR.k", "SHR.i")");
  EXPECT_EQ(all.registers - one.registers, 7 * 2);
  EXPECT_GT(all.compute, 1.5 * one.compute);
}

/// A copy of 256 MiB, whose stores are 128 or 16 bytes side by side.
TEST(GridCost, pieces_that_are_written_cost_memory_more) {
  const hl::Program copy = hl::instantiate(
      hl::parse("mdh 1\nprogram copy = out_view( y: f32 = [i, j] ) * md_hom( i: 65536 by cc, "
                "j: 1024 by cc ) { y = 1.0; } * inp_view()"),
      {});
  const auto stored = [&](const char* i, const char* j, const char* order) {
    return cost_of(copy, fmt::format(R"({{"mdh_config": 1, "layers": ["BLK", "WRP", "THR", "VEC"],
        "split": {{"i": {}, "j": {}}}, "order": [{}]}})",
                                     i, j, order))
        .memory;
  };
  const double lines = stored(R"(["BLK 65536"])", R"(["WRP 8", "THR 32", "VEC 4"])",
                              R"("BLK.i", "WRP.j", "THR.j", "VEC.j")");
  const double pieces = stored(R"(["BLK 2048", "THR 32"])", R"(["BLK 32", "WRP 8", "VEC 4"])",
                               R"("BLK.i", "BLK.j", "WRP.j", "THR.i", "VEC.j")");
  EXPECT_GT(pieces, 3 * lines);
  EXPECT_LT(pieces, 4 * lines);
}

/// Warps of a group stand before a barrier together.
TEST(GridCost, only_other_groups_hide_what_all_warps_wait_for) {
  GridCost cost;
  cost.compute = cost.waiting = 100;
  cost.warps = 8;
  cost.waiting_together = 40;
  EXPECT_EQ(cost.waiting_alone(), 60.0 / 8 + 40);
  cost.groups_together = 4;
  EXPECT_EQ(cost.waiting_alone(), 60.0 / 8 + 10);
}

TEST(GridCost, prints_a_line_for_each_part) {
  const std::string text = print(cost_of(product(), rows));
  for (const char* name :
       {"groups ", "registers ", "compute ", "waiting ", "L2 ", "memory ", "alternate ", "code ",
        "combining ", "launches ", "total ", "decided by "}) {
    EXPECT_NE(text.find(name), std::string::npos) << name << text;
  }
}

}  // namespace
}  // namespace mdh::model::grid_cost_test
