// Sketches are configurations like others: valid, members of the search space, and right.
#include "mdh/search/sketches.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "examples/catalogue.h"
#include "mdh/driver/data.h"
#include "mdh/driver/stages.h"
#include "mdh/hl/instantiate.h"
#include "mdh/loop/evaluate.h"
#include "tests/property/triples.h"

namespace mdh::sketches_test {
namespace {

hl::Program program_of(const std::string& name, std::map<std::string, int64_t> sizes) {
  return hl::instantiate(examples::find_entry(name)->generic(), {.sizes = std::move(sizes)});
}

struct Case {
  const char* program;
  std::map<std::string, int64_t> sizes;
};

model::Rates rates(int cores) { return model::typical_rates(machine::find_machine("cpu"), cores); }

std::vector<search::EstimatedConfig> sketches_of(const hl::Program& program, size_t count,
                                                 int cores = 2) {
  return search::sketches(program, machine::find_machine("cpu"), rates(cores), count);
}

TEST(Sketches, every_one_computes_the_program) {
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
    const machine::Machine& machine = machine::find_machine("cpu");
    const std::vector<scalar::Array> inputs = driver::random_inputs(program, 3);
    const auto found = sketches_of(program, 12);
    EXPECT_FALSE(found.empty()) << c.program;
    for (const search::EstimatedConfig& sketch : found) {
      SCOPED_TRACE(std::string(c.program) + " " + ll::print(sketch.config));
      const driver::Stages stages = driver::lower_all(program, machine, sketch.config,
                                                      driver::find_target("openmp"), "kernel");
      const auto fused =
          test::reshaped(inputs, stages.low.computation, stages.low.computation.inputs);
      const auto outputs = loop::evaluate(stages.concrete, fused);
      test::expect_same(program, inputs, test::reshaped(outputs, program, program.outputs));
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(Sketches, are_members_of_the_search_space) {
  const std::vector<Case> cases = {
      {"matmul", {{"I", 37}, {"J", 1009}, {"K", 509}}},
      {"matmul", {{"I", 1024}, {"J", 1024}, {"K", 1024}}},
      {"matvec", {{"I", 5003}, {"K", 1999}}},
      {"conv2d", {{"P", 331}, {"Q", 173}, {"R", 3}, {"S", 3}}},
      {"jacobi3d", {{"I1", 97}, {"I2", 211}, {"I3", 301}}},
      {"dot", {{"K", 9999991}}},
  };
  for (const int cores : {1, 2, 16}) {
    for (const Case& c : cases) {
      const hl::Program program = program_of(c.program, c.sizes);
      const search::SearchSpace space(program, machine::find_machine("cpu"), {.cores = cores});
      for (const search::EstimatedConfig& sketch : sketches_of(program, 12, cores)) {
        EXPECT_TRUE(space.point(sketch.config).has_value())
            << c.program << " " << ll::print(sketch.config);
      }
    }
  }
}

TEST(Sketches, the_first_one_costs_least_and_no_two_are_the_same) {
  const auto found = sketches_of(program_of("matmul", {{"I", 300}, {"J", 200}, {"K", 100}}), 30);
  ASSERT_GT(found.size(), 10U);
  for (size_t n = 1; n < found.size(); ++n) {
    EXPECT_LE(found[n - 1].cost, found[n].cost);
    for (size_t m = 0; m < n; ++m) EXPECT_NE(found[n].config, found[m].config);
  }
}

bool splits(const ll::Config& config, const std::string& dimension, const std::string& layer) {
  const auto digits = config.split.find(dimension);
  return digits != config.split.end() &&
         std::any_of(digits->second.begin(), digits->second.end(),
                     [&](const ll::Digit& d) { return d.layer == layer && d.parts > 1; });
}

TEST(Sketches, lanes_lie_along_memory_and_results_in_registers) {
  const ll::Config matmul =
      sketches_of(program_of("matmul", {{"I", 512}, {"J", 512}, {"K", 512}}), 1).front().config;
  EXPECT_TRUE(splits(matmul, "j", "SIMD"));
  EXPECT_TRUE(splits(matmul, "i", "REG"));
  ASSERT_TRUE(matmul.acc.contains("C"));
  EXPECT_EQ(matmul.acc.at("C").back().region, "REG");
  const ll::Config matvec =
      sketches_of(program_of("matvec", {{"I", 4096}, {"K", 4096}}), 1).front().config;
  EXPECT_TRUE(splits(matvec, "k", "SIMD"));
  EXPECT_TRUE(splits(matvec, "i", "COR"));
}

TEST(Sketches, use_all_cores_also_where_one_dimension_is_too_short) {
  for (const int cores : {2, 8, 16}) {
    const ll::Config config =
        sketches_of(program_of("matmul", {{"I", 16}, {"J", 1000}, {"K", 2048}}), 1, cores)
            .front()
            .config;
    int64_t parts = 1;
    for (const auto& [dimension, digits] : config.split) {
      for (const ll::Digit& d : digits) parts *= d.layer == "COR" ? d.parts : 1;
    }
    EXPECT_GE(parts, cores) << ll::print(config);
  }
}

/// Large inputs that are read once, a few rows at a time: copying them would only add to the time. With
/// the whole reduction inside, where sketches begin, they would be walked across.
TEST(Sketches, few_rows_of_what_is_read_once_are_walked_along_without_a_copy) {
  model::Rates wide = rates(2);  // as measured on two cores of AVX-512
  wide.memories = {{"L1", 32 << 10},
                   {"L2", 1 << 20, 114, 0.5},
                   {"L3", 37486592, 25, 4, true},
                   {"memory", 0, 11.5, 14, true}};
  wide.memory_of_all = 20.5;
  wide.operation = 0.232;
  wide.load = 0.279;
  wide.instruction = 0.144;
  wide.copied = 0.095;
  wide.vector_bytes = 64;
  wide.broadcasts_lanes = false;
  const hl::Program program = program_of("matmul", {{"I", 16}, {"J", 4096}, {"K", 25088}});
  const auto found = search::sketches(program, machine::find_machine("cpu"), wide, 12);
  ASSERT_FALSE(found.empty());
  EXPECT_FALSE(found.front().config.stage.contains("B")) << ll::print(found.front().config);
}

TEST(Sketches, there_are_none_for_machines_of_other_kinds) {
  const hl::Program program = program_of("dot", {{"K", 1000}});
  const machine::Machine& machine = machine::find_machine("artificial");
  EXPECT_TRUE(search::sketches(program, machine, model::typical_rates(machine, 2), 4).empty());
}

}  // namespace
}  // namespace mdh::sketches_test
