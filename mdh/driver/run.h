// Run a program on a target: compute, verify, time.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "mdh/driver/executable.h"
#include "mdh/driver/memory.h"
#include "mdh/driver/verification.h"
#include "mdh/hl/evaluate.h"
#include "mdh/runtime/load.h"
#include "mdh/runtime/worker/worker.h"

namespace mdh::driver {

struct RunOptions {
  const Target* target = nullptr;
  std::string device;  // "opencl:1"; empty: the target's first
  machine::Machine machine;
  ll::Config config;
  std::function<ll::Config()> otherwise;  // if no compiler takes the source of this one
  int threads = 1;
  uint64_t seed = 1;
  std::function<std::vector<scalar::Array>()> inputs;  // none: drawn from the seed
  MemoryKernel plain;                                  // what the reference is checked against
  bool compare = false;                                // also time the plain loop, interleaved
  runtime::Caches caches = runtime::Caches::warm;      // that each timed call finds
  runtime::Worker* worker = nullptr;                   // none: compiled code runs in this process
  std::function<void(const std::string&)> progress = [](const std::string&) {};
  std::function<void(const std::string&)> note = [](const std::string&) {};  // what is unusual
  hl::Progress share;  // how much of a step is done, where the definition is evaluated
};

struct RunReport {
  std::vector<scalar::Array> outputs;
  Verification verification;
  runtime::Timing timing;
  runtime::Caches caches = runtime::Caches::warm;  // in which it was timed
  std::string device, device_model;  // "cuda:0" and its name; empty where it is this machine itself
  double gflops = 0;                 // operations of f plus one per combination
  double gbs = 0;                    // every buffer once
  double plain_ratio = 0;            // time of the plain loop over ours, if compared

  /// Other programs used the cores while it was timed.
  bool is_loaded() const { return runtime::is_loaded(timing); }
};

/// Computes with inputs drawn from the seed. No time is reported for a wrong result: the caller
/// looks at verification.right first. Compiled code that fails in a worker is an error. The plain
/// loop is compared with a kernel in this process: by then it is known to work.
RunReport run(const hl::Program& program, const RunOptions& options);

/// Runs a compiled kernel twice on differently poisoned outputs. Elements that differ between the
/// two runs were never written and come back undefined.
std::vector<scalar::Array> run_poisoned(const Executable& executable,
                                        const std::vector<scalar::Array>& inputs, int threads);

}  // namespace mdh::driver
