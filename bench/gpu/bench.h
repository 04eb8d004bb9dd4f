// `mdh bench gpu` as two functions. Open this first.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/gpu/recording.h"
#include "mdh/tuning/records.h"

namespace mdh::bench::gpu {

struct GpuOptions {
  std::vector<std::string> workloads;  // none: all of suite gpu; those of other suites may be named
  std::vector<std::string> peers;      // none: all
  std::vector<std::string> peer_files;  // "NAME=F.cpp": further candidates
  std::vector<std::string> targets;     // "cuda[:N]", and "opencl[:N]" for a second row of mdh
  std::vector<std::string> also;        // further rows of mdh: "default", "model"
  std::string configs;                  // a folder with WORKLOAD.json; empty: those inside
  std::optional<std::vector<tune::Record>> records;  // mdh's configurations come from these
  std::vector<runtime::Caches> caches = {runtime::Caches::warm, runtime::Caches::cold};
  int rounds = 0;  // 0: as many as the effort asks for
  bool quick = false;
  std::string version;
  std::string command;  // for the recording
  std::function<void(const std::string&)> progress = [](const std::string&) {};
  /// What there is so far, after every workload: a run that is cut short leaves something.
  std::function<void(const Recording&)> keep = [](const Recording&) {};
};

/// Measures the workloads one after the other. "Missing" if there is no GPU.
Recording run(const GpuOptions& options);

/// The workloads and the peers, one line each.
std::string list();

}  // namespace mdh::bench::gpu
