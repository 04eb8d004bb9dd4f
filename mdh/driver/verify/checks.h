// The three checks of a kernel: its twin, thinned whole numbers, random data.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "mdh/driver/memory.h"
#include "mdh/driver/verification.h"
#include "mdh/driver/verify/comparison.h"
#include "mdh/driver/verify/data_sets.h"
#include "mdh/driver/verify/twin.h"
#include "mdh/driver/verify/yardstick.h"
#include "mdh/hl/evaluate.h"

namespace mdh::driver {

/// What is verified, and how it is run. Kernels run on memory that `memory` made.
struct Subject {
  /// The computation as it was lowered: dimensions may be fused, the memory is the same.
  hl::Program computation;
  scalar::Deviations deviations;
  std::vector<int64_t> border_steps;  // per dimension: a tile size
  std::function<std::unique_ptr<Memory>(const hl::Program& views)> memory;
  std::function<void(const Memory&)> run;
  /// Runs the twin made with this seed; none if there is no twin.
  std::function<void(const Memory&)> run_twin;
};

/// How much may be computed.
struct CheckLimits {
  int64_t interpreted = int64_t{1} << 18;  // points that are evaluated one by one
  int64_t compiled = full_limit;           // points that plain loops compute
  int samples = sample_count;
  uint64_t seed = 1;
  hl::Progress share = {};
  bool keeps = false;  // data sets and what is expected of them, for the next kernel
};

/// The definition and that of the twin, compiled where that is worth it.
class Checks {
 public:
  Checks(Subject subject, CheckLimits limits);

  /// Plain loops that should be compiled, with the twin, before anything is checked; none for
  /// small programs.
  std::vector<kernel::Module> modules() const;
  void use(const runtime::LoadedKernels& kernels, int threads);

  /// What is expected of any kernel on the inputs in memory. Where rounding would hide too much,
  /// and the inputs may be changed, they are thinned first.
  struct Task {
    Points points;
    Expected expected;
    Coverage coverage = Coverage::none;
  };
  enum class Inputs { given, own };
  Task task_for(Memory& memory, Inputs inputs);

  /// Outputs of any kernel on the inputs of a task.
  Comparison compare_with(const Task& task, const Memory& memory) const;

  void check_twin(Verification& result);
  void check_thinned(Verification& result);

  /// Outputs that were computed from inputs in this memory.
  void check_random(const Memory& memory, int64_t depth, Verification& result);

  /// On data of its own, so thin that rounding errors are small beside a tenth of the terms.
  void check_random_thinned(Verification& result);

 private:
  struct Set {
    Numbers numbers = Numbers::whole;
    double terms = 1;  // per result, about
    bool borders = false;
    size_t gate = 0;
    uint64_t seed = 1;
    bool sampled = false;  // compared at some points only
  };
  /// Data in memory of their own.
  struct Prepared {
    std::unique_ptr<Memory> memory;
    Points points;
    About about;
    std::optional<Expected> expected;  // if another kernel may need it
  };
  struct Judged {
    Comparison comparison;
    double weakness = 0;
    bool orders_differ = false;
  };
  Prepared prepared_set(const Set& set);
  Prepared prepared_twin(int round);
  Prepared& kept(const std::string& key, const std::function<Prepared()>& make);
  void check_set(const Set& set, const std::string& what, Verification& result, Check& check);
  /// How many points are compared where not all of them are: thousands; hundreds, for there are
  /// more sets; few, whatever the size.
  enum class Sampling { generous, sparing, always };
  void finish(const Yardstick& yardstick, Prepared& p, Sampling sampling) const;
  Judged judged(const Yardstick& yardstick, const Prepared& p) const;
  Judged judged(const Yardstick& yardstick, const Memory& memory, const Points& points,
                const About& about) const;
  Comparer::SecondOpinion second_opinion(const Yardstick& yardstick, const Memory& memory,
                                         const Points& points, const About& about) const;
  void check_few(Verification& result);
  void check_wide(Verification& result);
  bool may_have_wide() const;
  Points points(const Yardstick& yardstick, Sampling sampling = Sampling::generous) const;
  Coverage coverage(const Points& points) const;
  std::span<void* const> inputs_of(const Memory& memory) const;
  std::span<void* const> outputs_of(const Memory& memory) const;

  Subject subject_;
  CheckLimits limits_;
  Yardstick yardstick_;
  std::optional<Yardstick> twin_;
  runtime::LoadedKernels kernels_;
  int threads_ = 1;
  std::vector<Gate> gates_;
  std::map<std::string, Prepared> kept_;
};

}  // namespace mdh::driver
