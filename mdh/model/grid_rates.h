// How fast a device with groups of threads is, or what is typical for one.
#pragma once

#include <cstdint>

namespace mdh::model {

/// Cycles are those of a multiprocessor, rates of all of them together are bytes per nanosecond.
struct GridRates {
  int64_t multiprocessors = 132;
  double clock = 1.75;        // cycles per nanosecond
  double issued = 4;          // instructions of warps that a multiprocessor begins in a cycle
  double doubles = 0.5;       // operations on f64, where one on f32 counts 1
  double shared_bytes = 128;  // that its shared memory moves in a cycle
  double cached_sectors = 2;  // that its cache delivers in a cycle
  double l2_rate = 7000;      // bytes
  double memory_rate = 4600;  // bytes
  double bytes_on_their_way = 32 << 10;  // for that, of a multiprocessor
  double shared_latency = 30;            // cycles
  double l2_latency = 280;
  double memory_latency = 800;
  double chain = 4.5;        // cycles until a result can be used
  double double_chain = 16;  // the same of operations on f64
  double barrier = 30;       // cycles
  double launch = 1200;      // nanoseconds, of the first launch of a call
  double following = 1000;   // of any other
  int64_t warp = 32;         // threads
  int64_t sector = 32;       // bytes
  int64_t line = 128;        // of a cache
  // ---- what a multiprocessor has room for
  int64_t cache = 256 << 10;   // bytes of its cache and its shared memory together
  int64_t shared = 228 << 10;  // bytes of it for groups, with what the device takes for each
  int64_t registers = 65536;   // of 32 bits
  int64_t threads = 2048;
  int64_t groups = 32;
  int64_t l2 = 50 << 20;  // bytes
  // ---- instructions
  int64_t code = 128 << 10;  // bytes that stay near a multiprocessor
  double code_rate = 10;     // bytes per nanosecond, where they come from farther away
  friend bool operator==(const GridRates&, const GridRates&) = default;
};

}  // namespace mdh::model
