// Whom mdh is compared with. A peer is a source text that is compiled when it is needed, here, with
// the sizes of the workload as constants: a call of a library, a plain loop, or a prototype.
//
// The text defines
//   void run(void** buffers, char* workspace, long threads);   outputs first, as kernels of mdh
// and may define
//   const char* open_peer(long threads);   opens a library; a text says why that is not possible
//   const char* about(void);               version and implementation
//   void load_peer(void** buffers);        new inputs are there: what is prepared once, untimed
//   void store_peer(void** buffers);       the outputs are needed in the buffers; untimed
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/workloads.h"

namespace mdh::bench {

/// Prototypes are our own: they show what generated code could reach, and are not ranked. Nor is mdh
/// itself on another target than the one that is compared.
enum class PeerKind { mdh, library, plain, prototype, user, other_target };

/// Whose threads compute: those of OpenMP, which can be placed, or those of a library that makes
/// its own, or that looks how many cores it may use, as oneMKL does.
enum class Pool { openmp, own };

struct PeerCode {
  std::string source;
  std::string compiler;            // "gcc", "clang" or a program
  std::vector<std::string> flags;  // besides -O3 and the instruction set
  bool contract = true;
  Pool pool = Pool::openmp;
  std::string headers = {};  // a header that must be there for it to compile
  std::string absence = {};  // why it need not be tried
};

struct Peer {
  std::string name;
  std::string summary;
  PeerKind kind = PeerKind::library;
  /// Nothing if the peer does not compute the workload.
  std::optional<PeerCode> (*code)(const Workload&, const Instantiated&) = nullptr;
};

const std::vector<Peer>& peers();

/// The peers of these names, all if there are none; a user error with the nearest name.
std::vector<Peer> select_peers(const std::vector<std::string>& names);

/// A source with the sizes of the workload in place of #include "sizes.h", and the project's own
/// headers in place of theirs.
std::string with_sizes(const std::string& source, const Workload& workload,
                       const Instantiated& instantiated,
                       const std::vector<std::pair<std::string, std::string>>& definitions = {});

}  // namespace mdh::bench
