// From configurations to files that a worker can load, many at once.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mdh/kernel/module.h"
#include "mdh/tuning/candidates.h"

namespace mdh::tuning {

/// The source of a configuration, or why there is none.
struct Lowered {
  std::optional<kernel::Module> module;
  tune::RecordOutcome outcome = tune::RecordOutcome::ok;
  std::string reason;
};

/// On all cores: long code takes as long to make as to compile. Each has a name of its own. In the
/// background, threads get out of the way of others, and what is cancelled is left out.
std::vector<Lowered> lower_each(const hl::Program& program, const std::vector<ll::Config>& configs,
                                const std::vector<std::string>& names,
                                const CandidateOptions& options,
                                const runtime::BuildLimits& limits);

/// What configurations that differ in decisions without effect have in common; `name` is the one
/// that their functions have.
std::string code_of(const kernel::Module& module, const std::string& name);

/// In as few units as there are cores, or each in one of its own; outcomes in the order of the
/// modules. What goes wrong for all, such as a full disk, is the outcome of each.
std::vector<runtime::Built> build(const runtime::Device& device,
                                  const std::vector<kernel::Module>& modules,
                                  Candidates::Together together,
                                  const runtime::BuildLimits& limits);

}  // namespace mdh::tuning
