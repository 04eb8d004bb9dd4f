// How fast a machine is: what a short measurement of it found, or what is typical.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mdh/machine/machine.h"
#include "mdh/model/grid_rates.h"

namespace mdh::model {

/// One memory, as a core sees it: a cache, or what lies behind all of them.
struct MemoryRate {
  std::string name;        // of the machine's region; the last one is "memory"
  int64_t bytes = 0;       // that it holds; of the last one unknown, and enough
  double rate = 0;         // of the nearest one unknown: there, loads of vectors are counted
  double line = 0;         // a line from it that was not asked for ahead
  bool is_shared = false;  // all cores together have one
  friend bool operator==(const MemoryRate&, const MemoryRate&) = default;
};

/// Times are nanoseconds on one core, rates bytes per nanosecond.
struct Rates {
  double operation = 0.1;  // an operation on a vector, one of many that are independent
  double latency = 1.6;    // until its result can be used
  double load = 0.13;      // of a vector from the first cache
  double instruction = 0.05;
  double gathered = 0.5;  // one element that has to be put into its lane
  double copied = 0.35;   // one element of a tile, against the grain of memory
  /// From the nearest to the farthest; two at least.
  std::vector<MemoryRate> memories = {{"L1", 32 << 10},
                                      {"L2", 512 << 10, 40, 0.5},
                                      {"L3", 8 << 20, 16, 4, true},
                                      {"memory", 0, 16, 14, true}};
  double memory_of_all = 32;  // the rate of the farthest one, of all cores together
  double page_miss = 2.5;     // a line on a page that is not at hand
  double barrier = 600, launch = 2500;
  int64_t line_bytes = 64;
  int64_t vector_bytes = 16, registers = 32;
  int cores = 1;
  bool broadcasts_lanes = true;  // an operand may be one lane of a vector, at no cost
  GridRates grid;                // of machines with groups of threads, which need nothing else

  const MemoryRate& nearest() const { return memories.front(); }
  const MemoryRate& farthest() const { return memories.back(); }

  /// The largest cache.
  const MemoryRate& last_cache() const { return memories[memories.size() - 2]; }

  /// By name; nothing if there is none.
  MemoryRate* find(std::string_view name);

  /// Bytes of a memory that one core has for itself.
  int64_t share_of(const MemoryRate& memory) const;

  friend bool operator==(const Rates&, const Rates&) = default;
};

/// What the machine's description says of capacities and vectors instead of what is there.
void describe_by(const machine::Machine& machine, Rates& rates);

/// What is typical for such a machine; capacities and vectors are its own.
Rates typical_rates(const machine::Machine& machine, int cores);

/// JSON text, both ways: "l2_gbs", "l2_bytes" and "line_l2_ns" are those of the memory L2. What is
/// no such text, or lacks a number, gives nothing: then the machine is measured again.
std::string print(const Rates& rates);
std::optional<Rates> parse_rates(std::string_view text);

}  // namespace mdh::model
