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

/// A compiled program on memory, in this process or in a worker.
class Runner {
 public:
  Runner(const Executable& executable, const RunOptions& options)
      : executable_(executable), worker_(options.worker), threads_(options.threads) {}

  Memory memory(const hl::Program& program, const std::vector<Array>& inputs) const {
    return {program, inputs, worker_ ? Memory::Place::shared : Memory::Place::own};
  }

  /// Only for memory of the place that memory() chose.
  MemoryKernel on(const Memory& memory) const {
    if (!worker_) return [this](auto buffers) { executable_(buffers, threads_); };
    return [this, &memory](auto) { work(memory, {.threads = threads_}); };
  }

  /// On a device only the launches count, not the way of the data to it and back.
  runtime::Timing time(const Memory& memory) const {
    if (const auto* kernel = executable_.on_device()) {
      const runtime::opencl::Memory there(kernel->context(), kernel->module().arguments);
      there.upload(memory.pointers());
      return runtime::measure([&] { kernel->run(there); });
    }
    if (!worker_) return runtime::measure([&] { executable_(memory.pointers(), threads_); });
    return work(memory, {.threads = threads_, .measure = runtime::TimingLimits{}});
  }

 private:
  runtime::Timing work(const Memory& memory, const runtime::WorkOptions& how) const {
    const runtime::Outcome outcome =
        worker_->run(executable_.module(), executable_.library(), memory.shared(), how);
    runtime::require_success(outcome);
    return outcome.timing;
  }

  const Executable& executable_;
  runtime::Worker* worker_;
  int threads_;
};

/// Bounds for any order of combination are weak for long sums; where nothing rounds there is no
/// excuse at all.
void verify_exactly(const hl::Program& program, const Runner& runner, uint64_t seed,
                    Verification& result) {
  const std::vector<Array> inputs = whole_inputs(program, seed);
  Memory memory = runner.memory(program, inputs);
  const Verification exact = verify_outputs(program, inputs, memory.run_poisoned(runner.on(memory)),
                                            {.seed = seed, .whole = true});
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
  const Executable executable =
      compile(program, options.machine, options.config, *options.target, options.device);
  const std::vector<Array> inputs = inputs_of(program, options);
  const Runner runner(executable, options);
  Memory memory = runner.memory(program, inputs);
  options.progress("computing");
  const std::vector<Array> outputs = memory.run_poisoned(runner.on(memory));
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
    verify_exactly(program, runner, options.seed, report.verification);
  }
  if (!report.verification.right) return report;
  options.progress("timing");
  report.timing = runner.time(memory);
  add_rates(program, report);
  if (options.compare && options.plain) {
    options.progress("comparing with the plain loop");
    report.plain_ratio =
        runtime::interleaved_ratio([&] { executable(memory.pointers(), options.threads); },
                                   [&] { options.plain(memory.pointers()); });
  }
  return report;
}

}  // namespace mdh::driver
