// Faults, drawn from seeds, and what becomes of them.
#pragma once

#include <nlohmann/json.hpp>

#include "tests/faults/mutation.h"
#include "tests/faults/subject.h"

namespace mdh::test {

/// A mutant that is known to be wrong.
struct Fault {
  uint64_t seed = 0;
  std::string target;  // "openmp", "opencl"
  Subject subject;
  Mutation mutation;
  bool is_large = false;  // one of about 2²⁰ terms
  int equivalent = 0;     // mutants that were drawn before it and are no faults
};

struct PlantOptions {
  std::string target = "openmp";
  std::string kind;  // none: every seed has one of its own
};

/// Nothing where so many draws in a row are no faults that there may be none.
std::optional<Fault> plant(uint64_t seed, const PlantOptions& options);

enum class Fate {
  caught,   // refused: its results are wrong
  crashed,  // it did not compile, crashed or took too long
  escaped,  // accepted
  idle,     // no configuration that a search tried makes it a fault
};
std::string to_string(Fate fate);

struct Outcome {
  Fate fate = Fate::caught;
  std::string complaint;
};

/// As `mdh run` would.
Outcome run_planted(const Fault& fault);

/// As `mdh tune` would, with so many configurations. Some of them may turn the mutation into no
/// fault; only others count. None of those may become the best.
Outcome tune_planted(const Fault& fault, size_t configurations);

/// Half of them of the programs of the faults, half of anything.
Subject right_subject(uint64_t seed, const std::string& target);

/// Why a kernel that is right is refused; empty if it is accepted. Nothing for what the target does
/// not do.
std::optional<std::string> run_right(const Subject& subject, const std::string& target,
                                     uint64_t seed);

/// Program, machine, configuration and mutation as files, to look at and to plant again.
std::string save(const Fault& fault, const Outcome& outcome, const std::string& folder);

nlohmann::json to_json(const Fault& fault);

}  // namespace mdh::test
