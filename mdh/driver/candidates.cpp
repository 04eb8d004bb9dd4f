#include "mdh/driver/candidates.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>

#include "mdh/driver/data.h"
#include "mdh/driver/memory.h"
#include "mdh/driver/stages.h"
#include "mdh/driver/verification.h"
#include "mdh/hl/analysis.h"

namespace mdh::driver {
namespace {

using tune::RecordOutcome;

RecordOutcome outcome_of(runtime::WorkStatus status) {
  switch (status) {
    case runtime::WorkStatus::ok:
      return RecordOutcome::ok;
    case runtime::WorkStatus::timeout:
      return RecordOutcome::timeout;
    case runtime::WorkStatus::out_of_memory:
      return RecordOutcome::out_of_memory;
    case runtime::WorkStatus::error:  // an object that cannot be loaded, mostly
      return RecordOutcome::compile_error;
    case runtime::WorkStatus::crash:
    case runtime::WorkStatus::exit:
      return RecordOutcome::crash;
  }
  internal_failure(false, "a status of work that there is not");
}

void take_failure(const runtime::Outcome& outcome, Trial& trial) {
  trial.outcome = outcome_of(outcome.status);
  trial.reason = outcome.reason;
}

/// The largest deviation of two arrays of floats, as a part of the largest magnitude; infinity if
/// one of them is no number where the other is.
template <class Float>
double deviation(const char* ours, const char* theirs, size_t bytes) {
  const size_t count = bytes / sizeof(Float);
  double most = 0, largest = 1e-30;
  for (size_t n = 0; n < count; ++n) {
    Float a, b;
    std::memcpy(&a, ours + n * sizeof(Float), sizeof(Float));
    std::memcpy(&b, theirs + n * sizeof(Float), sizeof(Float));
    if (std::memcmp(&a, &b, sizeof(Float)) == 0) continue;
    const double difference = std::abs(static_cast<double>(a) - static_cast<double>(b));
    if (!(difference < 1e300)) return HUGE_VAL;
    most = std::max(most, difference);
    largest = std::max(largest, std::abs(static_cast<double>(b)));
  }
  return most / largest;
}

/// Modules of one translation unit, so that all cores compile.
size_t shared_size(size_t modules) {
  const size_t units =
      std::min<size_t>(static_cast<size_t>(available_cores()), std::max<size_t>(1, modules / 2));
  return (modules + units - 1) / units;
}

}  // namespace

struct Candidates::Parts {
  hl::Program program;
  CandidateOptions options;
  std::vector<scalar::Array> inputs;
  Memory memory;
  std::optional<runtime::Worker> worker;
  std::string worker_compiler;
  pid_t warm_process = 0;

  struct Compiled {
    kernel::Module module;
    runtime::host::Object object;
    int64_t depth = 0;
  };
  std::vector<std::optional<Compiled>> compiled;
  std::vector<std::vector<char>> right;  // outputs of a verified run
  Coverage coverage = Coverage::none;

  Parts(const hl::Program& p, CandidateOptions o)
      : program(p),
        options(std::move(o)),
        inputs(options.inputs ? options.inputs() : random_inputs(p, options.seed)),
        memory(p, inputs, Memory::Place::shared) {
    worker.emplace(options.worker);
  }

  /// Code of different compilers brings its own OpenMP, whose idle threads would run beside those
  /// of the other and take their cores: each has a process of its own, one at a time.
  runtime::Worker& worker_of(const kernel::Module& module) {
    if (worker_compiler != module.compiler) worker.emplace(options.worker);
    worker_compiler = module.compiler;
    return *worker;
  }

  size_t output_bytes(size_t n) const { return static_cast<size_t>(memory.shared().bytes()[n]); }

  double bytes() const {
    double sum = 0;
    for (const int64_t bytes : memory.shared().bytes()) sum += static_cast<double>(bytes);
    return sum;
  }

  void poison(int byte) const {
    for (size_t n = 0; n < program.outputs.size(); ++n) {
      std::memset(memory.pointers()[n], byte, output_bytes(n));
    }
  }

