// Sketches for devices with groups of threads are configurations like others: valid and right. What
// they are chosen by agrees with what was measured.
#include <gtest/gtest.h>

#include <cmath>

#include "examples/catalogue.h"
#include "mdh/driver/data.h"
#include "mdh/driver/stages.h"
#include "mdh/hl/instantiate.h"
#include "mdh/hl/parse.h"
#include "mdh/ll/grid_config.h"
#include "mdh/loop/evaluate.h"
#include "mdh/model/cost.h"
#include "mdh/search/sketches.h"
#include "mdh/support/files.h"
#include "tests/property/triples.h"

namespace mdh::grid_sketches_test {
namespace {

const machine::Machine& gpu() { return machine::find_machine("gpu"); }

hl::Program program_of(const std::string& name, std::map<std::string, int64_t> sizes) {
  return hl::instantiate(examples::find_entry(name)->generic(), {.sizes = std::move(sizes)});
}

std::vector<search::EstimatedConfig> sketches_of(const hl::Program& program, size_t count) {
  return search::sketches(program, gpu(), model::typical_rates(gpu(), 1), count);
}

double estimate(const hl::Program& program, const ll::Config& config) {
  return model::estimated_time(model::shape_of(program), program, gpu(), config,
                               model::typical_rates(gpu(), 1));
}

struct Case {
  const char* program;
  std::map<std::string, int64_t> sizes;
};

TEST(GridSketches, every_one_computes_the_program) {
  const std::vector<Case> small = {
      {"matmul", {{"I", 7}, {"J", 13}, {"K", 9}}},
      {"matmul", {{"I", 1}, {"J", 11}, {"K", 37}}},
      {"matmul_t", {{"I", 5}, {"J", 9}, {"K", 8}}},
      {"matvec", {{"I", 9}, {"K", 31}}},
      {"dot", {{"K", 45}}},
      {"bmatmul", {{"NB", 3}, {"I", 2}, {"J", 11}, {"K", 5}}},
      {"conv2d", {{"P", 6}, {"Q", 17}, {"R", 3}, {"S", 2}}},
      {"jacobi3d", {{"I1", 3}, {"I2", 4}, {"I3", 23}}},
      {"mcc", {{"N", 1}, {"P", 3}, {"Q", 5}, {"K", 9}, {"R", 2}, {"S", 3}, {"C", 2}}},
      {"histo", {{"E", 19}, {"B", 6}}},
      {"scan", {{"N", 23}}},
  };
  for (const Case& c : small) {
    const hl::Program program = program_of(c.program, c.sizes);
    const std::vector<scalar::Array> inputs = driver::random_inputs(program, 3);
    const auto found = sketches_of(program, 12);
    EXPECT_FALSE(found.empty()) << c.program;
    for (const search::EstimatedConfig& sketch : found) {
      SCOPED_TRACE(std::string(c.program) + " " + ll::print(sketch.config));
      const driver::Stages stages =
          driver::lower_all(program, gpu(), sketch.config, driver::find_target("cuda"), "kernel");
      const auto fused =
          test::reshaped(inputs, stages.low.computation, stages.low.computation.inputs);
      const auto outputs = loop::evaluate(stages.concrete, fused);
      test::expect_same(program, inputs, test::reshaped(outputs, program, program.outputs));
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(GridSketches, the_best_come_first_and_are_the_same_every_time) {
  for (const Case& c : {Case{"matmul", {{"I", 1021}, {"J", 509}, {"K", 64}}},
                        Case{"matvec", {{"I", 4096}, {"K", 4096}}}}) {
    const hl::Program program = program_of(c.program, c.sizes);
    const auto found = sketches_of(program, 8), again = sketches_of(program, 8);
    ASSERT_EQ(found.size(), 8U);
    for (size_t n = 0; n < found.size(); ++n) {
      EXPECT_EQ(found[n].config, again[n].config);
      EXPECT_NEAR(found[n].cost, estimate(program, found[n].config), 1e-6 * found[n].cost);
      EXPECT_GE(found[n].cost, found[n == 0 ? 0 : n - 1].cost);
    }
    EXPECT_LE(found.front().cost, estimate(program, *ll::grid_config(program, gpu())));
  }
}

TEST(GridSketches, open_sizes_and_single_points_have_none) {
  const hl::Program point =
      hl::instantiate(hl::parse("mdh 1\nprogram one = out_view( y: f32 = [] ) * md_hom() { y = x; }"
                                " * inp_view( x: f32 = [] )"),
                      {});
  EXPECT_TRUE(sketches_of(point, 4).empty());
}

// ---- estimates

struct Measured {
  const char* config;  // of bench/configs/sm_90
  double us;           // on an H200 (docs/performance.md)
};

const std::vector<Measured> measured = {
    {"matmul_1024", 49.8},
    {"matmul_1021", 64.4},
    {"matmul_37x1009x509", 5.58},
    {"matmul_40x1024x512", 4.73},
    {"matmul_16x4096x25088", 131},
    {"matmul_1x4096x25088", 101},
    {"matmul_16x1000x2048", 6.95},
    {"matmul_1x1000x2048", 3.08},
    {"bmatmul", 2.20},
    {"matvec_4096", 16.3},
    {"matvec_8192", 59.9},
    {"dot", 32.5},
    {"dot_10m", 20.3},
    {"conv2d_4096", 35.5},
    {"conv2d_4093", 44.1},
    {"mcc_512", 12.0},
    {"mcc_vgg", 6.48},
    {"mcc_vgg_16", 75.9},
    {"mcc_resnet", 8.56},
    {"mcc_resnet_16", 99.3},
    {"mcc_mobilenet", 2.11},
    {"mcc_mobilenet_16", 12.3},
    {"capsule_vgg_16", 4172},
    {"capsule_resnet_16", 5605},
    {"capsule_mobilenet_16", 580},
    {"ccsdt_gdab_efgc", 52.1},
    {"ccsdt_gfbc_dega", 53.6},
    {"jacobi3d_256", 39.1},
    {"jacobi3d_509", 334},
    {"mbbs", 19.5},
};

ll::Config read_config(const std::string& folder, const std::string& name) {
  const std::string file = std::string(MDH_SOURCE_DIR) + "/" + folder + "/" + name + ".json";
  return ll::parse_config(read_file(file), file);
}

ll::Config stored(const std::string& name) { return read_config("bench/configs/sm_90", name); }

TEST(GridEstimates, are_near_what_was_measured) {
  double sum = 0, squares = 0;
  for (const Measured& row : measured) {
    SCOPED_TRACE(row.config);
    const ll::Config config = stored(row.config);
    const double ratio = estimate(program_of(config.program, config.sizes), config) / 1e3 / row.us;
    EXPECT_GT(ratio, 0.7);
    EXPECT_LT(ratio, 1.6);
    sum += std::log(ratio);
    squares += std::log(ratio) * std::log(ratio);
  }
  const double count = static_cast<double>(measured.size());
  EXPECT_NEAR(std::exp(sum / count), 1.1, 0.1);
  EXPECT_LT(std::exp(std::sqrt(squares / count)), 1.3) << "factor by which one is typically wrong";
}

/// Rules of thumb against what was found by hand: the order of their times, where they were measured
/// to be far apart.
TEST(GridEstimates, tell_fast_from_slow) {
  for (const Measured& usual : std::vector<Measured>{{"matmul_1024", 75},
                                                     {"matmul_16x1000x2048", 13.3},
                                                     {"mcc_resnet", 16.2},
                                                     {"mcc_resnet_16", 163},
                                                     {"mcc_vgg_16", 109},
                                                     {"mcc_512", 64.3},
                                                     {"bmatmul", 3.9}}) {
    SCOPED_TRACE(usual.config);
    const ll::Config config = stored(usual.config);
    const hl::Program program = program_of(config.program, config.sizes);
    const double slow = estimate(program, *ll::grid_config(program, gpu()));
    EXPECT_GT(slow, 1.1 * estimate(program, config));
    EXPECT_GT(slow / 1e3 / usual.us, 0.6);
    EXPECT_LT(slow / 1e3 / usual.us, 1.5);
  }
}

/// Configurations that estimates once took for the fastest ones, and were not: they read few numbers
/// at a time, copy in turns with computing, run loops of f one after the other, take a record for a
/// register, are more code than there is room for, ask for a line of the cache too often, write pieces
/// of sectors, keep arrays in memory, or wait for every single number at an edge. How slow they are is
/// not known well, only that they are.
struct Slow {
  const char* config;   // of tests/spaces/slow_configs
  double us, usual_us;  // on an H200: its own, and that of rules of thumb
  const char* found;    // by hand, and not slower than rules of thumb: of bench/configs/sm_90
};

const std::vector<Slow> slow_ones = {
    {"jacobi3d_256", 172.9, 44.65, "jacobi3d_256"},
    {"jacobi3d_512", 575.5, 347.5, "jacobi3d_512"},
    {"jacobi3d_509", 714, 355.9, "jacobi3d_509"},
    {"mandelbrot_1024", 2112, 222.4, "mandelbrot"},
    {"mandelbrot_4096", 4079, 2379, nullptr},
    {"prl_32768", 20760, 1778, nullptr},
    {"bmatmul", 5.67, 2.98, "bmatmul"},
    {"matmul_1024", 118.8, 73.0, "matmul_1024"},
    {"matmul_1021", 313.8, 81.6, "matmul_1021"},
    {"matmul_37x1009x509", 35.0, 11.6, "matmul_37x1009x509"},
    {"mcc_vgg_16", 681, 109, "mcc_vgg_16"},
    {"ccsdt_gfbc_dega", 229.6, 81.5, "ccsdt_gfbc_dega"},
    {"ccsdt_geab_dfgc", 400.5, 152, "ccsdt_geab_dfgc"},
};

TEST(GridEstimates, know_what_is_slow) {
  for (const Slow& row : slow_ones) {
    SCOPED_TRACE(row.config);
    const ll::Config config = read_config("tests/spaces/slow_configs", row.config);
    const hl::Program program = program_of(config.program, config.sizes);
    const double slow = estimate(program, config) / 1e3;
    const double usual = estimate(program, *ll::grid_config(program, gpu())) / 1e3;
    EXPECT_GT(slow, usual) << row.us << " and " << row.usual_us << " us measured";
    if (row.found != nullptr) {
      EXPECT_LE(estimate(program, stored(row.found)) / 1e3, usual * (1 + 1e-9));
    }
    EXPECT_GT(usual / row.usual_us, 0.6);
    EXPECT_LT(usual / row.usual_us, 2.6) << "of records, conditions leave out more than is known";
    EXPECT_GT(slow / row.us, 0.4);
    EXPECT_LT(slow / row.us, 3);
  }
}

/// What is chosen without tuning is estimated to be about as fast as what was found by hand.
TEST(GridEstimates, choose_nothing_that_is_known_to_be_slow) {
  for (const Slow& row : slow_ones) {
    SCOPED_TRACE(row.config);
    const ll::Config config = read_config("tests/spaces/slow_configs", row.config);
    const hl::Program program = program_of(config.program, config.sizes);
    const auto best = sketches_of(program, 1);
    ASSERT_FALSE(best.empty());
    EXPECT_LT(best.front().cost, 0.8 * estimate(program, config));
    EXPECT_FALSE(best.front().config.split == config.split);
  }
}

}  // namespace
}  // namespace mdh::grid_sketches_test
