#include "mdh/driver/stages.h"

#include <gtest/gtest.h>

#include <thread>

#include "mdh/driver/executable.h"
#include "mdh/driver/run.h"
#include "mdh/ll/shared_test_programs.h"
#include "mdh/passes/lower/lower.h"
#include "mdh/support/testing.h"

namespace mdh::driver::stages_test {
namespace {

const machine::Machine& artificial() { return machine::find_machine("artificial"); }
const machine::Machine& cpu() { return machine::find_machine("cpu"); }

int64_t depth_with(const hl::Program& p, const machine::Machine& machine,
                   const std::string& lines) {
  return rounding_depth(passes::lower(p, machine, config_of(lines)), machine);
}

TEST(Stages, every_stage_is_of_the_same_computation) {
  const hl::Program p = matvec(Scalar::f32, 7, 13);
  const Stages stages =
      lower_all(p, cpu(), ll::default_config(p, cpu(), 2), find_target("openmp"), "my_kernel");
  EXPECT_EQ(stages.low.computation, p);
  EXPECT_FALSE(loop::is_concrete(stages.structured));
  EXPECT_TRUE(loop::is_concrete(stages.concrete));
  EXPECT_EQ(stages.module.name, "my_kernel");
  EXPECT_NE(stages.module.source.find("void my_kernel"), std::string::npos);
  ASSERT_EQ(stages.module.arguments.size(), 3u);
  EXPECT_EQ(stages.module.arguments[0].name, "w");
  EXPECT_TRUE(stages.module.arguments[0].is_output);
  EXPECT_EQ(stages.module.arguments[1].extents, (std::vector<int64_t>{7, 13}));
  EXPECT_EQ(stages.module.arguments[1].bytes(), 7 * 13 * 4);
  EXPECT_EQ(stages.module.parts_on_cores, 2);
}

TEST(Stages, invalid_configuration_is_refused) {
  const hl::Program p = matvec(Scalar::f32, 7, 13);
  const ll::Config config = config_of(
      R"("layers": ["L1"], "split": {"i": ["L1 7"], "k": ["L1 12"]}, "order": ["L1.i", "L1.k"])");
  EXPECT_EQ(diagnostic_of([&] { lower_all(p, cpu(), config, find_target("openmp"), "f"); }).message,
            "split.k: 12 parts do not cover the size 13 (full partitioning)");
}

TEST(Stages, target_that_prints_nothing_has_no_module) {
  const hl::Program p = sum(Scalar::f32, 5);
  const Diagnostic d = diagnostic_of(
      [&] { lower_all(p, cpu(), ll::default_config(p, cpu(), 1), find_target("reference"), "f"); });
  EXPECT_EQ(d.kind, DiagnosticKind::internal);
  EXPECT_EQ(d.message.find("target 'reference' prints no source"), 0u) << d.message;
}

// ---- roundings, counted by hand

TEST(RoundingDepth, one_loop_adds_one_term_after_the_other) {
  // 13 products are added up: 12 sums after one product.
  EXPECT_EQ(depth_with(matvec(Scalar::f32, 7, 13), cpu(),
                       R"("layers": ["L1"], "split": {"i": ["L1 7"], "k": ["L1 13"]},
                          "order": ["L1.i", "L1.k"])"),
            1 + 12);
}

TEST(RoundingDepth, computation_without_reduction_rounds_in_f_alone) {
  EXPECT_EQ(depth_with(map(Scalar::f32, 100, "x * x + 1.0"), cpu(),
                       R"("layers": ["COR", "L1"], "split": {"i": ["COR 10", "L1 10"]},
                          "order": ["COR.i", "L1.i"])"),
            2);
}

TEST(RoundingDepth, loops_that_share_an_accumulator_multiply) {
  // One element of the output takes in all 24 terms.
  const hl::Program p = sum(Scalar::f32, 24);
  EXPECT_EQ(depth_with(p, cpu(), R"("layers": ["MM", "L1"], "split": {"k": ["MM 4", "L1 6"]},
                                    "order": ["MM.k", "L1.k"])"),
            23);
  EXPECT_EQ(depth_with(p, cpu(), R"("layers": ["L1", "REG", "SIMD"],
                                    "split": {"k": ["L1 6", "REG 2", "SIMD 2"]},
                                    "order": ["L1.k", "REG.k", "SIMD.k"])"),
            23);
}

TEST(RoundingDepth, every_core_has_an_accumulator_of_its_own) {
  const hl::Program p = sum(Scalar::f32, 24);
  // Each of 4 cores adds 6 terms; then 4 partial sums are added.
  EXPECT_EQ(depth_with(p, cpu(), R"("layers": ["COR", "L1"], "split": {"k": ["COR 4", "L1 6"]},
                                    "order": ["COR.k", "L1.k"])"),
            5 + 3);
  // 2 times: each of 3 cores adds 4 terms, and 3 partial sums go into the output, 6 in all.
  EXPECT_EQ(depth_with(p, artificial(), R"("layers": ["HM", "COR", "L1"],
                                           "split": {"k": ["HM 2", "COR 3", "L1 4"]},
                                           "order": ["HM.k", "COR.k", "L1.k"])"),
            3 + 5);
}

TEST(RoundingDepth, reduced_dimensions_count_together) {
  const hl::Program p = hl::parse(
      "mdh 1\nprogram all = out_view( s: f32 = [] ) * md_hom( i: 4 by pw(add), j: 6 by pw(add) )"
      " { s = x; } * inp_view( x: f32 = [i, j] )");
  EXPECT_EQ(depth_with(p, cpu(), R"("layers": ["L1"], "split": {"i": ["L1 4"], "j": ["L1 6"]},
                                    "order": ["L1.i", "L1.j"])"),
            23);
}

TEST(RoundingDepth, padding_adds_nothing) {
  EXPECT_EQ(depth_with(sum(Scalar::f32, 5), cpu(),
                       R"("layers": ["MM", "L1"], "split": {"k": ["MM 1000000", "L1 1000000"]},
                          "order": ["MM.k", "L1.k"])"),
            4);
}

/// Equal terms whose rounding errors all point the same way, on compiled code.
TEST(RoundingDepth, admits_what_the_compiled_code_does) {
  constexpr int64_t many = 1000000;
  const hl::Program p = sum(Scalar::f32, many);
  const std::vector<Array> inputs = {
      array_from(Scalar::f32, {many}, std::vector<float>(many, 0.1F))};
  const Executable executable =
      compile(p, cpu(), config_of(R"("layers": ["MM", "L1"], "split": {"k": ["MM 1000", "L1 1000"]},
                                     "order": ["MM.k", "L1.k"])"),
              find_target("openmp"));
  const std::vector<Array> outputs = run_poisoned(executable, inputs, 1);
  const Verification v =
      verify_outputs(p, inputs, outputs, {.depth = rounding_depth(executable.stages().low, cpu())});
  EXPECT_TRUE(v.right) << v.complaint;
  EXPECT_GT(v.max_error, 500) << "the example is a bad one";
}

}  // namespace
}  // namespace mdh::driver::stages_test
