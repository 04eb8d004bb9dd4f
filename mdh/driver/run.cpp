#include "mdh/driver/run.h"

#include <algorithm>

#include "mdh/driver/data.h"
#include "mdh/driver/devices.h"
#include "mdh/driver/verify/checks.h"
#include "mdh/hl/address.h"
#include "mdh/hl/laws/laws.h"
#include "mdh/kernel/refused.h"
#include "mdh/runtime/host/runtime.h"
#include "mdh/support/cores.h"

namespace mdh::driver {
namespace {

using scalar::Array;

/// Exactly the elements that some access writes are written.
std::string wrongly_written(const hl::Program& p, const hl::BufferView& view, const Array& output) {
  std::vector<uint8_t> wanted(output.defined.size());
  const std::vector<int64_t> counts = hl::result_sizes(p);
  for (const hl::Access& access : view.accesses) {
    const hl::Address address(p, view, access);
    std::vector<int64_t> point(counts.size(), 0);
    for (int64_t n = scalar::volume(counts); n > 0; --n, advance(point, counts)) {
      wanted[static_cast<size_t>(address(point))] = 1;
    }
  }
  for (size_t n = 0; n < wanted.size(); ++n) {
    if ((output.defined[n] != 0) == (wanted[n] != 0)) continue;
    return fmt::format("element {} of output '{}' was {}", n, view.symbol.name,
                       wanted[n] != 0 ? "not written" : "written, but no access is to it");
  }
  return "";
}

std::string wrongly_written(const hl::Program& p, const std::vector<Array>& outputs) {
  for (size_t b = 0; b < outputs.size(); ++b) {
    const bool is_whole = std::find(outputs[b].defined.begin(), outputs[b].defined.end(), 0) ==
                          outputs[b].defined.end();
    const auto accesses = static_cast<int64_t>(p.outputs[b].accesses.size());
    const int64_t expected = scalar::volume(hl::result_sizes(p)) * accesses;
    if (is_whole && expected == static_cast<int64_t>(outputs[b].defined.size())) continue;
    const std::string wrong = wrongly_written(p, p.outputs[b], outputs[b]);
    if (!wrong.empty()) return wrong;
  }
  return "";
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

[[noreturn]] void wrong(const std::string& what) {
  throw Error({DiagnosticKind::wrong_result,
               "E809",
               {},
               "wrong result: " + what,
               {},
               "no time is reported for a wrong result; please report this as a bug"});
}

/// A compiled program on memory, in this process or in a worker.
class Runner {
 public:
  Runner(const Executable& executable, const RunOptions& options)
      : executable_(executable),
        worker_(options.worker),
        threads_(options.threads),
        caches_(options.caches) {}

  Memory memory(const hl::Program& program, const std::vector<Array>& inputs) const {
    return {program, inputs, worker_ ? Memory::Place::shared : Memory::Place::own};
  }

  /// Only for memory of the place that memory() chose.
  MemoryKernel on(const Memory& memory) const {
    if (!worker_) {
      return [this, &memory](auto buffers) {
        const uint64_t before = memory.input_hash();
        executable_(buffers, threads_);
        if (memory.input_hash() != before) wrong("the kernel changes its inputs");
      };
    }
    return [this, &memory](auto) { work(memory, how()); };
  }

  runtime::Timing time(const Memory& memory) const {
    const runtime::TimingLimits limits{.caches = caches_};
    if (worker_) {
      runtime::WorkOptions timed = how();
      timed.measure = limits;
      return work(memory, timed);
    }
    return executable_.kernel().time(memory.pointers(), threads_, limits);
  }

 private:
  runtime::WorkOptions how() const {
    return {.device = executable_.device().name(),
            .model = runtime::model_of(executable_.device()),
            .threads = threads_};
  }

  runtime::Timing work(const Memory& memory, const runtime::WorkOptions& how) const {
    const runtime::Outcome outcome =
        worker_->run(executable_.module(), executable_.kernel().file(), memory.shared(), how);
    runtime::require_success(outcome);
    return outcome.timing;
  }

  const Executable& executable_;
  runtime::Worker* worker_;
  int threads_;
  runtime::Caches caches_;
};

class Verifier {
 public:
  Verifier(const Executable& executable, const RunOptions& options)
      : executable_(executable), options_(options), runner_(executable, options) {
    const ll::Program& low = executable.stages().low;
    if (without_twin(low.computation).empty())
      stages_ = twin_stages(executable.stages(), target_on(*options.target, executable.device()));
    checks_ = std::make_unique<Checks>(subject(low.computation),
                                       CheckLimits{.seed = options.seed, .share = options.share});
    compile_companions();
  }

  Verification operator()(const Memory& memory) {
    const ll::Program& low = executable_.stages().low;
    Verification result{Coverage::none, true};
    checks_->check_random(memory, rounding_depth(low, options_.machine), result);
    checks_->check_random_thinned(result);
    if (!result.right) return result;
    options_.progress("verifying the twin");
    checks_->check_twin(result);
    if (!result.right) return result;
    options_.progress("verifying on few whole numbers");
    checks_->check_thinned(result);
    return result;
  }

 private:
  Subject subject(const hl::Program& computation) {
    Subject s{.computation = computation,
              .deviations = deviations_of(executable_.device().accuracy(),
                                          executable_.module().contract_allowed),
              .border_steps = border_steps(executable_.stages().structured)};
    s.memory = [this](const hl::Program& views) {
      return std::make_unique<Memory>(views,
                                      options_.worker ? Memory::Place::shared : Memory::Place::own);
    };
    s.run = [this](const Memory& memory) { runner_.on(memory)(memory.pointers()); };
    if (!stages_) return s;
    s.run_twin = [this](const Memory& memory) {
      Runner(*twin_, options_).on(memory)(memory.pointers());
    };
    return s;
  }

  /// The twin runs where the kernel runs, the definition on this machine. Where that is the same,
  /// one run of the kernel's compiler is enough for both.
  void compile_companions() {
    const runtime::Device& there = executable_.device();
    std::vector<kernel::Module> modules = checks_->modules();
    const bool at_once = !modules.empty() && there.takes(modules.front().language);
    if (at_once) {
      modules.front().compiler = executable_.module().compiler;  // that of the first compiles all
      modules.front().flags = executable_.module().flags;
    }
    if (stages_ && at_once) modules.insert(modules.begin(), stages_->module);
    if (stages_ && !at_once) {
      use_twin(there.load({&stages_->module, 1}, runtime::Purpose::checks).front());
    }
    if (modules.empty()) return;
    const auto kernels = at_once ? there.load(modules, runtime::Purpose::checks)
                                 : runtime::host::load_plainly(modules);
    if (stages_ && at_once) use_twin(kernels.front());
    checks_->use(kernels, available_cores());
  }

  void use_twin(std::shared_ptr<const runtime::LoadedKernel> kernel) {
    twin_.emplace(executable_.beside(*stages_, std::move(kernel)));
  }

  const Executable& executable_;
  const RunOptions& options_;
  Runner runner_;
  std::optional<Stages> stages_;
  std::optional<Executable> twin_;
  std::unique_ptr<Checks> checks_;
};

std::vector<Array> inputs_of(const hl::Program& program, const RunOptions& options) {
  std::vector<Array> inputs =
      options.inputs ? options.inputs() : random_inputs(program, options.seed);
  hl::check_inputs(program, inputs);
  return inputs;
}

void require_cold_caches(const Target& target) {
  if (target.runtime != nullptr && target.runtime->has_cold_caches) return;
  unsupported("E650", {}, fmt::format("times of target {} with cold caches", target.name),
              "take '--target cuda', or '--caches warm'");
}

/// The first line of what is wrong.
std::string headline(const std::string& text) { return text.substr(0, text.find('\n')); }

/// As asked for, or as near to it as compilers let us.
Executable compiled(const hl::Program& program, const RunOptions& options) {
  const auto with = [&](const ll::Config& config) {
    Executable made = compile(program, options.machine, config, *options.target, options.device);
    if (!made.kernel().remark().empty()) options.note(made.kernel().remark());
    return made;
  };
  try {
    return with(options.config);
  } catch (const kernel::Refused& e) {
    if (!options.otherwise) throw;
    options.note(headline(e.diagnostic().message) +
                 " the default configuration is taken instead; please report this");
    return with(options.otherwise());
  }
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
  return memory.run_poisoned([&](auto buffers) { executable(buffers, threads); },
                             bits_of(executable.module()));
}

RunReport run(const hl::Program& program, const RunOptions& options) {
  if (options.caches == runtime::Caches::cold) require_cold_caches(*options.target);
  if (options.target->print == nullptr) return run_reference(program, options);
  options.progress("lowering, printing and compiling");
  const Executable executable = compiled(program, options);
  const std::vector<Array> inputs = inputs_of(program, options);
  const Runner runner(executable, options);
  Memory memory = runner.memory(program, inputs);
  options.progress("computing");
  const std::vector<Array> outputs =
      memory.run_poisoned(runner.on(memory), bits_of(executable.module()));
  options.progress("verifying");
  RunReport report;
  report.outputs = outputs;
  report.verification.complaint = wrongly_written(program, outputs);
  if (report.verification.complaint.empty()) {
    report.verification =
        hl::has_custom_operator(program)
            ? verify_outputs(program, inputs, outputs,
                             {.deviations = deviations_of(executable.device().accuracy(), false),
                              .share = options.share})
            : Verifier(executable, options)(memory);
  }
  if (!report.verification.right) return report;
  // No bound tells a wrong result from a right one then: the operator may break its laws.
  if (report.verification.orders_differ) hl::check_laws_on(program, inputs);
  options.progress("timing");
  report.timing = runner.time(memory);
  report.caches = options.caches;
  if (const auto identity = executable.device().identity()) {
    report.device = executable.device().name();
    report.device_model = identity->model;
  }
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
