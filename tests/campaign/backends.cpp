#include "tests/campaign/backends.h"

#include "mdh/driver/data.h"
#include "mdh/driver/memory.h"
#include "mdh/driver/stages.h"
#include "mdh/hl/analysis.h"
#include "mdh/hl/print.h"
#include "mdh/loop/evaluate.h"
#include "mdh/passes/lower/lower.h"
#include "mdh/passes/pipeline.h"
#include "mdh/passes/plan/plan.h"
#include "mdh/runtime/opencl/kernel.h"
#include "mdh/runtime/opencl/testing_device.h"
#include "mdh/tuning/compiler_choice.h"
#include "tests/emulation/device.h"

namespace mdh::test {
namespace {

using scalar::Array;

std::vector<kernel::Module> modules_of(const std::vector<Prepared>& all) {
  std::vector<kernel::Module> modules;
  for (const Prepared& one : all) modules.push_back(one.module);
  return modules;
}

std::string ran(const Prepared& one, const driver::MemoryKernel& kernel) {
  try {
    driver::Memory memory(one.triple.program, one.inputs);
    return complaint(one.triple.program, one.inputs,
                     memory.run_poisoned(kernel, driver::bits_of(one.module)));
  } catch (const Error& e) {
    return e.diagnostic().message;
  }
}

}  // namespace

std::optional<Prepared> prepare(const Triple& triple, uint64_t seed, const std::string& target) {
  try {
    driver::Stages stages =
        driver::lower_all(triple.program, triple.machine, triple.config,
                          driver::find_target(target), fmt::format("case_{}", seed));
    return Prepared{seed, triple, std::move(stages.low), std::move(stages.module),
                    driver::random_inputs(triple.program, seed)};
  } catch (const Error& e) {
    if (e.diagnostic().kind == DiagnosticKind::unsupported) return std::nullopt;
    throw;
  }
}

/// A printed program tells which language it is in.
std::vector<std::string> emulated_targets() {
  const hl::Program dot = examples::find_entry("dot")->build({scalar::Scalar::f32, {8}});
  const auto device = emulation::device();
  std::vector<std::string> names;
  for (const driver::Target& target : driver::targets()) {
    if (!target.print) continue;
    const machine::Machine& machine = machine::find_machine(target.machine);
    const driver::Stages stages =
        driver::lower_all(dot, machine, ll::default_config(dot, machine, 1), target, "dot");
    if (device->takes(stages.module.language)) names.push_back(target.name);
  }
  return names;
}

std::vector<runtime::host::Compiler> compilers_of_run() {
  std::vector<runtime::host::Compiler> all = {{runtime::host::find_compiler().path, {"-O1"}}};
  std::vector<tuning::CompilerChoice> choices = tuning::compilers_here();
  choices.push_back(tuning::quick_compiler(choices));
  choices.push_back({});
  for (const tuning::CompilerChoice& choice : choices) {
    const kernel::Module asks{.compiler = choice.compiler, .flags = choice.flags};
    all.push_back(runtime::host::compiler_for(asks, runtime::Cache::of_user()));
  }
  return all;
}

std::vector<std::string> run_on_openmp(const std::vector<Prepared>& all,
                                       const runtime::host::Compiler& compiler) {
  const auto kernels = runtime::host::load(modules_of(all), compiler);
  std::vector<std::string> complaints;
  for (size_t n = 0; n < all.size(); ++n) {
    const int threads = 1 + static_cast<int>(all[n].seed % 5);
    complaints.push_back(ran(all[n], [&](auto buffers) { kernels[n](buffers, threads); }));
  }
  return complaints;
}

std::vector<std::string> run_on_opencl(const std::vector<Prepared>& all) {
  static const runtime::opencl::Context context(runtime::opencl::device_of_tests());
  const std::vector<kernel::Module> modules = modules_of(all);
  auto kernels = runtime::opencl::load(modules, context);
  std::vector<std::string> complaints;
  for (size_t n = 0; n < all.size(); ++n) {
    complaints.push_back(ran(all[n], [&](auto buffers) { kernels[n](buffers); }));
  }
  return complaints;
}

std::vector<std::string> run_on(const runtime::Device& device, const std::vector<Prepared>& all) {
  const runtime::LoadedKernels kernels = device.load(modules_of(all), runtime::Purpose::checks);
  std::vector<std::string> complaints;
  for (size_t n = 0; n < all.size(); ++n) {
    complaints.push_back(ran(all[n], [&](auto buffers) { kernels[n]->call(buffers, 1); }));
  }
  return complaints;
}

std::vector<std::string> run_sanitized(const std::vector<Prepared>& all,
                                       const Sanitizer& sanitizer) {
  const Standalone program(modules_of(all), sanitizer);
  std::vector<std::string> complaints;
  for (size_t n = 0; n < all.size(); ++n) {
    const int threads = 1 + static_cast<int>(all[n].seed % 4);
    std::string crash;
    const std::string wrong = ran(all[n], [&](auto buffers) {
      if (crash.empty()) crash = program.run(n, buffers, threads);
    });
    complaints.push_back(crash.empty() ? wrong : crash);
  }
  return complaints;
}

std::string run_evaluators(const Triple& triple, uint64_t seed) {
  const ll::Program low = passes::lower(triple.program, triple.machine, triple.config);
  const std::vector<Array> given = driver::random_inputs(triple.program, seed);
  const std::vector<Array> inputs = reshaped(given, low.computation, low.computation.inputs);
  const auto judged = [&](const loop::Program& p, const std::string& when) {
    const std::string wrong = complaint(
        triple.program, given,
        reshaped(loop::evaluate(p, inputs, seed), triple.program, triple.program.outputs));
    return wrong.empty() ? wrong : when + ": " + wrong;
  };
  std::string wrong;
  try {
    const loop::Program planned = passes::plan(low, triple.machine);
    wrong = judged(planned, "planned");
    const int64_t warp = seed % 3 == 0 ? 32 : seed % 3 == 1 ? 4 : 2;  // small, as programs are
    const machine::TargetFacts one{.teams = machine::Teams::one};
    const machine::TargetFacts groups{.teams = machine::Teams::nested,
                                      .access_bytes = 16,
                                      .lockstep = warp,
                                      .exchanges = true,
                                      .knows_last = true,
                                      .atomics = true,
                                      .follows = true,
                                      .most_that_meet = 8};
    for (const machine::TargetFacts& facts : {one, groups}) {
      passes::run_pipeline(planned, facts, [&](const passes::Pass& pass, const loop::Program& p) {
        // There are races until barriers are placed, and the evaluator notices them.
        const bool runs = pass.name == "barriers" || pass.name == "peel" || pass.name == "simplify";
        if (wrong.empty() && runs) wrong = judged(p, pass.name);
      });
    }
  } catch (const Error& e) {
    if (e.diagnostic().kind == DiagnosticKind::unsupported) return "";
    return e.diagnostic().message;
  }
  return wrong;
}

std::string describe(const Prepared& one) {
  return fmt::format("seed {}\n{}{}{}", one.seed, hl::print(one.triple.program),
                     ll::print(one.triple.config), one.module.source);
}

}  // namespace mdh::test
