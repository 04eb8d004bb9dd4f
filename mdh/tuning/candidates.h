// Configurations that are tried: compiled together, run in a worker, checked, timed.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mdh/driver/target.h"
#include "mdh/hl/program.h"
#include "mdh/ll/config.h"
#include "mdh/machine/machine.h"
#include "mdh/runtime/build.h"
#include "mdh/runtime/load.h"
#include "mdh/runtime/worker/worker.h"
#include "mdh/scalar/array.h"
#include "mdh/tune/record.h"

namespace mdh::tuning {

struct CandidateOptions {
  const driver::Target* target = nullptr;
  std::string device = {};  // "opencl:1"; empty: the target's first
  machine::Machine machine;
  int threads = 1;
  uint64_t seed = 1;
  std::function<std::vector<scalar::Array>()> inputs;  // none: drawn from the seed
  runtime::WorkerOptions worker = {.time_limit = 10};
  runtime::BuildLimits build = {.seconds = 8};  // long code is rarely fast code
  double loading = 0.3;                         // seconds that a candidate may take beside its runs
};

/// What became of a configuration.
struct Trial {
  ll::Config config;
  tune::RecordOutcome outcome = tune::RecordOutcome::ok;
  std::string reason;  // of a failure
  runtime::Timing timing;
  std::string verified = "none";  // "sampled", "full"
  std::string compiler;
  double seconds = 0;        // of the search, when the outcome was known
  bool is_repeated = false;  // its code was measured before; nothing was compiled
  /// Bytes of registers that each thread keeps in memory, and of its arrays there, as far as the
  /// compiler tells.
  int64_t stack_bytes = 0;
  tune::FinalResult final_result = tune::FinalResult::none;

  bool is_good() const { return outcome == tune::RecordOutcome::ok; }
  bool is_loaded() const { return runtime::is_loaded(timing); }
};

/// Of two that are good, by the rules of records (lookup.h): a time that others disturbed is worse
/// than any other, and the winner of a final is better than what was in none.
bool is_better(const Trial& a, const Trial& b);

/// How much a measurement may cost.
struct Effort {
  runtime::TimingLimits limits = {.warm_up = 0, .least = 3, .most = 1000, .seconds = 0.06};
  /// Few runs decide whether a configuration is worth all of them; none: all are.
  std::optional<runtime::TimingLimits> look = std::nullopt;
  double look_us = 0;     // one that takes longer is not worth more
  double give_up_us = 0;  // a first run that takes longer is the last one; 0: never
  double best_us = 0;     // one that is faster is verified by itself; 0: every one
};

/// Every result is compared with the definition. What is faster than all before is also run on
/// other bytes in its outputs and on few whole numbers, and so is its twin (verify/twin.h).
class Candidates {
 public:
  Candidates(const hl::Program& program, CandidateOptions options);
  ~Candidates();

  /// In as few translation units as there are cores, which costs least, or each in one of its own.
  /// A configuration that cannot be lowered or compiled is lost alone. Together, those whose code
  /// is that of one that was measured before have its time at once. `seconds` is for one compiler;
  /// 0: that of the options.
  enum class Together { all, none };
  std::vector<Trial> compile(const std::vector<ll::Config>& configs, Together together,
                             double seconds = 0);

  /// Measuring leaves the cores of this machine to compilers.
  bool may_prepare() const;

  /// Begins to compile them all together, while others are measured. compile() of the same ones, in
  /// the order in which they were prepared, takes what became of them.
  void prepare(const std::vector<ll::Config>& configs);

  /// Nobody wants what is prepared any more: its compilers end at once.
  void drop_prepared();

  /// Runs and times what compile() left good; the n-th of them. What other programs disturb is
  /// timed again.
  void measure(size_t number, const Effort& effort, Trial& trial);

  /// Each compiler's code runs in a process of its own. The same code may be faster in an old one:
  /// what is compared from now on runs in new ones.
  void renew_processes();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace mdh::tuning
