#include "mdh/model/cost.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "mdh/hl/instantiate.h"
#include "mdh/hl/parse.h"
#include "mdh/ll/shared_test_programs.h"

namespace mdh::model::cost_test {
namespace {

Rates rates() {
  Rates r = typical_rates(machine::find_machine("cpu"), 2);
  r.latency = 0.8;
  r.find("L1")->bytes = 64 << 10;
  r.find("L2")->bytes = 1 << 20;
  r.find("L3")->bytes = 32 << 20;
  return r;
}

Cost cost_of(const hl::Program& p, const std::string& config, const Rates& r = rates()) {
  return estimate(shape_of(p), p, machine::find_machine("cpu"), ll::parse_config(config), r);
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

/// Six vectors of results, in lanes along `lanes`.
std::string updated(const std::string& lanes, const std::string& others) {
  return R"({"mdh_config": 1, "layers": ["COR", "L1", "REG", "SIMD"], "split": {")" + lanes +
         R"(": ["COR 2", "L1 128", "SIMD 4"], ")" + others +
         R"(": ["L1 171", "REG 6"], "k": ["L1 1024"]}, "order": ["COR.)" + lanes + R"(", "L1.)" +
         lanes + R"(", "L1.)" + others + R"(", "L1.k", "REG.)" + others + R"(", "SIMD.)" + lanes +
         R"("]})";
}

TEST(Cost, results_that_are_stored_one_by_one_cost_more_than_vectors) {
  const double along = cost_of(matmul(1024), updated("j", "i")).compute;
  const double across = cost_of(matmul(1024), updated("i", "j")).compute;
  EXPECT_GT(across, 2 * along);
}

TEST(Cost, wider_lanes_do_not_store_more_elements_than_they_have) {
  const std::string four = updated("i", "j");
  const std::string sixteen = replaced(replaced(four, "L1 128", "L1 32"), "SIMD 4", "SIMD 16");
  const double narrow = cost_of(matmul(1024), four).compute;
  const double wide = cost_of(matmul(1024), sixteen).compute;
  EXPECT_LT(wide, 1.5 * narrow);
}

/// Every k goes through 128 rows of C, which are 4 KiB apart.
std::string down_the_rows(const std::string& more) {
  return R"({"mdh_config": 1, "layers": ["COR", "L2", "L1", "REG", "SIMD"],
             "split": {"i": ["L2 8", "L1 16", "REG 8"], "j": ["COR 2", "L2 128", "SIMD 4"],
                       "k": ["L1 1024"]},
             "order": ["COR.j", "L2.j", "L2.i", "L1.k", "L1.i", "REG.i", "SIMD.j"])" +
         more + "}";
}

TEST(Cost, results_in_a_place_of_their_own_do_not_crowd_each_other_out) {
  const std::string own =
      R"(, "acc": {"C": [{"inside": "L1.k", "region": "L1", "layout": ["j", "i"]}]})";
  const double user = cost_of(matmul(1024), down_the_rows("")).from[1];
  EXPECT_LT(cost_of(matmul(1024), down_the_rows(own)).from[1], user);
  // A cache keeps what it likes: without a layout of their own they stay in the user's buffer.
  const std::string hint = R"(, "acc": {"C": [{"inside": "L1.k", "region": "L1"}]})";
  EXPECT_EQ(cost_of(matmul(1024), down_the_rows(hint)).from[1], user);
}

TEST(Cost, cores_share_the_work_and_an_uneven_share_is_seen) {
  const std::string one = replaced(tiled, R"("COR 2", "L1 64")", R"("L1 128")");
  const std::string single = replaced(one, R"("order": ["COR.j", )", R"("order": [)");
  const double two = cost_of(matmul(1024), tiled).compute;
  EXPECT_NEAR(cost_of(matmul(1024), single).compute, 2 * two, 0.01 * two);
  const std::string three = replaced(tiled, R"("COR 2", "L1 64")", R"("COR 3", "L1 43")");
  EXPECT_GT(cost_of(matmul(1024), three).compute, 1.2 * two);  // two of three on one core
}

TEST(Cost, rows_between_the_parts_of_a_core_are_not_its_own) {
  // Core 1 has rows 0 to 511, or every second one: the same work on as many bytes.
  const std::string apart =
      replaced(replaced(plain, R"("layers": ["COR", "L1"])", R"("layers": ["L1", "COR"])"),
               R"("i": ["COR 2", "L1 512"])", R"("i": ["L1 512", "COR 2"])");
  const Cost near = cost_of(matmul(1024), plain), far = cost_of(matmul(1024), apart);
  EXPECT_NEAR(far.from[1], near.from[1], 0.1 * near.from[1]);
  EXPECT_NEAR(far.from[2], near.from[2], 0.1 * near.from[2]);
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
  EXPECT_GT(cost.from.back(), cost.compute);
}

