// What `mdh bench gpu` has measured: a file that comes home from the machine with the GPU, and from
// which tables are made without one.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/measure.h"

namespace mdh::bench::gpu {

/// In what is told about a candidate whose configuration was refused.
inline const std::string refused_word = "its own was refused";

/// Of one candidate.
struct Entry {
  std::string name;  // "mdh", "mdh opencl", or the name of a peer
  PeerKind kind = PeerKind::library;
  Standing standing = Standing::absent;
  std::string about;                     // how it was compiled, or the configuration
  std::string note;                      // versions and way, or what is wrong
  std::string config_hash = {};          // of mdh's configuration
  std::string verified = "none";         // "sampled", "full"
  bool is_exact = false;                 // also on whole numbers
  std::optional<double> deviation = {};  // from the result in f64, the largest of all elements
  double sampled_deviation = 0;          // from the definition, of the elements that were verified
  std::vector<double> warm_us = {}, cold_us = {};  // the median of each round

  /// The default ran, because the configuration for the workload was refused.
  bool is_makeshift() const { return about.find(refused_word) != std::string::npos; }

  const std::vector<double>& times(runtime::Caches caches) const {
    return caches == runtime::Caches::cold ? cold_us : warm_us;
  }
};

/// Of one workload.
struct Row {
  std::string name, title, program;
  std::vector<std::pair<std::string, int64_t>> sizes;
  double operations = 0, bytes = 0;
  double largest = 0;          // magnitude in the result in f64; 0: not computed
  std::vector<Entry> entries;  // mdh first
};

struct Recording {
  std::string version;  // of mdh
  std::string date;     // UTC
  std::string command;
  std::string device, driver;  // "NVIDIA H200", "sm_90, CUDA 13.0"
  std::string host;
  int rounds = 0;
  std::vector<Row> rows;
};

Row row_of(const Result& result);

std::string to_json(const Recording& recording);

/// The content of a file that to_json() has written; a user error (E850) if it is something else.
Recording recording_from(const std::string& text, const std::string& file);

/// A workload that several recordings have counts once, as the last one has it.
std::vector<Row> rows_of(const std::vector<Recording>& recordings);

}  // namespace mdh::bench::gpu
