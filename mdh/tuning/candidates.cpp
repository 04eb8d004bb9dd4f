#include "mdh/tuning/candidates.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <deque>
#include <future>
#include <map>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>
#include <tuple>

#include "mdh/driver/data.h"
#include "mdh/driver/devices.h"
#include "mdh/driver/memory.h"
#include "mdh/driver/stages.h"
#include "mdh/driver/verification.h"
#include "mdh/driver/verify/candidate_check.h"
#include "mdh/hl/analysis.h"
#include "mdh/runtime/turns.h"
#include "mdh/support/cores.h"
#include "mdh/tuning/candidate_sources.h"
#include "mdh/tuning/quiet_measurement.h"

namespace mdh::tuning {
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
    case runtime::WorkStatus::no_room:  // these two end the search before
    case runtime::WorkStatus::no_device:
    case runtime::WorkStatus::error:  // an object that cannot be loaded, mostly
      return RecordOutcome::compile_error;
    case runtime::WorkStatus::crash:
    case runtime::WorkStatus::exit:
      return RecordOutcome::crash;
  }
  internal_failure(false, "a status of work that there is not");
}

void take_failure(const runtime::Outcome& outcome, Trial& trial) {
  using enum runtime::WorkStatus;
  if (outcome.status == no_device || outcome.status == no_room) runtime::require_success(outcome);
  trial.outcome = outcome_of(outcome.status);
  trial.reason = outcome.reason;
}

/// What would be the best is worth a long compilation.
constexpr double seconds_for_twin = 60;

/// A new process opens its device first. Some drivers take seconds for that.
constexpr double seconds_for_opening = 10;

/// A failure to build, as records name it.
void take_failure(const runtime::BuildFailure& failure, Trial& trial) {
  using Kind = runtime::BuildFailure::Kind;
  trial.outcome =
      failure.kind == Kind::timed_out ? RecordOutcome::timeout : RecordOutcome::compile_error;
  trial.reason = failure.text;
}

}  // namespace

struct Candidates::Parts {
  hl::Program program;
  CandidateOptions options;
  std::shared_ptr<const runtime::Device> device;
  runtime::Turns turns;
  driver::Target target;  // as it is on the device
  std::vector<scalar::Array> inputs;
  driver::Memory memory;
  std::map<std::string, std::unique_ptr<runtime::Worker>> workers;  // by compiler
  std::string last_compiler;
  std::set<pid_t> warm;  // processes

  struct Compiled {
    kernel::Module module;
    runtime::Object object;
    std::string code;  // its name
  };
  /// Configurations that were compiled at the same time.
  struct Batch {
    std::vector<Trial> trials;
    std::vector<std::optional<Compiled>> compiled;
  };
  struct Prepared {
    std::vector<ll::Config> configs;
    std::future<Batch> batch;
  };

  std::mutex screened_mutex;
  std::map<std::string, Trial> screened;  // what became of code, by its name
  std::map<std::string, size_t> numbers;  // of configurations that were compiled alone
  QuietMeasurement quiet;
  std::vector<std::optional<Compiled>> compiled;
  std::atomic<bool> is_dropped = false;  // what is prepared
  std::deque<Prepared> prepared;
  /// One core is for the thread that asks what to try, and one for the process that measures.
  std::shared_ptr<runtime::Slots> slots =
      std::make_shared<runtime::Slots>(std::max(1, available_cores() - 2));
  std::unique_ptr<driver::CandidateCheck> yardstick;  // none for operators on whole arrays
  std::set<std::string> twinned;                      // code that was verified alone, by its name

  Parts(const hl::Program& p, CandidateOptions o)
      : program(p),
        options(std::move(o)),
        device(options.target->runtime->open(options.device)),
        turns(device->place()),
        target(driver::target_on(*options.target, *device)),
        inputs(options.inputs ? options.inputs() : driver::random_inputs(p, options.seed)),
        memory(p, inputs, driver::Memory::Place::shared) {
    options.target = &target;
    workers[""] = std::make_unique<runtime::Worker>(options.worker);  // says if there is none
    workers.clear();
  }

