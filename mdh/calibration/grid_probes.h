// Small CUDA kernels whose times say how fast a device is.
#pragma once

#include <cstdint>
#include <string>

#include "mdh/kernel/module.h"

namespace mdh::calibration {

/// How much each probe does: so much that a probe takes about a millisecond on a large device, and
/// all together less than a second.
struct ProbeSizes {
  int64_t items = 1024;   // threads of a group that keeps a multiprocessor busy; a power of two
  int64_t rounds = 8192;  // of a loop that computes
  int64_t hops = 8192;    // from one address to the next
  int64_t memory = 512 << 20;    // bytes that no cache holds
  int64_t cache = 16 << 20;      // bytes that the second cache holds, and the first one does not
  int64_t times = 8;             // that they are read
  int64_t launches = 16;         // one after the other
  int64_t groups_of_reader = 8;  // for each multiprocessor, where memory is read
};

/// Every probe has one output of two numbers of 64 bits: the cycles of its first thread, and what
/// keeps the compiler from leaving the work out. Its input is read only where it says so.
struct GridProbes {
  GridProbes(int64_t multiprocessors, const ProbeSizes& sizes);

  kernel::Module multiply_adds, double_multiply_adds;  // many at once, on all multiprocessors
  kernel::Module chain, double_chain;                  // one after the other, of one warp
  kernel::Module shared_reads, shared_chain;           // of shared memory
  kernel::Module cache_chain, memory_chain;            // reads: each waits for the one before it
  kernel::Module cache_reads, memory_reads;            // as many as there can be
  kernel::Module barriers;
  kernel::Module one_launch, many_launches;  // of a kernel that does nothing

  /// Multiply-adds of one thread in a round of all kernels that compute; reads of shared memory, too.
  static constexpr int64_t of_a_round = 8;
};

}  // namespace mdh::calibration
