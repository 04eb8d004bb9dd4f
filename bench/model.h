// How well the cost model ranks configurations: `mdh bench model`.
//
// Searches begin with what the model estimates to be fast, and look near it. Whether it is right
// about that is seen where all kinds of configurations are: random ones are estimated, and then
// compiled, verified and measured as a search does it.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/machine.h"
#include "mdh/calibration/rates.h"
#include "mdh/tuning/candidates.h"

namespace mdh::bench {

struct ModelOptions {
  hl::Program program;  // concrete
  std::string sizes;    // "I=512 J=512 K=512", for people
  tuning::CandidateOptions candidates;
  size_t count = 200;  // of configurations
  uint64_t seed = 1;   // of the drawing
  std::string version;
  std::function<void(const std::string&)> progress = [](const std::string&) {};
};

/// A configuration, estimated and measured.
struct Ranked {
  ll::Config config;
  double estimate_us = 0;
  std::string outcome = "ok";  // else the kind of its failure: "compile_timeout", "wrong"
  std::string reason;          // of the failure
  runtime::Timing timing;      // nothing if it failed
  std::string verified = "none";

  bool is_measured() const { return outcome == "ok"; }
};

struct ModelReport {
  std::string program;
  std::string sizes;
  MachineReport machine;
  std::string version;
  std::string compiler;  // of all configurations, with its flags
  std::string rates;     // where those of the model come from
  model::Rates rate_values;
  double estimates_per_second = 0;  // by the model
  double checks_per_second = 0;     // whether a configuration is valid
  int threads = 1;
  uint64_t seed = 1;
  size_t asked = 0;             // may be more than the space has
  std::vector<Ranked> configs;  // as they were drawn
};

ModelReport measure_model(const ModelOptions& options);

/// The report of a file that to_json() has written, with its times and the estimates of today's
/// model, at the rates of then: whether a change of the model makes it better. A user error if the
/// file is something else, or about another program or other sizes than those of the options.
ModelReport estimated_again(const std::string& file, const ModelOptions& options);

/// The configurations of such a file, measured here and now: for code that has changed since.
ModelReport measured_again(const std::string& file, const ModelOptions& options);

size_t measured_count(const ModelReport& report);

/// How many failed, by kind.
std::map<std::string, size_t> failures(const ModelReport& report);

/// Spearman's, of estimates and times of what was measured: 1 if the model has the order of the
/// clock.
std::optional<double> rank_correlation(const ModelReport& report);

/// Estimate / time of every configuration that was measured.
std::vector<double> estimate_ratios(const ModelReport& report);

std::string to_table(const ModelReport& report);
std::string to_json(const ModelReport& report);

}  // namespace mdh::bench
