// Tuning records for programs: what was measured before, in the names of the program at hand.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mdh/driver/executable.h"
#include "mdh/tune/lookup.h"
#include "mdh/tuning/chosen_config.h"
#include "mdh/tuning/program_key.h"

namespace mdh::tuning {

/// Where a program is to run.
struct Site {
  const driver::Target* target = nullptr;
  std::string device;                         // "opencl:1"; empty: the target's first
  const machine::Machine* machine = nullptr;  // none: the one that a configuration was made for
  const tune::MachineIdentity* hardware = nullptr;  // none: what the target computes on here
};

/// A program as records know it, and the way to their names.
struct RecordKey {
  tune::TuningProblem problem;
  ConfigNames names;
};
RecordKey record_key(const hl::Program& program, const Site& where);

/// A record of a configuration for the program, in positional names, with the time of day and the
/// version of mdh. What came of it is for the caller to fill in.
tune::Record new_record(const hl::Program& program, const machine::Machine& machine,
                        const ll::Config& config, const Site& where);

/// The configuration of a record in the program's names.
struct RecordedConfig {
  ll::Config config;
  machine::Machine machine;
  tune::Record record;
};

struct BestConfig {
  std::optional<RecordedConfig> found;
  std::vector<std::string> skipped;  // why faster ones are not used: not valid, no such compiler
};

/// The fastest proven configuration that is valid for the program.
BestConfig best_config(const hl::Program& program, const Site& where,
                       const std::vector<tune::Record>& records);

/// What a search need not find out again: configurations with proven times that nobody disturbed,
/// the best first, of which the first is valid, and those that crashed or computed something else.
struct KnownConfigs {
  std::vector<RecordedConfig> proven;
  std::vector<RecordedConfig> failed;
};
KnownConfigs known_configs(const hl::Program& program, const Site& where,
                           const std::vector<tune::Record>& records);

/// The best configurations of the same program at other sizes, the nearest first: places to begin a
/// search at. They are read, but need not be valid for these sizes.
std::vector<RecordedConfig> neighbours(const hl::Program& program, const Site& where,
                                       const std::vector<tune::Record>& records, size_t count);

/// Configurations of the same program for any sizes and machines, those of similar machines and
/// sizes first, whether they have times or not. They are read, but need not be valid here.
std::vector<RecordedConfig> similar(const hl::Program& program, const Site& where,
                                    const std::vector<tune::Record>& records, size_t count);

/// What to use for a program without a record: what the model chooses (model_choice.h) where it
/// can, or the default configuration.
enum class WithoutRecord { model, usual };

/// The best configuration for the program, else one for that many cores.
struct Selection {
  ChosenConfig chosen;
  machine::Machine machine;
  std::vector<std::string> skipped;
  /// Where the model chose: what was the best for neighbouring sizes, and may be faster here
  /// (neighbour_choice.h).
  std::vector<ll::Config> rivals;
};
Selection select_config(const hl::Program& program, const Site& where,
                        const std::vector<tune::Record>& records, int cores,
                        WithoutRecord otherwise = WithoutRecord::model);

/// Compiles with the best configuration that the user's records have for this machine, else with
/// what came with the program (shipped.h): in this file, which must be there, or beside the file
/// that the program was read from, which is left alone if it cannot be read. Else with what the
/// model chooses or, if that is measured to be faster, what was the best for a
/// neighbouring size. Records that do not compile here are passed over (fallback.h).
driver::Executable compile_tuned(const hl::Program& program, const driver::Target& target,
                                 const std::string& device = {},
                                 const std::string& tuned_file = {});

/// "61.2 us, 2026-11-15T17:20:25Z", or "61.2 us, matvec.mdh.tuned:3"
std::string describe(const tune::Record& record);

}  // namespace mdh::tuning
