#include "mdh/driver/run.h"

#include "mdh/driver/data.h"

namespace mdh::driver {
namespace {

using scalar::Array;

/// Exactly the elements that some access writes are written.
void check_written(const hl::Program& p, const std::vector<Array>& outputs, Verification& result) {
  for (size_t b = 0; b < outputs.size(); ++b) {
    int64_t written = 0;
    for (const uint8_t defined : outputs[b].defined) written += defined;
    const auto accesses = static_cast<int64_t>(p.outputs[b].accesses.size());
    const int64_t expected = scalar::volume(hl::result_sizes(p)) * accesses;
    if (written == expected || !result.right) continue;
    result.right = false;
    result.complaint = fmt::format("{} elements of output '{}' were written, expected {}", written,
                                   p.outputs[b].symbol.name, expected);
  }
}

void add_rates(const hl::Program& program, RunReport& report) {
  const double ns = report.timing.median_us * 1e3;
  if (ns <= 0) return;
  report.gflops = static_cast<double>(hl::operations(program)) / ns;
  report.gbs = static_cast<double>(hl::bytes(program)) / ns;
}

std::vector<int64_t> border_steps(const loop::Program& structured) {
  std::vector<int64_t> steps(structured.dimensions.size(), 0);
  for (const loop::Digit& digit : structured.digits) {
    int64_t& step = steps[digit.dimension];
    step = std::max(step, digit.step);
  }
  return steps;
}

/// Bounds for any order of combination are weak for long sums; where nothing rounds there is no
/// excuse at all.
void verify_exactly(const hl::Program& program, const MemoryKernel& kernel, uint64_t seed,
                    Verification& result) {
  const std::vector<Array> inputs = whole_inputs(program, seed);
  Memory memory(program, inputs);
  const Verification exact =
      verify_outputs(program, inputs, memory.run_poisoned(kernel), {.seed = seed, .whole = true});
  result.exact = exact.right;
  if (exact.right) return;
  result.right = false;
  result.complaint = "on whole numbers, where nothing rounds, " + exact.complaint;
}

std::vector<Array> inputs_of(const hl::Program& program, const RunOptions& options) {
  std::vector<Array> inputs =
      options.inputs ? options.inputs() : random_inputs(program, options.seed);
  hl::check_inputs(program, inputs);
  return inputs;
}

RunReport run_reference(const hl::Program& program, const RunOptions& options) {
  const std::vector<Array> inputs = inputs_of(program, options);
  RunReport report;
  options.progress("evaluating the definition");
  scalar::ScalarAlgebra algebra = hl::algebra_of(program);
  report.timing = runtime::measure(
      [&] { report.outputs = hl::evaluate(program, inputs, algebra, options.share); },
      {.warm_up = 0, .least = 1, .most = 3});
  add_rates(program, report);
  report.verification.right = true;
  if (!options.plain) return report;
  // The plain loop is judged by the definition, and with it the definition by the plain loop.
  options.progress("comparing with an independent plain loop");
  Memory memory(program, inputs);
  report.verification =
      verify_outputs(program, inputs, memory.run_poisoned(options.plain),
                     {.depth = sequential_depth(program), .share = options.share});
  return report;
}

}  // namespace

std::vector<Array> run_poisoned(const Executable& executable, const std::vector<Array>& inputs,
                                int threads) {
  Memory memory(executable.stages().low.computation, inputs);
  return memory.run_poisoned([&](auto buffers) { executable(buffers, threads); });
}

RunReport run(const hl::Program& program, const RunOptions& options) {
  if (options.target->print == nullptr) return run_reference(program, options);
  options.progress("lowering, printing and compiling");
  const Executable executable = compile(program, options.machine, options.config, *options.target);
  const std::vector<Array> inputs = inputs_of(program, options);
  Memory memory(program, inputs);
  const MemoryKernel kernel = [&](auto buffers) { executable(buffers, options.threads); };
  options.progress("computing");
  const std::vector<Array> outputs = memory.run_poisoned(kernel);
  options.progress("verifying");
  RunReport report;
  report.outputs = outputs;
  report.verification =
      verify_outputs(program, inputs, outputs,
                     {.depth = rounding_depth(executable.stages().low, options.machine),
                      .border_steps = border_steps(executable.stages().structured),
                      .seed = options.seed,
                      .share = options.share});
  check_written(program, outputs, report.verification);
  if (report.verification.right && is_exact_on_whole_numbers(program)) {
    options.progress("verifying once more, on whole numbers");
    verify_exactly(program, kernel, options.seed, report.verification);
  }
  if (!report.verification.right) return report;
  options.progress("timing");
  report.timing = runtime::measure([&] { kernel(memory.pointers()); });
  add_rates(program, report);
  if (options.compare && options.plain) {
    options.progress("comparing with the plain loop");
    report.plain_ratio = runtime::interleaved_ratio([&] { kernel(memory.pointers()); },
                                                    [&] { options.plain(memory.pointers()); });
  }
  return report;
}

}  // namespace mdh::driver
