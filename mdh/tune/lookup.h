// What the records say about a problem: the best configuration, those of similar sizes, and which
// records are worth keeping.
//
// A configuration may have been measured several times; its latest record counts, so that a lucky
// time does not stay, and one that turned out to be wrong is not used again. A time that other
// programs spoilt does not replace one that they did not.
#pragma once

#include <vector>

#include "mdh/tune/database.h"

namespace mdh::tune {

/// What a configuration is the best for.
struct TuningProblem {
  std::string program;  // canonical text
  std::map<std::string, int64_t> sizes;
  std::map<std::string, std::string> types;
  MachineIdentity machine;
  std::string target;
};

/// The proven records of the problem, the best first, one per configuration. Those that other
/// programs spoilt come last, and those that came with a program behind those of the user. Winners of a final come before the rest, which no final compared with
/// them or which lost it; then the fastest are first, where a time of one or two runs counts a
/// tenth more.
std::vector<Record> best_records(const std::vector<Record>& records, const TuningProblem& problem);

/// The latest records of configurations that crashed or computed something else: they would do so
/// again. What did not compile, took too long or ran out of memory may have suffered from others.
std::vector<Record> failed_records(const std::vector<Record>& records,
                                   const TuningProblem& problem);

/// The best records of the same problem at other sizes, one per sizes, the nearest first, at most
/// `count`. Distances are those of logarithms: from 512 it is as far to 256 as to 1024.
std::vector<Record> neighbours(const std::vector<Record>& records, const TuningProblem& problem,
                               size_t count);

/// Records of the program for the target on any machine, also without a time, but no failures: the
/// same machine first, then the same model, then the same instruction set, then all others; among
/// them the nearest sizes. One per configuration, at most `count`.
std::vector<Record> similar(const std::vector<Record>& records, const TuningProblem& problem,
                            size_t count);

enum class Failures { keep, drop };

struct PruneRules {
  size_t keep = 10;  // configurations per problem
  Failures failures = Failures::keep;
};

/// The best records of every problem and, unless they are dropped, the failures, in their order.
std::vector<Record> worth_keeping(const std::vector<Record>& records, const PruneRules& rules);

/// Rewrites the file with what is worth keeping. Lines that cannot be read go, those of later
/// versions stay.
struct Pruned {
  int64_t kept = 0;
  int64_t removed = 0;
  int64_t unreadable = 0;
};
Pruned prune(const Database& database, const PruneRules& rules);

}  // namespace mdh::tune