TEST(Cost, what_fits_a_cache_as_a_whole_is_still_there) {
  EXPECT_EQ(cost_of(matmul(1024), tiled).from.back(), 0);
  Rates small = rates();
  small.find("L3")->bytes = 8 << 20;
  EXPECT_GT(cost_of(matmul(1024), tiled, small).from.back(), 0);
}

TEST(Cost, copies_that_all_cores_wait_for_cost_a_barrier) {
  const std::string before = replaced(
      replaced(tiled, R"("from": "L2.i", "region": "L2")", R"("from": "COR.j", "region": "L3")"),
      R"(["j@L1", "k@L1", "j@REG", "j@SIMD"])",
      R"(["j@COR", "k@L2", "j@L1", "k@L1", "j@REG", "j@SIMD"])");
  const Rates r = rates();
  EXPECT_NEAR(cost_of(matmul(1024), before).overhead - cost_of(matmul(1024), tiled).overhead,
              r.launch + r.barrier, 1);
}

const char* const jacobi_text =
    "mdh 1\nprogram jacobi = out_view( O: f32 = [i, j] ) * md_hom( i: 1024 by cc, j: 1024 by cc )"
    " { O = I.1 + I.2 + I.3 + I.4; } * inp_view( I: f32 = [i, j + 1], [i + 2, j + 1], [i + 1, j],"
    " [i + 1, j + 2] )";

/// Bands of rows, `high` of them in registers.
std::string bands(int high) {
  return fmt::format(
      R"({{"mdh_config": 1, "layers": ["COR", "L1", "REG", "SIMD"],
          "split": {{"i": ["COR 2", "L1 {}", "REG {}"], "j": ["L1 256", "SIMD 4"]}},
          "order": ["COR.i", "L1.i", "L1.j", "REG.i", "SIMD.j"],
          "acc": {{"O": [{{"inside": "REG.i", "region": "REG"}}]}}}})",
      512 / high, high);
}

TEST(Cost, rows_that_crowd_each_other_out_come_again) {
  const hl::Program p = hl::instantiate(hl::parse(jacobi_text), {});
  // Rows are 4104 bytes apart: neighbours. Where they are 16 KiB apart they fall on one place.
  Shape far = shape_of(p);
  for (BufferShape& buffer : far.buffers) buffer.extents.back() = 4096;
  const machine::Machine& cpu = machine::find_machine("cpu");
  const ll::Config config = ll::parse_config(bands(16));
  const double near_l2 = estimate(shape_of(p), p, cpu, config, rates()).from[1];
  EXPECT_GT(estimate(far, p, cpu, config, rates()).from[1], 2 * near_l2);
}

TEST(Cost, bands_share_the_rows_between_them) {
  const hl::Program p = hl::instantiate(hl::parse(jacobi_text), {});
  Rates small = rates();
  small.find("L3")->bytes = 1 << 20;
  small.find("L2")->bytes = 256 << 10;
  // Input once and output twice (it is read before it is written), whatever the height.
  for (const int high : {1, 2, 4}) {
    EXPECT_NEAR(cost_of(p, bands(high), small).bytes_memory, 3.0 * 4 * 1024 * 1024, 4e5) << high;
  }
}

TEST(Cost, of_tiny_caches_and_wide_elements_is_a_number) {
  Rates tiny = rates();
  tiny.find("L1")->bytes = 100;
  tiny.vector_bytes = 2;  // less than an element
  EXPECT_TRUE(std::isfinite(cost_of(matmul(1024), tiled, tiny).total()));
  EXPECT_TRUE(std::isfinite(cost_of(matmul(1024), plain, tiny).total()));
}

TEST(Cost, short_runs_of_memory_cost_more_than_long_ones) {
  const hl::Program p = hl::instantiate(
      hl::parse("mdh 1\nprogram sum = out_view( C: f32 = [i] ) * md_hom( i: 8192 by cc, k: 8192 by "
                "pw(add) ) { C = A; } * inp_view( A: f32 = [i, k] )"),
      {});
  const char* const rows = R"({"mdh_config": 1, "layers": ["COR", "L2", "L1", "REG", "SIMD"],
      "split": {"i": ["COR 2", "L1 1024", "REG 4"], "k": ["L1 2048", "SIMD 4"]},
      "order": ["COR.i", "L1.i", "SIMD.k", "L1.k", "REG.i"],
      "acc": {"C": [{"inside": "SIMD.k", "region": "REG"}]}})";
  const char* const pieces = R"({"mdh_config": 1, "layers": ["COR", "L2", "L1", "REG", "SIMD"],
      "split": {"i": ["COR 2", "L1 1024", "REG 4"], "k": ["L2 64", "L1 32", "SIMD 4"]},
      "order": ["COR.i", "L2.k", "L1.i", "SIMD.k", "L1.k", "REG.i"],
      "acc": {"C": [{"inside": "SIMD.k", "region": "REG"}]}})";
  EXPECT_GT(cost_of(p, pieces).from.back(), 1.3 * cost_of(p, rows).from.back());
}

