#include "mdh/model/cost.h"

#include <gtest/gtest.h>

#include "mdh/hl/instantiate.h"
#include "mdh/hl/parse.h"

namespace mdh::model::cost_test {
namespace {

hl::Program matmul(int64_t n) {
  const std::string size = std::to_string(n);
  return hl::instantiate(
      hl::parse("mdh 1\nprogram matmul = out_view( C: f32 = [i, j] ) * md_hom( i: " + size +
                " by cc, j: " + size + " by cc, k: " + size +
                " by pw(add) ) { C = A * B; } * inp_view( A: f32 = [i, k]; B: f32 = [k, j] )"),
      {});
}

Rates rates() {
  Rates r = typical_rates(machine::find_machine("cpu"), 2);
  r.l1_bytes = 64 << 10;
  r.l2_bytes = 1 << 20;
  r.l3_bytes = 32 << 20;
  return r;
}

Cost cost_of(const hl::Program& p, const std::string& config, const Rates& r = rates()) {
  return estimate(shape_of(p), machine::find_machine("cpu"), ll::parse_config(config), r);
}

const char* const tiled =
    R"({"mdh_config": 1, "layers": ["COR", "L2", "L1", "REG", "SIMD"],
        "split": {"i": ["L2 8", "L1 16", "REG 8"], "j": ["COR 2", "L1 64", "REG 2", "SIMD 4"],
                  "k": ["L2 2", "L1 512"]},
        "order": ["COR.j", "L2.k", "L2.i", "L1.j", "L1.i", "L1.k", "REG.i", "REG.j", "SIMD.j"],
        "stage": {"A": [{"from": "L1.j", "region": "L1", "layout": ["i@L1", "k@L1", "i@REG"]},
                        {"from": "REG.i", "region": "REG"}],
                  "B": [{"from": "L2.i", "region": "L2",
                         "layout": ["j@L1", "k@L1", "j@REG", "j@SIMD"]},
                        {"from": "REG.i", "region": "REG"}]},
        "acc": {"C": [{"inside": "L1.k", "region": "REG"}]}})";

const char* const plain =
    R"({"mdh_config": 1, "layers": ["COR", "L1"],
        "split": {"i": ["COR 2", "L1 512"], "j": ["L1 1024"], "k": ["L1 1024"]},
        "order": ["COR.i", "L1.i", "L1.j", "L1.k"]})";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  text.replace(text.find(from), from.size(), to);
  return text;
}

TEST(Cost, a_tile_of_registers_computes_as_fast_as_the_machine_can) {
  const Rates r = rates();
  const double operations = 1024.0 * 1024 * 1024 / 4 / 2;  // multiply-adds of four lanes, per core
  EXPECT_NEAR(cost_of(matmul(1024), tiled).compute, operations * r.operation,
              0.01 * operations * r.operation);
}

TEST(Cost, tiles_beat_plain_loops_by_far) {
  EXPECT_GT(cost_of(matmul(1024), plain).total(), 10 * cost_of(matmul(1024), tiled).total());
}

TEST(Cost, results_in_memory_and_tiles_that_do_not_fit_the_registers_cost_more) {
  const double best = cost_of(matmul(1024), tiled).compute;
  const std::string in_memory =
      replaced(tiled, R"("acc": {"C": [{"inside": "L1.k", "region": "REG"}]})", R"("acc": {})");
  EXPECT_GT(cost_of(matmul(1024), in_memory).compute, 1.5 * best);
  std::string large = replaced(tiled, R"("L1 16", "REG 8")", R"("L1 8", "REG 16")");
  large = replaced(large, R"("L1 64", "REG 2")", R"("L1 32", "REG 4")");
  EXPECT_GT(cost_of(matmul(1024), large).compute, 1.2 * best);
}

TEST(Cost, cores_share_the_work_and_an_uneven_share_is_seen) {
  const std::string one = replaced(tiled, R"("COR 2", "L1 64")", R"("L1 128")");
  const std::string single = replaced(one, R"("order": ["COR.j", )", R"("order": [)");
  const double two = cost_of(matmul(1024), tiled).compute;
  EXPECT_NEAR(cost_of(matmul(1024), single).compute, 2 * two, 0.01 * two);
  const std::string three = replaced(tiled, R"("COR 2", "L1 64")", R"("COR 3", "L1 43")");
  EXPECT_GT(cost_of(matmul(1024), three).compute, 1.2 * two);  // two of three on one core
}

TEST(Cost, what_is_read_once_comes_from_memory_once) {
  const hl::Program dot = hl::instantiate(
      hl::parse("mdh 1\nprogram dot = out_view( C: f32 = [0] ) * md_hom( k: 16777216 by pw(add) )"
                " { C = A * B; } * inp_view( A: f32 = [k]; B: f32 = [k] )"),
      {});
  const Cost cost = cost_of(dot, R"({"mdh_config": 1, "layers": ["COR", "L1", "REG", "SIMD"],
               "split": {"k": ["COR 2", "L1 524288", "REG 4", "SIMD 4"]},
               "order": ["COR.k", "REG.k", "SIMD.k", "L1.k"],
               "acc": {"C": [{"inside": "REG.k", "region": "REG"}]}})");
  EXPECT_NEAR(cost.bytes_memory, 2.0 * 4 * 16777216, 0.02 * 2 * 4 * 16777216);
  EXPECT_GT(cost.memory, cost.compute);
}

TEST(Cost, rates_are_read_as_they_were_printed_and_others_not_at_all) {
  const Rates r = rates();
  EXPECT_EQ(parse_rates(print(r)), r);
  EXPECT_FALSE(parse_rates(""));
  EXPECT_FALSE(parse_rates("{\"mdh_rates\": 2}"));
  EXPECT_FALSE(parse_rates("{\"mdh_rates\": 1, \"l2_gbs\": \"fast\"}"));
  EXPECT_FALSE(parse_rates(print(r).substr(0, 100)));
}

}  // namespace
}  // namespace mdh::model::cost_test
