// What one group of threads does: instructions, memory that it shares, waiting.
#pragma once

#include "mdh/model/grid_work.h"

namespace mdh::model {

struct GridBody {
  double instructions = 0;        // of all its warps
  double shared = 0;              // cycles of the memory that it shares
  double sectors = 0;             // that the cache of its multiprocessor delivers
  double stored = 0;              // sectors that it writes something of, as often as it does
  double side_by_side = 128;      // bytes that a store of a warp writes, at most a line
  double on_their_way = 0;        // bytes that a thread has asked for, at any time
  double waiting = 0;             // cycles, where nobody else runs beside it
  double together = 0;            // of that: all warps of a group at the same time
  double border = 0;              // cycles, of a group at an edge that waits for each of its loads
  double fills = 0;               // how often copies are filled whose readers wait for them
  double waiting_for_copies = 0;  // of that: loads of plain copies that others stand before
  double longest = 1;             // the longest point of f takes so many times the typical one
  double code = 0;                // bytes of instructions in the innermost loop
  double rounds = 1;              // of the innermost loop
  double whole_code = 0;          // with what is rarely executed
  int64_t ahead = 0;              // copies that are on their way while others are read
  double registers = 0;           // of a thread, of 32 bits
  double results = 1;             // of a thread, which do not wait for each other
  double shared_bytes = 0;        // of its tiles and results
};

/// `latency` is that of what groups read, in cycles.
GridBody grid_body(const GridWork& work, double latency);

}  // namespace mdh::model