  /// Code of different compilers brings its own OpenMP, which binds the threads of its process:
  /// each has a process of its own. Idle threads of one would take the cores of the other, until
  /// they sleep.
  runtime::Worker& worker_of(const kernel::Module& module) {
    if (last_compiler != module.compiler) {
      if (bytes() > much) workers.clear();
      if (!workers.empty()) std::this_thread::sleep_for(std::chrono::milliseconds(30));
      last_compiler = module.compiler;
    }
    auto& worker = workers[module.compiler];
    if (!worker) worker = std::make_unique<runtime::Worker>(options.worker);
    return *worker;
  }

  static constexpr double much = 2e9;  // bytes, of which every process has a copy

  size_t output_bytes(size_t n) const { return static_cast<size_t>(memory.shared().bytes()[n]); }

  double bytes() const {
    double sum = 0;
    for (const int64_t bytes : memory.shared().bytes()) sum += static_cast<double>(bytes);
    return sum;
  }

  /// Only times matter.
  runtime::Outcome timed(const Compiled& c, const runtime::TimingLimits& limits) {
    return quiet([&] {
      return run(c, {.threads = options.threads, .measure = limits, .wants_outputs = false});
    });
  }

  /// While no other search uses the device: waiting costs none of the time of the run.
  runtime::Outcome run(const Compiled& c, runtime::WorkOptions how) {
    how.inputs_stay = true;
    how.device = device->name();
    how.model = runtime::model_of(*device);
    runtime::Worker& worker = worker_of(c.module);
    const runtime::Turn turn = turns.take();
    runtime::Outcome outcome = worker.run(c.module, c.object.path, memory.shared(), how);
    if (!turn.is_alone()) outcome.timing.load = 1;
    return outcome;
  }

