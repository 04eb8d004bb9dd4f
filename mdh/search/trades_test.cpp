#include "mdh/search/trades.h"

#include <gtest/gtest.h>

#include <set>

#include "mdh/ll/shared_test_programs.h"

namespace mdh::search::trades_test {
namespace {

TEST(Trades, leave_tiles_as_large_as_they_were) {
  const hl::Program program = matvec(scalar::Scalar::f32, 96, 1024);
  const machine::Machine& machine = machine::find_machine("cpu");
  const SearchSpace space(program, machine, {.cores = 2});
  const auto point = space.nearest_to(ll::parse_config(
      R"({"mdh_config": 1, "layers": ["COR", "L2", "L1", "REG", "SIMD"],
          "split": {"i": ["COR 2", "L1 12", "REG 4"], "k": ["L2 4", "L1 16", "REG 4", "SIMD 4"]},
          "order": ["COR.i", "L2.k", "L1.i", "L1.k", "REG.i", "REG.k", "SIMD.k"]})"));
  ASSERT_TRUE(point);
  ASSERT_EQ(point->integer("REG.k") * point->integer("L1.k"), 64);
  std::set<int64_t> in_registers;
  for (const tune::Point& traded : trades(space, machine, *point)) {
    EXPECT_TRUE(space.parameters().contains(traded)) << traded.key();
    EXPECT_NE(traded.key(), point->key());
    const int64_t parts = traded.integer("REG.k");
    if (parts == 4) continue;  // it is i that was traded
    in_registers.insert(parts);
    const int64_t tile = parts * traded.integer("L1.k");
    EXPECT_GE(tile, 32) << traded.key();
    EXPECT_LE(tile, 96) << traded.key();
  }
  EXPECT_TRUE(in_registers.contains(1));
  EXPECT_TRUE(in_registers.contains(8));
}

}  // namespace
}  // namespace mdh::search::trades_test
