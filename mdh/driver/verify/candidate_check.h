// Candidates of a search, judged by the definition.
#pragma once

#include <map>
#include <memory>

#include "mdh/driver/stages.h"
#include "mdh/driver/verify/checks.h"
#include "mdh/driver/verify/comparison.h"

namespace mdh::driver {

class CandidateCheck {
 public:
  /// All candidates run on this memory, on a device of this accuracy; inputs that are not the
  /// user's may be thinned here. Plain loops of the definition are compiled where that is worth it.
  CandidateCheck(const hl::Program& program, Memory& memory, Checks::Inputs inputs,
                 const runtime::Accuracy& accuracy, uint64_t seed);
  ~CandidateCheck();

  /// What a candidate left in the outputs.
  Comparison compare_outputs() const;
  Coverage coverage() const { return task_.coverage; }

  /// How a candidate and its twin, if there is one, run on other memory, which can be shared.
  struct Runs {
    std::function<void(const Memory&)> kernel, twin;
  };

  /// The twin and few whole numbers; random data were compared before.
  Verification verify(const Stages& stages, const Runs& runs);

 private:
  std::unique_ptr<Checks> checks_of(const hl::Program& computation);
  Checks& checks_for(const Stages& stages);

  Memory& memory_;
  runtime::Accuracy accuracy_;
  uint64_t seed_;
  Runs runs_;                                              // of the candidate that is verified now
  std::map<std::string, std::unique_ptr<Checks>> checks_;  // by the computation, as it is fused
  const Checks* own_;                                      // of the program as it stands
  Checks::Task task_;
};

}  // namespace mdh::driver
