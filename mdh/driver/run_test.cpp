#include "mdh/driver/run.h"

#include <gtest/gtest.h>

#include "mdh/driver/data.h"
#include "mdh/hl/analysis.h"
#include "mdh/ll/shared_test_programs.h"
#include "mdh/runtime/testing.h"
#include "mdh/support/testing.h"

namespace mdh::driver::run_test {
namespace {

using runtime::sabotaged_compiler;
using runtime::ScopedEnvironment;

const machine::Machine& cpu() { return machine::find_machine("cpu"); }

RunOptions options_for(const hl::Program& p, const std::string& target, int threads = 1) {
  RunOptions options;
  options.target = &find_target(target);
  options.machine = cpu();
  options.config = ll::default_config(p, cpu(), threads);
  options.threads = threads;
  return options;
}

/// The report on a program whose printed source a sed command changes before it is compiled.
RunReport run_sabotaged(const hl::Program& p, const std::string& sed) {
  const runtime::Script compiler = sabotaged_compiler(sed);
  const ScopedEnvironment cc("MDH_CC", compiler.path());
  return run(p, options_for(p, "openmp"));
}

// ---- compiled targets

TEST(Run, right_result_is_verified_and_timed) {
  const hl::Program p = matvec(Scalar::f32, 7, 13);
  const RunReport report = run(p, options_for(p, "openmp", 2));
  EXPECT_TRUE(report.verification.right) << report.verification.complaint;
  EXPECT_EQ(report.verification.coverage, Coverage::full);
  EXPECT_GE(report.timing.count, 5);
  EXPECT_GT(report.timing.median_us, 0);
  EXPECT_EQ(report.plain_ratio, 0) << "nobody asked for a comparison";
  // 91 products and 84 sums; 7 + 91 + 13 numbers of four bytes.
  EXPECT_NEAR(report.gflops, 175 / (report.timing.median_us * 1e3), 1e-9);
  EXPECT_NEAR(report.gbs, 444 / (report.timing.median_us * 1e3), 1e-9);
}

TEST(Run, sabotage_that_changes_nothing_is_no_sabotage) {
  const RunReport report = run_sabotaged(matvec(Scalar::f32, 7, 13), "s/M_in/M_in/");
  EXPECT_TRUE(report.verification.right) << report.verification.complaint;
}

TEST(Run, wrong_operation_in_the_source_is_found_and_not_timed) {
  const RunReport report =
      run_sabotaged(matvec(Scalar::f32, 7, 13), "s/M_in \\* v_in/M_in + v_in/");
  EXPECT_FALSE(report.verification.right);
  EXPECT_EQ(report.verification.complaint.find("element 0 of output 'w' is "), 0u)
      << report.verification.complaint;
  EXPECT_EQ(report.timing.count, 0);
  EXPECT_EQ(report.gflops, 0);
}

TEST(Run, single_wrong_element_is_found) {
  const RunReport report = run_sabotaged(matvec(Scalar::i32, 7, 13),
                                         "s/run_matvec(buffers.*;/&((int *)buffers[0])[3] += 1;/");
  EXPECT_FALSE(report.verification.right);
  EXPECT_EQ(report.verification.complaint.find("element 3 of output 'w' is "), 0u)
      << report.verification.complaint;
}

TEST(Run, element_that_is_never_written_is_found) {
  const RunReport report = run_sabotaged(matvec(Scalar::f32, 7, 13), "s/l1_i = 0/l1_i = 1/");
  EXPECT_FALSE(report.verification.right);
  EXPECT_EQ(report.verification.complaint, "element 0 of output 'w' was not written");
}

TEST(Run, accumulation_on_what_was_in_memory_before_is_found) {
  const RunReport report =
      run_sabotaged(matvec(Scalar::f32, 7, 13), "s/w\\[i_\\] = w_f_/w[i_] += w_f_/");
  EXPECT_FALSE(report.verification.right);
}

TEST(Run, element_that_should_not_be_written_is_found) {
  const hl::Program p = map(Scalar::f32, 9, "x", 2);
  EXPECT_TRUE(run(p, options_for(p, "openmp")).verification.right);
  const RunReport report = run_sabotaged(p, "s/run_map(buffers.*;/&((float *)buffers[0])[3] = 1;/");
  EXPECT_FALSE(report.verification.right);
  EXPECT_EQ(report.verification.complaint,
            "element 3 of output 'y' was written, but no access is to it");
  EXPECT_EQ(report.timing.count, 0);
}

/// As many elements as should be, but not the right ones.
TEST(Run, element_that_is_written_instead_of_another_one_is_found) {
  const hl::Program p = map(Scalar::f32, 9, "x", 2);
  const RunReport report = run_sabotaged(
      p,
      "s/run_map(buffers.*;/float old = ((float *)buffers[0])[4]; &((float *)buffers[0])[3] = 1; "
      "((float *)buffers[0])[4] = old;/");
  EXPECT_FALSE(report.verification.right);
  EXPECT_EQ(report.verification.complaint,
            "element 3 of output 'y' was written, but no access is to it");
}

TEST(Run, progress_names_the_steps_in_order) {
  const hl::Program p = sum(Scalar::f32, 10);
  RunOptions options = options_for(p, "openmp");
  std::vector<std::string> steps;
  options.progress = [&](const std::string& step) { steps.push_back(step); };
  run(p, options);
  EXPECT_EQ(steps, (std::vector<std::string>{"lowering, printing and compiling", "computing",
                                             "verifying", "verifying the twin",
                                             "verifying on few whole numbers", "timing"}));
}

TEST(Run, comparison_times_the_plain_loop_as_well) {
  const hl::Program p = sum(Scalar::f32, 1000);
  RunOptions options = options_for(p, "openmp");
  int calls = 0;
  options.plain = [&](std::span<void* const>) { ++calls; };
  EXPECT_EQ(run(p, options).plain_ratio, 0);
  EXPECT_EQ(calls, 0);
  options.compare = true;
  EXPECT_GT(run(p, options).plain_ratio, 0);
  EXPECT_GT(calls, 0);
}

TEST(Run, output_that_is_not_injective_is_for_the_reference_only) {
  const hl::Program p = hl::parse(
      "mdh 1\nprogram overlap = out_view( y: i32 = [i + j] )"
      " * md_hom( i: 3 by cc, j: 2 by cc ) { y = 1; } * inp_view( )");
  const Diagnostic d = diagnostic_of([&] { run(p, options_for(p, "openmp")); });
  EXPECT_EQ(d.kind, DiagnosticKind::unsupported);
  EXPECT_EQ(d.code, "E502");
  EXPECT_TRUE(run(p, options_for(p, "reference")).verification.right);
}

// ---- in a worker

TEST(RunInWorker, result_is_verified_and_timed_as_in_this_process) {
  runtime::Worker worker({.program = MDH_WORKER_FILE});
  const hl::Program p = matvec(Scalar::f32, 7, 13);
  RunOptions options = options_for(p, "openmp", 2);
  const RunReport here = run(p, options);
  options.worker = &worker;
  options.compare = true;
  options.plain = [](std::span<void* const>) {};
  const RunReport there = run(p, options);
  EXPECT_NE(worker.process(), 0);
  EXPECT_TRUE(there.verification.right) << there.verification.complaint;
  EXPECT_EQ(there.verification.coverage, Coverage::full);
  EXPECT_EQ(there.verification.thinned.coverage, Coverage::full);
  EXPECT_EQ(there.outputs, here.outputs);
  EXPECT_GE(there.timing.count, 5);
  EXPECT_GT(there.gflops, 0);
  EXPECT_GT(there.plain_ratio, 0);
}

TEST(RunInWorker, wrong_results_are_found) {
  const runtime::Script compiler =
      sabotaged_compiler("s/run_matvec(buffers.*;/&((int *)buffers[0])[3] += 1;/");
  const ScopedEnvironment cc("MDH_CC", compiler.path());
  runtime::Worker worker({.program = MDH_WORKER_FILE});
  const hl::Program p = matvec(Scalar::i32, 7, 13);
  RunOptions options = options_for(p, "openmp");
  options.worker = &worker;
  const RunReport report = run(p, options);
  EXPECT_FALSE(report.verification.right);
  EXPECT_EQ(report.timing.count, 0);
}

TEST(RunInWorker, crash_is_an_error_and_the_next_program_runs) {
  runtime::Worker worker({.program = MDH_WORKER_FILE});
  const hl::Program p = matvec(Scalar::f32, 7, 13);
  RunOptions options = options_for(p, "openmp");
  options.worker = &worker;
  {
    const runtime::Script compiler =
        sabotaged_compiler("s/run_matvec(buffers.*;/*(volatile int *)16 = 1;/");
    const ScopedEnvironment cc("MDH_CC", compiler.path());
    EXPECT_EQ(diagnostic_of([&] { run(p, options); }).code, "E609");
  }
  EXPECT_TRUE(run(p, options).verification.right);
}

// ---- the reference

void plain_sum(std::span<void* const> buffers, int count) {
  const auto* x = static_cast<const int32_t*>(buffers[1]);
  auto* s = static_cast<int32_t*>(buffers[0]);
  *s = 0;
  for (int k = 0; k < count; ++k) *s += x[k];
}

TEST(RunReference, without_a_plain_loop_nothing_is_verified) {
  const hl::Program p = sum(Scalar::i32, 10);
  const RunReport report = run(p, options_for(p, "reference"));
  EXPECT_TRUE(report.verification.right);
  EXPECT_EQ(report.verification.coverage, Coverage::none);
  EXPECT_GE(report.timing.count, 1);
  EXPECT_GT(report.gflops, 0);
}

TEST(RunReference, plain_loop_that_agrees_verifies_it) {
  const hl::Program p = sum(Scalar::i32, 10);
  RunOptions options = options_for(p, "reference");
  options.plain = [](auto buffers) { plain_sum(buffers, 10); };
  const RunReport report = run(p, options);
  EXPECT_TRUE(report.verification.right) << report.verification.complaint;
  EXPECT_EQ(report.verification.coverage, Coverage::full);
}

TEST(RunReference, plain_loop_that_disagrees_is_reported) {
  const hl::Program p = sum(Scalar::i32, 10);
  RunOptions options = options_for(p, "reference");
  options.plain = [](auto buffers) {
    plain_sum(buffers, 10);
    ++*static_cast<int32_t*>(buffers[0]);
  };
  EXPECT_FALSE(run(p, options).verification.right);
  options.plain = [](auto) {};
  EXPECT_EQ(run(p, options).verification.complaint, "element 0 of output 's' was not written");
}

// ---- poisoned outputs

TEST(RunPoisoned, elements_between_those_of_a_strided_output_come_back_undefined) {
  const hl::Program p = map(Scalar::f32, 5, "x + 1.0", 2);
  const std::vector<Array> inputs = random_inputs(p, 1);
  const Executable executable =
      compile(p, cpu(), ll::default_config(p, cpu(), 2), find_target("openmp"));
  const Array y = run_poisoned(executable, inputs, 2).at(0);
  EXPECT_EQ(y.extents, scalar::Extents{9});
  EXPECT_EQ(y.defined, (std::vector<uint8_t>{1, 0, 1, 0, 1, 0, 1, 0, 1}));
  const std::vector<float> x = numbers<float>(inputs[0]), all = numbers<float>(y);
  for (size_t i = 0; i < 5; ++i) EXPECT_EQ(all[2 * i], x[i] + 1);
}

/// A hand-made kernel that writes all elements but one.
TEST(RunPoisoned, element_that_a_kernel_leaves_out_comes_back_undefined) {
  for (const Scalar type : {Scalar::i8, Scalar::f32, Scalar::i64}) {
    const hl::Program p = map(type, 4, "x");
    Stages stages =
        lower_all(p, cpu(), ll::default_config(p, cpu(), 1), find_target("openmp"), "f");
    const int bytes = scalar::bytes_of(type);
    stages.module.source = fmt::format(
        "void f_entry(void **b, char *workspace, long threads) {{\n"
        "  for (int n = 0; n < 4; ++n) if (n != 2)\n"
        "    __builtin_memcpy((char *)b[0] + n * {0}, (char *)b[1] + n * {0}, {0}); }}",
        bytes);
    const auto here = usual_target().runtime->open("");
    const auto kernels = here->load({&stages.module, 1});
    const std::vector<Array> inputs = random_inputs(p, 1);
    const Array y = run_poisoned({stages, here, kernels.front()}, inputs, 1).at(0);
    EXPECT_EQ(y.defined, (std::vector<uint8_t>{1, 1, 0, 1})) << to_string(type);
    EXPECT_EQ(y.cells[3], inputs[0].cells[3]);
    EXPECT_FALSE(verify_outputs(p, inputs, {y}, {}).right);
  }
}

}  // namespace
}  // namespace mdh::driver::run_test