/// 16 rows of C, and `rows` rows of B that are walked along in turn, one line of each at a time.
std::string rows_in_turn(int rows, const std::string& cores = "COR 2") {
  return fmt::format(
      R"({{"mdh_config": 1, "layers": ["COR", "L2", "L1", "REG", "SIMD"],
          "split": {{"i": ["REG 16"], "j": ["L1 256", "SIMD 16"],
                    "k": ["{}", "L2 {}", "L1 {}"]}},
          "order": ["COR.k", "L2.k", "L1.j", "L1.k", "REG.i", "SIMD.j"],
          "acc": {{"C": [{{"inside": "L1.k", "region": "REG"}}]}}}})",
      cores, 12544 / rows, rows);
}

hl::Program wide_matmul() {
  return hl::instantiate(
      hl::parse("mdh 1\nprogram p = out_view( C: f32 = [i, j] ) * md_hom( i: 16 by cc, j: 4096 by "
                "cc, k: 25088 by pw(add) ) { C = A * B; } * inp_view( A: f32 = [i, k]; B: f32 = "
                "[k, j] )"),
      {});
}

/// A vector of the caches' lines, as where the times are from that the constants stand for.
Rates wide_rates() {
  Rates r = rates();
  r.vector_bytes = 64;
  return r;
}

TEST(Cost, few_rows_in_turn_are_loaded_ahead_and_many_are_not) {
  const auto from_memory = [](int rows) {
    return cost_of(wide_matmul(), rows_in_turn(rows), wide_rates()).from.back();
  };
  EXPECT_NEAR(from_memory(16), from_memory(4), 0.02 * from_memory(4));
  EXPECT_GT(from_memory(28), 1.2 * from_memory(16));
  EXPECT_GT(from_memory(32), 2 * from_memory(16));
}

TEST(Cost, what_shares_of_one_core_need_one_after_the_other_is_not_there_from_run_to_run) {
  // Each of 64 shares has 6 MiB of B, which a core's part of the cache holds; all of them have not.
  Cost cost = cost_of(wide_matmul(), rows_in_turn(8, "COR 64"), wide_rates());
  EXPECT_GT(cost.bytes_memory, 4.0 * 4096 * 25088);
  EXPECT_GT(cost.from.back(), 0);
}

/// As rows_in_turn(), with blocks of B copied first.
const char* const copied_blocks =
    R"({"mdh_config": 1, "layers": ["COR", "L2", "L1", "REG", "SIMD"],
        "split": {"i": ["REG 16"], "j": ["L1 256", "SIMD 16"], "k": ["COR 2", "L2 784", "L1 16"]},
        "order": ["COR.k", "L2.k", "L1.j", "L1.k", "REG.i", "SIMD.j"],
        "stage": {"B": [{"from": "L1.j", "region": "L2", "layout": ["j@L1", "k@L1", "j@SIMD"]}]},
        "acc": {"C": [{"inside": "L1.k", "region": "REG"}]}})";

TEST(Cost, nothing_is_computed_while_copies_wait_for_memory) {
  const Cost streamed = cost_of(wide_matmul(), rows_in_turn(16), wide_rates());
  const Cost copied = cost_of(wide_matmul(), copied_blocks, wide_rates());
  EXPECT_NEAR(copied.bytes_memory, streamed.bytes_memory, 0.01 * streamed.bytes_memory);
  EXPECT_GE(copied.copies, 0.99 * streamed.from.back());
  EXPECT_LT(copied.from.back(), 0.1 * streamed.from.back());
  EXPECT_GT(copied.total(), copied.compute + copied.copies);
}

/// 12 by 2 vectors, where `columns` of C are left for the last tile or none is.
double compute_of_columns(int columns) {
  const hl::Program p =
      hl::instantiate(hl::parse(fmt::format(
                          "mdh 1\nprogram p = out_view( C: f32 = [i, j] ) * md_hom( i: 2040 by cc, "
                          "j: {} by cc, k: 333 by pw(add) ) {{ C = A * B; }} * inp_view( A: f32 = "
                          "[i, k]; B: f32 = [k, j] )",
                          columns)),
                      {});
  const std::string config = fmt::format(
      R"({{"mdh_config": 1, "layers": ["COR", "L1", "REG", "SIMD"],
          "split": {{"i": ["COR 2", "L1 85", "REG 12"], "j": ["L1 {}", "REG 2", "SIMD 16"],
                    "k": ["L1 333"]}},
          "order": ["COR.i", "L1.i", "L1.j", "L1.k", "REG.i", "REG.j", "SIMD.j"],
          "acc": {{"C": [{{"inside": "L1.k", "region": "REG"}}]}},
          "code": {{"edge": {{"j": "mask"}}}}}})",
      (columns + 31) / 32);
  return cost_of(p, config, wide_rates()).compute;
}

TEST(Cost, a_tile_at_an_edge_goes_through_memory_however_little_is_left) {
  const double whole = compute_of_columns(64) / 2;
  EXPECT_GT(compute_of_columns(65), 2 * whole + 4 * whole);
  EXPECT_EQ(compute_of_columns(65), compute_of_columns(70));
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
