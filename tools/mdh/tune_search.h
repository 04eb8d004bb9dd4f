// One search of `mdh tune`: what it takes over from earlier ones, what it records, and what it ships.
#pragma once

#include <string>
#include <vector>

#include "mdh/tuning/tuner.h"
#include "tools/mdh/verbs.h"

namespace mdh::tool {

/// Ctrl-C ends the search, not the program: the best so far is kept. A second one ends all.
class StopOnInterrupt {
 public:
  StopOnInterrupt();
  ~StopOnInterrupt();
  StopOnInterrupt(const StopOnInterrupt&) = delete;
  StopOnInterrupt& operator=(const StopOnInterrupt&) = delete;

  static bool is_asked_to_stop();

 private:
  void (*previous_)(int);
};

/// The problem of a search, with nothing chosen for it yet.
Problem problem_to_tune(const Request& request);

/// What earlier searches left. The first one makes the file; that of the user is no reason to stop
/// if it cannot be read.
std::vector<tune::Record> earlier_records(const Request& request);

struct SearchOutcome {
  tuning::TuneReport report;
  bool is_over_shipped = false;  // the gain is over the configuration that came with the program
  size_t recorded = 0;
  std::string records;  // "FILE", or how much of it is there; empty if nothing was to be written
  std::string shipped;  // what became of the file of tuned configurations, if it was to be written
};

/// Searches, with progress on stderr. `records` are those known before; what is measured joins them.
SearchOutcome search(const Request& request, const TuneVerbOptions& verb, const Problem& problem,
                     std::vector<tune::Record>& records);

/// The line of a reason that says what is wrong: compilers begin with where it is.
std::string gist(const std::string& reason);

}  // namespace mdh::tool
