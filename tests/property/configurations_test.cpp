// The central property: every valid configuration computes the same function.
//
// Random programs, machines and configurations go through all evaluators and the compiler; integers
// must be equal, floats within the bound of any order of combination, and a provenance evaluation
// must find every point exactly once.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "mdh/driver/data.h"
#include "mdh/driver/run.h"
#include "mdh/hl/evaluate.h"
#include "mdh/hl/parse.h"
#include "mdh/hl/print.h"
#include "mdh/ll/evaluate.h"
#include "mdh/ll/parse.h"
#include "mdh/ll/print.h"
#include "mdh/loop/evaluate.h"
#include "mdh/loop/parse.h"
#include "mdh/loop/print.h"
#include "mdh/passes/lower/lower.h"
#include "mdh/passes/pipeline.h"
#include "mdh/passes/plan/plan.h"
#include "mdh/runtime/host/runtime.h"
#include "tests/property/generator.h"

namespace mdh::test::configurations_test {
namespace {

using scalar::Array;

constexpr int batch = 25;

struct Case {
  uint64_t seed;
  hl::Program program;
  machine::Machine machine;
  ll::Config config;
  std::vector<Array> inputs;
};

Case make_case(uint64_t seed) {
  Random random(seed);
  hl::Program program = random_program(random);
  const machine::Machine& machine = random_machine(random);
  ll::Config config = random_config(program, machine, random);
  std::vector<Array> inputs = driver::random_inputs(program, seed);
  return {seed, std::move(program), machine, std::move(config), std::move(inputs)};
}

std::string describe(const Case& c) {
  return fmt::format("seed {}\n{}{}", c.seed, hl::print(c.program), ll::print(c.config));
}

/// Integers equal; floats within the bound for any order of combination.
void expect_right(const Case& c, const std::vector<Array>& outputs, const std::string& stage) {
  const int64_t depth =
      driver::rounding_depth(passes::lower(c.program, c.machine, c.config), c.machine);
  const driver::Verification v =
      driver::verify_outputs(c.program, c.inputs, outputs, {.depth = depth});
  ASSERT_TRUE(v.right) << stage << ": " << v.complaint;
  const std::vector<Array> expected = hl::evaluate(c.program, c.inputs);
  for (size_t b = 0; b < expected.size(); ++b) {
    ASSERT_EQ(outputs[b].defined, expected[b].defined) << stage << ": other elements are written";
  }
}

/// Every result is made of exactly the points that share its concatenated indices.
void expect_each_point_once(const Case& c, scalar::ProvenanceAlgebra& algebra,
                            const std::vector<Array>& outputs, const std::string& stage) {
  const std::vector<int64_t> sizes = hl::sizes(c.program);
  for (const hl::Component& component : hl::components(c.program.outputs)) {
    std::vector<std::vector<int64_t>> expected(outputs[component.buffer].cells.size());
    const hl::BufferView& view = c.program.outputs[component.buffer];
    std::vector<hl::Affine> index;
    for (const scalar::Expr& axis : view.accesses[component.access].index) {
      index.push_back(hl::find_affine(c.program, axis).value());
    }
    std::vector<int64_t> point(sizes.size(), 0);
    for (int64_t n = 0; n < scalar::volume(sizes); ++n) {
      int64_t rest = n;
      for (size_t d = sizes.size(); d-- > 0; rest /= sizes[d]) point[d] = rest % sizes[d];
      std::vector<int64_t> reduced = point, element;
      for (size_t d = 0; d < sizes.size(); ++d) {
        if (hl::is_reduced(c.program.dimensions[d])) reduced[d] = 0;
      }
      for (const hl::Affine& axis : index) element.push_back(axis.at(reduced));
      expected[scalar::address(outputs[component.buffer].extents, element)].push_back(n);
    }
    for (size_t n = 0; n < expected.size(); ++n) {
      if (outputs[component.buffer].defined[n] == 0) {
        ASSERT_TRUE(expected[n].empty()) << stage;
        continue;
      }
      ASSERT_EQ(algebra.points(outputs[component.buffer].cells[n]), expected[n]) << stage;
    }
  }
}

void expect_evaluators_agree(const Case& c) {
  const ll::Program low = passes::lower(c.program, c.machine, c.config);
  expect_right(c, ll::evaluate(low, c.inputs), "low level");
  const loop::Program structured = passes::plan(low, c.machine);
  expect_right(c, loop::evaluate(structured, c.inputs, c.seed), "structured loops");
  bool runs = true;
  const loop::Program concrete =
      passes::run_pipeline(structured, {}, [&](const passes::Pass& pass, const loop::Program& p) {
        // Between the Deals and the barriers there are races.
        runs = (runs && pass.name != "form-teams") || pass.name == "barriers";
        if (runs) expect_right(c, loop::evaluate(p, c.inputs, c.seed + 1), pass.name);
        ASSERT_EQ(loop::parse(loop::print(p)), p) << pass.name;
      });
  expect_right(c, loop::evaluate(concrete, c.inputs, c.seed + 2), "concrete loops");

  const auto components = static_cast<int>(hl::components(c.program.outputs).size());
  scalar::ProvenanceAlgebra provenance(hl::sizes(c.program), components);
  expect_each_point_once(c, provenance, hl::evaluate(c.program, c.inputs, provenance),
                         "high level");
  expect_each_point_once(c, provenance, ll::evaluate(low, c.inputs, provenance), "low level");
  expect_each_point_once(c, provenance, loop::evaluate(concrete, c.inputs, provenance), "loops");
}

void expect_texts_round_trip(const Case& c) {
  ASSERT_EQ(hl::parse(hl::print(c.program)), c.program);
  ASSERT_EQ(ll::parse_config(ll::print(c.config)), c.config);
  const ll::Program low = passes::lower(c.program, c.machine, c.config);
  ASSERT_EQ(ll::parse(ll::print(low)), low);
  const loop::Program structured = passes::plan(low, c.machine);
  ASSERT_EQ(loop::parse(loop::print(structured)), structured);
}

/// One batch of cases in one translation unit, each run with a number of threads of its own.
void expect_compiled_code_agrees(const std::vector<Case>& cases) {
  std::vector<driver::Stages> stages;
  std::vector<kernel::Module> modules;
  for (const Case& c : cases) {
    stages.push_back(driver::lower_all(c.program, c.machine, c.config,
                                       driver::find_target("openmp"),
                                       fmt::format("case_{}", c.seed)));
    modules.push_back(stages.back().module);
  }
  runtime::host::Compiler compiler = runtime::host::find_compiler();
  compiler.flags = {"-O1"};
  const auto kernels = runtime::host::load(modules, compiler);
  for (size_t n = 0; n < cases.size(); ++n) {
    SCOPED_TRACE(describe(cases[n]));
    const driver::Executable executable(stages[n], runtime::host::runtime().open(""),
                                        runtime::host::as_loaded(kernels[n]));
    const int threads = 1 + static_cast<int>(cases[n].seed % 5);
    expect_right(cases[n], driver::run_poisoned(executable, cases[n].inputs, threads),
                 fmt::format("compiled, {} threads", threads));
  }
}

int case_count() {
  const char* wished = std::getenv("MDH_CASES");
#ifdef __SANITIZE_ADDRESS__
  constexpr int usual = 40;
#else
  constexpr int usual = 300;
#endif
  return wished == nullptr ? usual : std::atoi(wished);
}

bool is_temporary(const loop::Buffer& b) { return b.role == loop::Role::temporary; }

TEST(Configurations, all_evaluators_and_the_compiled_code_compute_the_same_function) {
  std::vector<Case> pending;
  int slotted = 0, padded = 0;
  for (int n = 0; n < case_count(); ++n) {
    Case c = make_case(static_cast<uint64_t>(n) + 1);
    SCOPED_TRACE(describe(c));
    expect_texts_round_trip(c);
    expect_evaluators_agree(c);
    const auto structured = passes::plan(passes::lower(c.program, c.machine, c.config), c.machine);
    slotted += std::any_of(structured.buffers.begin(), structured.buffers.end(), is_temporary);
    int64_t parts = 1;
    for (const auto& [dimension, digits] : c.config.split) {
      for (const ll::Digit& d : digits) parts *= d.parts;
    }
    padded += parts > hl::points(c.program) ? 1 : 0;
    pending.push_back(std::move(c));
    if (pending.size() == batch || n + 1 == case_count()) {
      expect_compiled_code_agrees(pending);
      pending.clear();
    }
    if (HasFatalFailure()) return;
  }
  // The generator reaches what is hard: reductions over cores and padded partitions.
  EXPECT_GE(slotted, case_count() / 10);
  EXPECT_GE(padded, case_count() / 10);
}

}  // namespace
}  // namespace mdh::test::configurations_test