  /// The threads of a new process need a while until they run at full speed: what the first run in
  /// one took means nothing, what the last ones took does.
  runtime::Outcome warmed_up(const Compiled& c, runtime::Outcome first) {
    const runtime::Worker& worker = worker_of(c.module);
    if (warm.contains(worker.process())) return first;
    run(c, {.threads = options.threads,
            .measure =
                runtime::TimingLimits{.warm_up = 0, .least = 1, .most = 100'000, .seconds = 0.1},
            .wants_outputs = false});
    runtime::Outcome second = timed(c, {.warm_up = 0, .least = 1, .most = 3, .seconds = 0.01});
    warm.insert(worker.process());
    return second;
  }

  /// Names of kernels. What is compiled alone, by no particular compiler, has the name that it has
  /// in mdh run; others keep the one that they had first. So the cache knows what comes again.
  std::vector<std::string> names_of(const std::vector<ll::Config>& configs, Together together) {
    std::vector<std::string> names;
    for (size_t n = 0; n < configs.size(); ++n) {
      const ll::KernelCode& code = configs[n].code.kernel;
      const bool alone = together == Together::none;
      if (alone && code.compiler.empty() && code.flags.empty()) {
        names.push_back(driver::kernel_name(program));
        continue;
      }
      const size_t number = alone ? numbers.try_emplace(ll::print(configs[n]), n).first->second : n;
      names.push_back(fmt::format("{}_{}", driver::kernel_name(program), number));
    }
    return names;
  }

  /// Before anything runs: inputs may be thinned, and workers keep them.
  void prepare() {
    if (yardstick || hl::has_custom_operator(program)) return;
    yardstick = std::make_unique<driver::CandidateCheck>(
        program, memory,
        options.inputs ? driver::Checks::Inputs::given : driver::Checks::Inputs::own,
        device->accuracy(), options.seed);
  }

  Batch compiled_batch(const std::vector<ll::Config>& configs, Together together,
                       const runtime::BuildLimits& how);
  std::optional<Trial> screened_before(const std::string& code);
  void drop_prepared();
  void measure(const Compiled& c, const Effort& effort, Trial& trial);

  /// Compares with the definition.
  void check(const Compiled& c, Trial& trial) {
    if (!yardstick) return verify_whole_arrays(c, trial);
    driver::Comparison found = yardstick->compare_outputs();
    if (!found.right && device->is_apart()) {
      // Who ran before may have changed large inputs. That alone is an excuse: a kernel that is right
      // the next time is not right.
      const runtime::Outcome again =
          run(c, {.threads = options.threads, .filled = 0xff, .compares_all_inputs = true});
      if (again.status != runtime::WorkStatus::ok) return take_failure(again, trial);
      if (again.has_renewed_inputs) found = yardstick->compare_outputs();
    }
    trial.verified = to_string(yardstick->coverage());
    if (!found.right) take_wrong(found.complaint, trial);
  }

  static void take_wrong(const std::string& complaint, Trial& trial) {
    trial.outcome = RecordOutcome::wrong;
    trial.reason = complaint;
  }

  /// The trial says why a run failed.
  void run_on(const kernel::Module& module, const runtime::Object& object,
              const driver::Memory& where, Trial& trial) {
    const double to_compile = object.is_source ? seconds_for_twin : 0;
    runtime::Worker& worker = worker_of(module);
    const runtime::Turn turn = turns.take();
    const runtime::Outcome outcome =
        worker.run(module, object.path, where.shared(),
                   {.device = device->name(),
                    .model = runtime::model_of(*device),
                    .threads = options.threads,
                    .time_limit = options.worker.time_limit + to_compile});
    if (outcome.status != runtime::WorkStatus::ok) take_failure(outcome, trial);
    runtime::require_success(outcome);
  }

  /// Every output is written, whatever was there before; the twin is right, and so are few terms.
  void verify_alone(const Compiled& c, Trial& trial) {
    if (!yardstick || twinned.contains(c.code)) return;
    try {
      check_written(c, trial);
      if (trial.is_good()) check_twin(c, trial);
      if (trial.is_good()) twinned.insert(c.code);
    } catch (const Error& e) {
      if (!trial.is_good()) return;
      const std::string& code = e.diagnostic().code;
      if (code == "E651" || code == "E619") throw;  // no device, or no room: no fault of its own
      if (e.diagnostic().kind == DiagnosticKind::internal) throw about(trial.config, e);
      trial.outcome = RecordOutcome::crash;
      trial.reason = e.what();
    }
  }

  /// The first run was on other bytes than this one.
  void check_written(const Compiled& c, Trial& trial) {
    const runtime::Outcome outcome = run(c, {.threads = options.threads, .filled = 0x24});
    if (outcome.status != runtime::WorkStatus::ok) return take_failure(outcome, trial);
    check(c, trial);
  }

  /// Nothing is known against the kernel itself, but what is not verified is not taken.
  static void take_unverified(const runtime::BuildFailure& failure, Trial& trial) {
    take_failure(failure, trial);
    trial.reason = "its twin was not compiled: " + trial.reason;
  }

  void check_twin(const Compiled& c, Trial& trial) {
    const driver::Stages stages =
        driver::lower_all(program, options.machine, trial.config, *options.target, c.module.name);
    std::optional<kernel::Module> twin;
    std::optional<runtime::Object> object;
    if (driver::without_twin(stages.low.computation).empty()) {
      twin = driver::twin_stages(stages, *options.target).module;
      runtime::BuildLimits patient = options.build;
      patient.seconds = std::max(patient.seconds, seconds_for_twin);
      const runtime::Built built = build(*device, {*twin}, Together::none, patient).front();
      object = built.object;
      if (!object) return take_unverified(built.failure, trial);
    }
    driver::CandidateCheck::Runs runs = {
        [&](const driver::Memory& where) { run_on(c.module, c.object, where, trial); }, {}};
    if (object) {
      runs.twin = [&](const driver::Memory& where) { run_on(*twin, *object, where, trial); };
    }
    const driver::Verification v = yardstick->verify(stages, runs);
    if (!v.right) take_wrong(v.complaint, trial);
  }

  void verify_whole_arrays(const Compiled& c, Trial& trial) {
    const auto run_once = [&](auto) {
      if (!trial.is_good()) return;
      const runtime::Outcome outcome = run(c, {.threads = options.threads});
      if (outcome.status != runtime::WorkStatus::ok) take_failure(outcome, trial);
    };
    const std::vector<scalar::Array> outputs =
        memory.run_poisoned(run_once, driver::bits_of(c.module));
    if (!trial.is_good()) return;
    const driver::Verification v = driver::verify_outputs(
        program, inputs, outputs,
        {.seed = options.seed, .deviations = driver::deviations_of(device->accuracy(), false)});
    trial.verified = to_string(v.coverage);
    if (!v.right) take_wrong(v.complaint, trial);
  }
};

static_assert(runtime::most_load == tune::most_load, "records are marked as times are");

bool is_better(const Trial& a, const Trial& b) {
  const auto rank = [](const Trial& trial) {
    return std::tuple(trial.is_loaded(), trial.final_result != tune::FinalResult::won,
                      trial.timing.median_us);
  };
  return rank(a) < rank(b);
}

Candidates::Candidates(const hl::Program& program, CandidateOptions options)
    : parts_(std::make_unique<Parts>(program, std::move(options))) {}

Candidates::~Candidates() { drop_prepared(); }

bool Candidates::may_prepare() const { return parts_->device->is_apart(); }

void Candidates::prepare(const std::vector<ll::Config>& configs) {
  Parts& p = *parts_;
  runtime::BuildLimits how = p.options.build;
  how.is_background = true;
  how.slots = p.slots;
  how.is_cancelled = [&p] { return p.is_dropped.load(); };
  try {
    p.prepared.push_back({configs, std::async(std::launch::async, [&p, configs, how] {
                            return p.compiled_batch(configs, Together::all, how);
                          })});
  } catch (const std::system_error&) {
    // There are as many threads as there may be: they are compiled when they are wanted.
  }
}

void Candidates::drop_prepared() { parts_->drop_prepared(); }

/// The last reference to a thread waits for its end.
void Candidates::Parts::drop_prepared() {
  is_dropped = true;
  prepared.clear();
  is_dropped = false;
}

void Candidates::renew_processes() {
  parts_->workers.clear();
  parts_->warm.clear();
}

std::vector<Trial> Candidates::compile(const std::vector<ll::Config>& configs, Together together,
                                       double seconds) {
  Parts& p = *parts_;
  Parts::Batch batch;
  if (!p.prepared.empty() && p.prepared.front().configs == configs) {
    std::future<Parts::Batch> ready = std::move(p.prepared.front().batch);
    p.prepared.pop_front();
    batch = ready.get();
  } else {
    runtime::BuildLimits how = p.options.build;
    if (seconds > 0) how.seconds = seconds;
    batch = p.compiled_batch(configs, together, how);
  }
  p.compiled = std::move(batch.compiled);
  return std::move(batch.trials);
}

std::optional<Trial> Candidates::Parts::screened_before(const std::string& code) {
  const std::lock_guard<std::mutex> lock(screened_mutex);
  const auto known = screened.find(code);
  return known != screened.end() ? std::optional(known->second) : std::nullopt;
}

Candidates::Parts::Batch Candidates::Parts::compiled_batch(const std::vector<ll::Config>& configs,
                                                           Together together,
                                                           const runtime::BuildLimits& how) {
  Batch batch;
  std::vector<kernel::Module> modules;
  std::vector<size_t> number_of;
  std::vector<std::string> codes;
  batch.compiled.assign(configs.size(), std::nullopt);
  const std::vector<std::string> names = names_of(configs, together);
  std::vector<Lowered> lowered = lower_each(program, configs, names, options, how);
  for (size_t n = 0; n < configs.size(); ++n) {
    batch.trials.push_back({.config = configs[n], .outcome = lowered[n].outcome});
    batch.trials[n].reason = std::move(lowered[n].reason);
    if (!lowered[n].module) continue;
    const std::string code = code_of(*lowered[n].module, names[n]);
    const auto known = together == Together::all ? screened_before(code) : std::nullopt;
    if (known) {
      batch.trials[n] = *known;
      batch.trials[n].config = configs[n];
      batch.trials[n].is_repeated = true;
      continue;
    }
    codes.push_back(code);
    modules.push_back(std::move(*lowered[n].module));
    number_of.push_back(n);
  }
  if (modules.empty()) return batch;
  runtime::BuildLimits asking = how;
  asking.tells_needs = together == Together::all;
  const std::vector<runtime::Built> built = build(*device, modules, together, asking);
  for (size_t m = 0; m < modules.size(); ++m) {
    Trial& trial = batch.trials[number_of[m]];
    trial.compiler = modules[m].compiler;
    trial.stack_bytes = runtime::stack_bytes_of(built[m].needs);
    if (built[m].object) {
      batch.compiled[number_of[m]] = Compiled{modules[m], *built[m].object, codes[m]};
    } else {
      take_failure(built[m].failure, trial);
    }
  }
  return batch;
}

void Candidates::measure(size_t number, const Effort& effort, Trial& trial) {
  Parts& p = *parts_;
  if (!trial.is_good() || !p.compiled[number]) return;
  const Parts::Compiled& c = *p.compiled[number];
  p.measure(c, effort, trial);
  if (!trial.is_good() || trial.is_loaded()) return;
  const std::lock_guard<std::mutex> lock(p.screened_mutex);
  p.screened.insert_or_assign(c.code, trial);
}

void Candidates::Parts::measure(const Compiled& c, const Effort& effort, Trial& trial) {
  prepare();
  // Loading takes its time, too, and so does memory that a new process sees for the first time.
  const bool is_fresh = device->grid() && !warm.contains(worker_of(c.module).process());
  const double unhurried = options.loading + 1e-9 * bytes() + (is_fresh ? seconds_for_opening : 0) +
                           (c.object.is_source ? options.build.seconds : 0);
  const double patience = effort.give_up_us > 0 ? effort.give_up_us * 1.5e-6 + unhurried
                                                : options.worker.time_limit + unhurried;
  const runtime::TimingLimits once{.warm_up = 0, .least = 1, .most = 1, .seconds = 0};
  const runtime::Outcome first =
      run(c, {.threads = options.threads,
              .measure = once,
              .time_limit = patience,
              .filled = 0xff});  // no number, so that an element that is not written is wrong
  if (first.status != runtime::WorkStatus::ok) return take_failure(first, trial);
  check(c, trial);
  if (!trial.is_good()) return;
  runtime::Outcome alone = warmed_up(c, first);
  const auto is_hopeless = [&] {
    return effort.give_up_us > 0 && alone.timing.median_us > effort.give_up_us;
  };
  if (is_hopeless() && is_loaded(alone.timing)) alone = timed(c, once);
  if (alone.status != runtime::WorkStatus::ok) return take_failure(alone, trial);
  trial.timing = alone.timing;
  if (is_hopeless()) return;
  if (effort.look) {
    const runtime::Outcome look = timed(c, *effort.look);
    if (look.status != runtime::WorkStatus::ok) return take_failure(look, trial);
    trial.timing = look.timing;
    if (effort.look_us > 0 && look.timing.median_us > effort.look_us) return;
  }
  const runtime::Outcome whole = timed(c, effort.limits);
  if (whole.status != runtime::WorkStatus::ok) return take_failure(whole, trial);
  trial.timing = whole.timing;
  const bool is_best = effort.best_us <= 0 || trial.timing.median_us < effort.best_us;
  if (is_best) verify_alone(c, trial);
}

}  // namespace mdh::tuning
