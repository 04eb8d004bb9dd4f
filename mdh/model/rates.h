// How fast a machine is: what a short measurement of it found, or what is typical.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "mdh/machine/machine.h"

namespace mdh::model {

/// Times are nanoseconds on one core, rates bytes per nanosecond.
struct Rates {
  double operation = 0.1;  // an operation on a vector, one of many that are independent
  double latency = 1.6;    // until its result can be used
  double load = 0.13;      // of a vector from the first cache
  double instruction = 0.05;
  double gathered = 0.5;                 // one element that has to be put into its lane
  double copied = 0.35;                  // one element of a tile, against the grain of memory
  double l2 = 40, l3 = 16, memory = 16;  // of one core
  double memory_of_all = 32;             // of all cores together
  double line_l2 = 0.5, line_l3 = 4, line_memory = 14;  // a line that was not asked for ahead
  double page_miss = 2.5;                               // a line on a page that is not at hand
  double barrier = 600, launch = 2500;
  int64_t l1_bytes = 32 << 10, l2_bytes = 512 << 10, l3_bytes = 8 << 20;
  int64_t line_bytes = 64;
  int64_t vector_bytes = 16, registers = 32;
  int cores = 1;
  bool broadcasts_lanes = true;  // an operand may be one lane of a vector, at no cost
  friend bool operator==(const Rates&, const Rates&) = default;
};

/// What is typical for such a machine; capacities and vectors are its own.
Rates typical_rates(const machine::Machine& machine, int cores);

/// JSON text, both ways. What is no such text, or lacks a number, gives nothing: then the machine
/// is measured again.
std::string print(const Rates& rates);
std::optional<Rates> parse_rates(std::string_view text);

}  // namespace mdh::model
