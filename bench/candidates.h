// Those who compete in a workload: mdh and its peers, compiled.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/peers.h"
#include "mdh/tuning/records.h"

namespace mdh::bench {

/// A shared object and how it is called.
struct Candidate {
  std::string name;  // "mdh", or the name of a peer
  PeerKind kind = PeerKind::library;
  std::string about;    // compiler and flags, or the configuration
  std::string library;  // the file
  std::vector<std::string> functions;
  int64_t workspace_bytes = 0;
  int threads = 1;
  Pool pool = Pool::openmp;
  std::string absence = {};  // why it cannot take part
  /// Another program than the usual runner, and what it is told, the buffers excepted.
  std::vector<std::string> command = {};
  bool has_cold_caches = true;   // it can be timed with these, if that is asked for
  std::string config_hash = {};  // of mdh's configuration, for records
  std::shared_ptr<const void> keeps = {};
};

/// A peer and its source.
struct PeerSource {
  std::string name;
  PeerKind kind = PeerKind::library;
  PeerCode code;
};

/// One candidate each, in order: all are compiled at once, because there are many and compilers are
/// slow. Those that cannot be compiled say why.
std::vector<Candidate> compile_peers(const std::vector<PeerSource>& sources, int threads);

struct CandidateOptions {
  std::vector<Peer> peers;
  std::vector<std::pair<std::string, std::string>> user_files;  // name and C file
  std::string configs;                                          // a folder; empty: those inside
  std::optional<std::vector<tune::Record>> records;             // instead of a folder
  int threads = 1;
};

/// mdh first. Peers that do not compute the workload are left out; those that cannot be compiled
/// or are not installed are there and say so.
std::vector<Candidate> make_candidates(const Workload& workload, const Instantiated& at,
                                       const CandidateOptions& options);

}  // namespace mdh::bench