  runtime::Outcome run(const Compiled& c, std::optional<runtime::TimingLimits> limits,
                       double seconds = 0) {
    return worker_of(c.module).run(
        c.module, c.object.path, memory.shared(),
        {.threads = options.threads, .measure = limits, .time_limit = seconds});
  }

  /// The threads of a new process need a while until they run at full speed: what the first run in
  /// one took means nothing, what the last ones took does.
  runtime::Outcome warmed_up(const Compiled& c, runtime::Outcome first) {
    if (worker->process() == warm_process) return first;
    run(c, runtime::TimingLimits{.warm_up = 0, .least = 1, .most = 100'000, .seconds = 0.1});
    runtime::Outcome second =
        run(c, runtime::TimingLimits{.warm_up = 0, .least = 1, .most = 3, .seconds = 0.01});
    warm_process = worker->process();
    return second;
  }

  enum class Likeness { same, close, other };

  /// How the results compare with verified ones.
  Likeness likeness() const {
    if (right.empty()) return Likeness::other;
    Likeness all = Likeness::same;
    for (size_t n = 0; n < right.size(); ++n) {
      const char* mine = static_cast<const char*>(memory.pointers()[n]);
      const size_t bytes = output_bytes(n);
      if (std::memcmp(mine, right[n].data(), bytes) == 0) continue;
      const scalar::Type& type = program.outputs[n].type;
      const bool close = type == scalar::Scalar::f32
                             ? deviation<float>(mine, right[n].data(), bytes) < 2e-5
                             : type == scalar::Scalar::f64 &&
                                   deviation<double>(mine, right[n].data(), bytes) < 1e-12;
      if (!close) return Likeness::other;
      all = Likeness::close;
    }
    return all;
  }

  /// The whole verification; few samples are enough, for every trial is compared with its result.
  /// Nothing if a run failed, which the trial then says.
  std::optional<Verification> verify(const Compiled& c, Trial& trial) {
    const std::vector<scalar::Array> outputs = memory.run_poisoned([&](auto) {
      if (!trial.is_good()) return;
      const runtime::Outcome outcome = run(c, std::nullopt);
      if (outcome.status != runtime::WorkStatus::ok) take_failure(outcome, trial);
    });
    if (!trial.is_good()) return std::nullopt;
    const int samples = static_cast<int>(
        std::clamp<int64_t>((1 << 20) / std::max<int64_t>(1, sequential_depth(program)), 32, 256));
    return verify_outputs(
        program, inputs, outputs,
        {.depth = c.depth, .seed = options.seed, .limit = 1 << 22, .samples = samples});
  }

  void remember() {
    right.clear();
    for (size_t n = 0; n < program.outputs.size(); ++n) {
      const char* mine = static_cast<const char*>(memory.pointers()[n]);
      right.emplace_back(mine, mine + output_bytes(n));
    }
  }

  /// Leaves the trial verified, or wrong, or says that it is no more than close.
  Likeness check(const Compiled& c, Trial& trial) {
    const Likeness found = likeness();
    if (found == Likeness::other) {
      verify_alone(c, trial);
    } else if (trial.verified == "none") {
      trial.verified = to_string(found == Likeness::same ? coverage : Coverage::sampled);
    }
    return found;
  }

  void verify_alone(const Compiled& c, Trial& trial) {
    const std::optional<Verification> v = verify(c, trial);
    if (!v) return;
    trial.verified = to_string(v->coverage);
    if (!v->right) {
      trial.outcome = RecordOutcome::wrong;
      trial.reason = v->complaint;
    } else if (right.empty()) {
      coverage = v->coverage;
      remember();
    }
  }
};

Candidates::Candidates(const hl::Program& program, CandidateOptions options)
    : parts_(std::make_unique<Parts>(program, std::move(options))) {}

Candidates::~Candidates() = default;

std::vector<Trial> Candidates::compile(const std::vector<ll::Config>& configs, Together together) {
  Parts& p = *parts_;
  std::vector<Trial> trials;
  std::vector<kernel::Module> modules;
  std::vector<size_t> number_of;
  std::vector<int64_t> depths;
  p.compiled.assign(configs.size(), std::nullopt);
  for (size_t n = 0; n < configs.size(); ++n) {
    trials.push_back({.config = configs[n]});
    try {
      const Stages stages = lower_all(p.program, p.options.machine, configs[n], *p.options.target,
                                      fmt::format("{}_{}", kernel_name(p.program), n));
      modules.push_back(stages.module);
      number_of.push_back(n);
      depths.push_back(rounding_depth(stages.low, p.options.machine));
    } catch (const Error& e) {
      trials[n].outcome = RecordOutcome::compile_error;
      trials[n].reason = e.what();
    } catch (const std::bad_alloc&) {
      trials[n].outcome = RecordOutcome::out_of_memory;
      trials[n].reason = "no memory to make its code";
    }
  }
  if (modules.empty()) return trials;
  std::vector<std::vector<kernel::Module>> groups;
  const size_t size = together == Together::none ? 1 : shared_size(modules.size());
  for (size_t n = 0; n < modules.size(); n += size) {
    groups.emplace_back(modules.begin() + static_cast<long>(n),
                        modules.begin() + static_cast<long>(std::min(modules.size(), n + size)));
  }
  std::vector<runtime::host::Built> built;
  try {
    for (auto& group : runtime::host::build_groups(groups, p.options.build)) {
      built.insert(built.end(), group.begin(), group.end());
    }
  } catch (const Error& e) {  // no space for temporary files, or the compiler is gone
    built.assign(modules.size(), {.failure = {.text = e.what()}});
  }
  for (size_t m = 0; m < modules.size(); ++m) {
    Trial& trial = trials[number_of[m]];
    trial.compiler = modules[m].compiler;
    if (built[m].object) {
      p.compiled[number_of[m]] = Parts::Compiled{modules[m], *built[m].object, depths[m]};
    } else {
      using Kind = runtime::host::BuildFailure::Kind;
      trial.outcome = built[m].failure.kind == Kind::timed_out ? RecordOutcome::timeout
                                                               : RecordOutcome::compile_error;
      trial.reason = built[m].failure.text;
    }
  }
  return trials;
}

void Candidates::measure(size_t number, const Effort& effort, Trial& trial) {
  Parts& p = *parts_;
  if (!trial.is_good() || !p.compiled[number]) return;
  const Parts::Compiled& c = *p.compiled[number];
  p.poison(0xff);  // no number, so that an element that is not written is like nothing
  // Loading takes its time, too, and so does memory that a new process sees for the first time.
  const double unhurried = 0.3 + 1e-9 * p.bytes();
  const double patience = effort.give_up_us > 0 ? effort.give_up_us * 1.5e-6 + unhurried : 0;
  const runtime::Outcome first =
      p.run(c, runtime::TimingLimits{.warm_up = 0, .least = 1, .most = 1, .seconds = 0}, patience);
  if (first.status != runtime::WorkStatus::ok) return take_failure(first, trial);
  const auto found = p.check(c, trial);
  if (!trial.is_good()) return;
  const runtime::Outcome alone = p.warmed_up(c, first);
  if (alone.status != runtime::WorkStatus::ok) return take_failure(alone, trial);
  trial.timing = alone.timing;
  if (effort.give_up_us > 0 && alone.timing.median_us > effort.give_up_us) return;
  if (effort.look) {
    const runtime::Outcome look = p.run(c, *effort.look);
    if (look.status != runtime::WorkStatus::ok) return take_failure(look, trial);
    trial.timing = look.timing;
    if (effort.look_us > 0 && look.timing.median_us > effort.look_us) return;
  }
  const runtime::Outcome timed = p.run(c, effort.limits);
  if (timed.status != runtime::WorkStatus::ok) return take_failure(timed, trial);
  trial.timing = timed.timing;
  const bool is_best = effort.best_us <= 0 || trial.timing.median_us < effort.best_us;
  if (is_best && found == Parts::Likeness::close) p.verify_alone(c, trial);
}

}  // namespace mdh::driver
