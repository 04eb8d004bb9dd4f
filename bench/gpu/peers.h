// Whom mdh is compared with on GPUs. A peer is a source that is compiled when it is needed, with the
// sizes of the workload as constants, or a script of Python.
//
// A source defines, extern "C",
//   int run(void** buffers, char* workspace, void* stream);   device memory, outputs first, and a
//                                                             CUstream; anything but 0 is a failure
// and may define
//   const char* open_peer(long);          opens a library; a text says why that is not possible
//   const char* about(void);              versions
//   long workspace_bytes(void);           of device memory; none if it is missing
//   const char* load_peer(void** buffers, char* workspace, void* stream);    new inputs: what is
//                                                                            prepared once, untimed
//   const char* store_peer(void** buffers, char* workspace, void* stream);   outputs are needed
//   long count_ways(void);                after load_peer: how many ways there are to compute it
//   const char* choose_way(long n);       run() takes this way from now on; its name, or null if
//                                         that is not possible. The fastest way is taken.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bench/candidates.h"

namespace mdh::bench::gpu {

/// What a peer is written in.
enum class Written { cpp, cuda, python };

/// Whether a peer can be timed with cold caches.
enum class Cold { yes, no };

struct GpuPeer {
  std::string name;
  std::string summary;
  Written written = Written::cpp;
  std::string file;                // in bench/peers, or a path
  std::set<std::string> programs;  // "ccsdt" is all contractions
  Cold cold = Cold::yes;
  PeerKind kind = PeerKind::library;
  std::vector<std::string> flags = {};  // of nvcc, besides the usual ones
};

const std::vector<GpuPeer>& peers();

/// The peers of these names, all if there are none; a user error with the nearest name.
std::vector<GpuPeer> select_peers(const std::vector<std::string>& names);

/// One of the user's own: "NAME=F.cpp" or "NAME=F.cu". It is measured with every workload.
GpuPeer peer_of_user(const std::string& text);

bool computes(const GpuPeer& peer, const Workload& workload);

/// Those of the peers that compute the workload. What cannot be compiled or is not installed is
/// there and says so. `device` is "cuda:0", `arch` its kind: "sm_90".
std::vector<Candidate> peer_candidates(const std::vector<GpuPeer>& peers, const Workload& workload,
                                       const Instantiated& at, const std::string& device,
                                       const std::string& arch);

}  // namespace mdh::bench::gpu
