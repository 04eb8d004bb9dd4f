#include "mdh/driver/run.h"

#include <cstdlib>
#include <cstring>

#include "mdh/driver/data.h"
#include "mdh/hl/evaluate.h"

namespace mdh::driver {
namespace {

using scalar::Array;

/// The buffers of a program as a kernel takes them.
std::vector<kernel::Argument> arguments_of(const hl::Program& p) {
  std::vector<kernel::Argument> arguments;
  for (const auto* views : {&p.outputs, &p.inputs}) {
    for (const hl::BufferView& view : *views) {
      const scalar::Scalar type = scalar_of(view.type);
      arguments.push_back({view.symbol.name, to_string(type), scalar::bytes_of(type),
                           hl::extents(p, view), views == &p.outputs});
    }
  }
  return arguments;
}

/// The memory of a kernel's buffers, outputs first.
class Memory {
 public:
  Memory(std::vector<kernel::Argument> arguments, const std::vector<Array>& inputs)
      : arguments_(std::move(arguments)) {
    size_t next = 0;
    for (const kernel::Argument& argument : arguments_) {
      blocks_.emplace_back(static_cast<size_t>(argument.bytes()) + 64);
      pointers_.push_back(aligned(blocks_.back().data()));
      if (!argument.is_output) copy_to_memory(inputs[next++], pointers_.back());
    }
  }

  std::span<void* const> pointers() const { return pointers_; }
  const std::vector<kernel::Argument>& arguments() const { return arguments_; }

  void poison(int byte) {
    for (size_t n = 0; n < pointers_.size(); ++n) {
      const kernel::Argument& argument = arguments_[n];
      if (argument.is_output)
        std::memset(pointers_[n], byte, static_cast<size_t>(argument.bytes()));
    }
  }

  std::vector<std::vector<char>> outputs() const {
    std::vector<std::vector<char>> all;
    for (size_t n = 0; n < pointers_.size(); ++n) {
      const kernel::Argument& argument = arguments_[n];
      const char* data = static_cast<const char*>(pointers_[n]);
      if (argument.is_output) all.emplace_back(data, data + argument.bytes());
    }
    return all;
  }

 private:
  static void* aligned(char* memory) {
    const auto address = reinterpret_cast<uintptr_t>(memory);
    return memory + (64 - address % 64) % 64;
  }

  std::vector<kernel::Argument> arguments_;
  std::vector<std::vector<char>> blocks_;
  std::vector<void*> pointers_;
};

Array array_of(const kernel::Argument& argument, const std::vector<char>& one,
               const std::vector<char>& other) {
  Array array =
      scalar::copy_from_memory(*scalar::find_scalar(argument.type), argument.extents, one.data());
  const auto bytes = static_cast<size_t>(argument.bytes_per_element);
  for (size_t n = 0; n < array.cells.size(); ++n) {
    const bool written = std::memcmp(&one[n * bytes], &other[n * bytes], bytes) == 0;
    array.defined[n] = written ? 1 : 0;
  }
  return array;
}

std::vector<Array> poisoned_outputs(Memory& memory, const PlainLoop& kernel) {
  std::vector<std::vector<std::vector<char>>> runs;
  for (const int pattern : {0xDB, 0x24}) {
    memory.poison(pattern);
    kernel(memory.pointers());
    runs.push_back(memory.outputs());
  }
  std::vector<Array> outputs;
  for (size_t b = 0; b < runs[0].size(); ++b) {
    outputs.push_back(array_of(memory.arguments()[b], runs[0][b], runs[1][b]));
  }
  return outputs;
}

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
  const std::function<void(const loop::Block&)> visit = [&](const loop::Block& block) {
    for (const loop::Stmt& s : block) {
      const auto* digits = s.as<loop::Digits>();
      if (digits)
        steps[digits->digit.dimension] =
            std::max(steps[digits->digit.dimension], digits->digit.step);
      loop::for_each_child(s, visit);
    }
  };
  visit(structured.body);
  return steps;
}

RunReport run_reference(const hl::Program& program, const RunOptions& options) {
  const std::vector<Array> inputs = random_inputs(program, options.seed);
  RunReport report;
  std::vector<Array> outputs;
  options.progress("evaluating the definition");
  report.timing = runtime::measure([&] { outputs = hl::evaluate(program, inputs); },
                                   {.warm_up = 0, .least = 1, .most = 3});
  add_rates(program, report);
  report.verification.right = true;
  if (!options.plain) return report;
  // The plain loop is judged by the definition, and with it the definition by the plain loop.
  options.progress("comparing with an independent plain loop");
  Memory memory(arguments_of(program), inputs);
  report.verification = verify_outputs(program, inputs, poisoned_outputs(memory, options.plain),
                                       {.depth = sequential_depth(program)});
  return report;
}

}  // namespace

std::vector<Array> run_poisoned(const Executable& executable, const std::vector<Array>& inputs,
                                int threads) {
  Memory memory(executable.module().arguments, inputs);
  return poisoned_outputs(memory, [&](auto buffers) { executable(buffers, threads); });
}

RunReport run(const hl::Program& program, const RunOptions& options) {
  if (options.target->print == nullptr) return run_reference(program, options);
  options.progress("lowering, printing and compiling");
  const Executable executable = compile(program, options.machine, options.config, *options.target);
  const std::vector<Array> inputs = random_inputs(program, options.seed);
  Memory memory(executable.module().arguments, inputs);
  const PlainLoop kernel = [&](auto buffers) { executable(buffers, options.threads); };
  options.progress("computing");
  const std::vector<Array> outputs = poisoned_outputs(memory, kernel);
  options.progress("verifying");
  RunReport report;
  report.verification =
      verify_outputs(program, inputs, outputs,
                     {.depth = rounding_depth(executable.stages().low),
                      .border_steps = border_steps(executable.stages().structured),
                      .seed = options.seed});
  check_written(program, outputs, report.verification);
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
