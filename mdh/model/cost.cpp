#include "mdh/model/cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mdh/model/body.h"
#include "mdh/model/traffic.h"

namespace mdh::model {
namespace {

using machine::LayerKind;

bool is_copied(const ll::Config& config, const BufferShape& buffer) {
  const auto staged = config.stage.find(buffer.name);
  return staged != config.stage.end() && !staged->second.front().layout.empty();
}

/// All inputs that move with a dimension are copied, with room for whole tiles.
bool reads_copies(const Shape& shape, const ll::Config& config, int d) {
  return std::all_of(shape.buffers.begin(), shape.buffers.end(), [&](const BufferShape& b) {
    return b.is_output || !depends_on(b, d) || is_copied(config, b);
  });
}

/// A tile that is moved along a dimension finds what it reads: nothing of that was copied.
bool can_shift(const Shape& shape, const ll::Config& config, int d) {
  return std::none_of(shape.buffers.begin(), shape.buffers.end(), [&](const BufferShape& b) {
    return !b.is_output && depends_on(b, d) && is_copied(config, b);
  });
}

/// Parts that do not divide a dimension have to be asked whether they are there. Where cores have
/// different shares of a dimension, tiles of the user's buffers cannot be shifted at the end.
double padding_of(const Shape& shape, const ll::Config& config, const Structure& s, int d) {
  const int64_t covered = s.whole.points(d, 0), size = shape.dimensions[d].size;
  const int64_t tile = s.loops.points(d, s.replicated);
  if (covered == size || tile == 1) return 1;
  if (shape.dimensions[d].kind != DimensionKind::kept) return 1.15;
  if (size % tile == 0) return 1.02;
  const bool dealt = s.cores.points(d, 0) > 1;
  return dealt && !reads_copies(shape, config, d) ? 1.25 : 1.1;
}

/// Results are finished when they leave the registers.
bool finishes_in_registers(const Shape& shape, const ll::Config& config, const Structure& s) {
  for (size_t n = 0; n < s.whole.levels.size(); ++n) {
    const Level& level = s.whole.levels[n];
    const bool reduces = shape.dimensions[level.dimension].kind != DimensionKind::kept;
    const bool inside = std::any_of(config.acc.begin(), config.acc.end(), [&](const auto& acc) {
      return !acc.second.empty() && s.whole.position(acc.second.back().from) <= n;
    });
    if (reduces && !inside) return false;
  }
  return true;
}

/// Tiles that reach over the end of kept dimensions are computed like the others: all from copies
/// that have room for them, or all shifted back.
bool are_whole_at_edges(const Shape& shape, const ll::Config& config, const Structure& s) {
  bool copied = true, shifted = finishes_in_registers(shape, config, s);
  for (size_t n = 0; n < shape.dimensions.size(); ++n) {
    const int d = static_cast<int>(n);
    const int64_t tile = s.loops.points(d, s.replicated), size = shape.dimensions[n].size;
    if (size % tile == 0 || shape.dimensions[n].kind != DimensionKind::kept) continue;
    copied = copied && reads_copies(shape, config, d);
    shifted = shifted && size >= tile && can_shift(shape, config, d);
  }
  return copied || shifted;
}

/// Rounds of the innermost loop in the whole computation. Tiles at an edge cost more unless they
/// are computed like the others.
double rounds_of(const Shape& shape, const ll::Config& config, const Structure& s) {
  double rounds = 1;
  const bool whole = are_whole_at_edges(shape, config, s);
  for (size_t n = 0; n < shape.dimensions.size(); ++n) {
    const int d = static_cast<int>(n);
    const int64_t tile = s.loops.points(d, s.replicated), size = shape.dimensions[n].size;
    double count = static_cast<double>(size / tile);
    if (size % tile != 0) {
      const bool reduced = shape.dimensions[n].kind != DimensionKind::kept;
      count += reduced ? 2.0 : whole ? 1.0 : 3.0;
    }
    rounds *= std::max(count, 1.0) * padding_of(shape, config, s, d);
  }
  return rounds;
}

/// The part of the work that the slowest core does.
double share_of_slowest(const Shape& shape, const Structure& s, int cores) {
  double parts = 1, padding = 1;
  for (const Level& level : s.cores.levels) {
    const int64_t size = shape.dimensions[level.dimension].size;
    const int64_t active = std::min(level.parts, (size + level.step - 1) / level.step);
    parts *= static_cast<double>(active);
    padding *= static_cast<double>(active * level.step) / static_cast<double>(size);
  }
  const double used = std::ceil(parts / cores);
  return std::min(1.0, used / parts * std::max(1.0, padding));
}

/// Results leave the registers, and every innermost loop that begins costs a little.
double flushing(const Structure& s, const Body& body, double rounds, const Rates& rates) {
  if (s.replicated == 0) return 0;
  double time = rounds / static_cast<double>(s.loops.levels[s.replicated - 1].parts) *
                (8 * rates.instruction + 2 * rates.latency);
  if (body.results == Results::kept) time += rounds / body.rounds_kept * 2 * body.stored;
  return time;
}

double combining(const Shape& shape, const Structure& s, const Rates& rates) {
  double time = 0;
  for (size_t n = 0; n < s.whole.levels.size(); ++n) {
    const Level& level = s.whole.levels[n];
    if (level.kind != LayerKind::cores) continue;
    double waits = 1;
    for (size_t q = 0; q < n; ++q) {
      if (s.whole.levels[q].kind == LayerKind::loop) {
        waits *= static_cast<double>(s.whole.levels[q].parts);
      }
    }
    if (waits > 1) time += waits * rates.barrier;
    if (shape.dimensions[level.dimension].kind == DimensionKind::kept) continue;
    double elements = 0;
    for (const BufferShape& b : shape.buffers) {
      if (b.is_output) elements += static_cast<double>(tile_of(shape, s.whole, b, n).elements);
    }
    // Every part has a slot, even where a core has several.
    const double slots = static_cast<double>(level.parts);
    time += waits * (rates.barrier + elements * (slots + 1) * 2 * rates.load);
  }
  return time;
}

/// Copies that all cores wait for.
double copies_before_cores(const ll::Config& config, const Structure& s) {
  double count = 0;
  for (const auto& [buffer, places] : config.stage) {
    for (const ll::Relocation& place : places) {
      const size_t at = s.whole.position(place.from);
      const bool before = at < s.whole.levels.size() && s.whole.levels[at].kind == LayerKind::cores;
      if (before) ++count;
    }
  }
  return count;
}

/// Decisions about code that differ from what is usual.
int extras_of(const ll::Config& config) {
  int count = config.code.kernel.emit == "program" ? 0 : 1;
  count += static_cast<int>(config.code.cores.size() + config.code.combine.size());
  for (const auto& [buffer, codes] : config.code.stage) {
    for (const ll::StageCode& code : codes) {
      count += code == ll::StageCode{} ? 0 : 1;
      // Every round asks for what comes later.
      count += code.prefetch ? 5 : 0;
    }
  }
  count += static_cast<int>(config.stage.size());
  return count;
}

}  // namespace

double Cost::total() const {
  // What is loaded ahead overlaps with computing, but never wholly.
  const double busy = compute + copies + results;
  const double parts[] = {busy, l2, l3, memory};
  double sum = 0;
  for (const double part : parts) sum += part * part;
  // Of two that cost the same, the plainer one.
  return (std::sqrt(sum) + overhead) * (1 + 0.002 * extras);
}

Cost estimate(const Shape& shape, const machine::Machine& machine, const ll::Config& config,
              const Rates& rates) {
  const Structure s = structure_of(nest_of(shape, machine, config));
  const Body body = body_of(shape, machine, config, s, rates);
  const double share = share_of_slowest(shape, s, rates.cores);
  const double rounds = rounds_of(shape, config, s) * share;
  Cost cost;
  cost.registers = body.registers;
  cost.compute = rounds * body.time;
  cost.results = flushing(s, body, rounds, rates);
  // What one share moves, times the shares of the slowest core.
  double shares = 1;
  for (const Level& level : s.cores.levels) shares *= static_cast<double>(level.parts);
  const double mine = std::max(1.0, shares * share);
  cost.copies = copying(shape, machine, config, s, rates) * mine;
  const auto time = [&](int64_t capacity, double rate, double found, double& bytes) {
    const Traffic t = traffic_into(shape, machine, config, s, rates, capacity);
    bytes = t.bytes * mine;
    return bytes / rate + t.lines * mine * found + t.page_misses * mine * rates.page_miss;
  };
  double bytes = 0;
  cost.l2 = time(rates.l1_bytes, rates.l2, rates.line_l2, bytes);
  cost.l3 = time(rates.l2_bytes, rates.l3, rates.line_l3, bytes);
  cost.memory =
      time(rates.l3_bytes / std::max(1, rates.cores), rates.memory, rates.line_memory, bytes);
  const int busy = static_cast<int>(std::min<double>(rates.cores, shares));
  cost.bytes_memory = bytes * busy;
  cost.memory = std::max(cost.memory, cost.bytes_memory / rates.memory_of_all);
  cost.overhead = (s.cores.levels.empty() ? 100 : rates.launch) + combining(shape, s, rates) +
                  copies_before_cores(config, s) * (rates.launch + rates.barrier);
  cost.extras = extras_of(config);
  return cost;
}

std::string print(const Cost& cost) {
  return fmt::format(
      "compute  {:.1f} us\nL2       {:.1f} us\nL3       {:.1f} us\nmemory   {:.1f} us\n"
      "copies   {:.1f} us\nresults  {:.1f} us\noverhead {:.1f} us\nvectors  {:.0f}\n"
      "total    {:.1f} us\n",
      cost.compute / 1e3, cost.l2 / 1e3, cost.l3 / 1e3, cost.memory / 1e3, cost.copies / 1e3,
      cost.results / 1e3, cost.overhead / 1e3, cost.registers, cost.total() / 1e3);
}

}  // namespace mdh::model
