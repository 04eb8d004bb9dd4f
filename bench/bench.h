// The benchmark as one function. Open this first.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/report.h"
#include "mdh/tuning/records.h"

namespace mdh::bench {

struct BenchOptions {
  std::string suite;
  std::vector<std::string> workloads;   // none: all of the suite
  std::vector<std::string> peers;       // none: all
  std::vector<std::string> peer_files;  // "NAME=F.c": further candidates
  std::string configs;                  // a folder with WORKLOAD.json; empty: those inside
  std::optional<std::vector<tune::Record>> records;  // mdh's configurations come from these
  int rounds = 0;                                    // 0: as many as the effort asks for
  int threads = 0;                                   // 0: all cores
  bool quick = false;
  std::string version;
  std::function<void(const std::string&)> progress = [](const std::string&) {};
};

/// Measures the workloads one after the other.
Report run(const BenchOptions& options);

/// The suite's workloads and all peers, one line each.
std::string list(const std::string& suite);

}  // namespace mdh::bench
