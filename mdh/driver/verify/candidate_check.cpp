#include "mdh/driver/verify/candidate_check.h"

#include "mdh/hl/print.h"
#include "mdh/runtime/host/runtime.h"
#include "mdh/support/cores.h"

namespace mdh::driver {
namespace {

Subject subject_of(const hl::Program& computation, const scalar::Deviations& deviations,
                   CandidateCheck::Runs& runs) {
  Subject s{.computation = computation, .deviations = deviations};
  s.memory = [](const hl::Program& views) {
    return std::make_unique<Memory>(views, Memory::Place::shared);
  };
  s.run = [&runs](const Memory& memory) { runs.kernel(memory); };
  if (without_twin(computation).empty()) {
    s.run_twin = [&runs](const Memory& memory) { runs.twin(memory); };
  }
  return s;
}

}  // namespace

CandidateCheck::CandidateCheck(const hl::Program& program, Memory& memory, Checks::Inputs inputs,
                               const runtime::Accuracy& accuracy, uint64_t seed)
    : memory_(memory), accuracy_(accuracy), seed_(seed) {
  std::unique_ptr<Checks> checks = checks_of(program);
  const std::vector<kernel::Module> modules = checks->modules();
  if (!modules.empty()) {
    checks->use(runtime::host::load_plainly(modules), available_cores());
  }
  task_ = checks->task_for(memory, inputs);
  own_ = checks.get();
  checks_.emplace(hl::print(program), std::move(checks));
}

CandidateCheck::~CandidateCheck() = default;

Comparison CandidateCheck::compare_outputs() const { return own_->compare_with(task_, memory_); }

std::unique_ptr<Checks> CandidateCheck::checks_of(const hl::Program& computation) {
  const Meaning meaning = meaning_of(computation);
  const bool contracts = may_contract(meaning.f, meaning.combine);
  return std::make_unique<Checks>(
      subject_of(computation, deviations_of(accuracy_, contracts), runs_),
      CheckLimits{.seed = seed_, .keeps = true});
}

/// A configuration may fuse dimensions: then f takes another point, and the twin is another one.
Checks& CandidateCheck::checks_for(const Stages& stages) {
  const hl::Program& computation = stages.low.computation;
  const std::string key = hl::print(computation);
  auto found = checks_.find(key);
  if (found == checks_.end()) found = checks_.emplace(key, checks_of(computation)).first;
  return *found->second;
}

Verification CandidateCheck::verify(const Stages& stages, const Runs& runs) {
  runs_ = runs;
  Checks& checks = checks_for(stages);
  Verification result{coverage(), true};
  if (runs.twin) checks.check_twin(result);
  if (result.right) checks.check_thinned(result);
  return result;
}

}  // namespace mdh::driver
