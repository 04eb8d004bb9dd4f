#include "mdh/model/cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "mdh/ll/parameters.h"
#include "mdh/ll/roles.h"
#include "mdh/model/body.h"
#include "mdh/model/grid_cost.h"
#include "mdh/model/traffic.h"

namespace mdh::model {
namespace {

/// Parts that do not divide a dimension have to be asked whether they are there.
double padding_of(const Work& w, int d) {
  const ll::DimensionEnd& end = w.d.ends()[d];
  if (end.parts == w.size(d) || end.tile == 1) return 1;
  if (w.is_reduced(d)) return 1.15;
  return end.last == ll::LastTile::fits ? 1.02 : 1.1;
}

/// A tile in loops that end at the edge, in whole ones: results go through memory in every step, and
/// vectors of which only a part is wanted are computed as well. Measured on MatMul 2047,65,333 with 12
/// by 2 vectors: 8 times as long.
double cut_tile(const Work& w, const Body& body) {
  const double step = 4 * w.rates.load + 2 * w.rates.operation + 3 * w.rates.instruction;
  return std::clamp(body.accumulators * step / body.time, 1.0, 8.0);
}

/// The last tile, in whole ones.
double last_tile(const Work& w, const Body& body, int d) {
  const ll::DimensionEnd& end = w.d.ends()[d];
  if (end.last == ll::LastTile::padded || end.last == ll::LastTile::shifted) return 1;
  if (!w.is_reduced(d) && end.last == ll::LastTile::cut && end.tile > 1) return cut_tile(w, body);
  const double left = static_cast<double>(w.size(d) % end.tile) / static_cast<double>(end.tile);
  return (w.is_reduced(d) ? 2.0 : 3.0) * std::min(1.0, left + 0.1);
}

/// Rounds of the innermost loop in the whole computation. Tiles at an edge cost more unless they
/// are computed like the others.
double rounds_of(const Work& w, const Body& body) {
  double rounds = 1;
  for (size_t n = 0; n < w.shape.dimensions.size(); ++n) {
    const int d = static_cast<int>(n);
    const ll::DimensionEnd& end = w.d.ends()[n];
    double count = static_cast<double>(w.size(d) / end.tile);
    if (w.size(d) % end.tile != 0) count += last_tile(w, body, d);
    rounds *= std::max(count, 1.0) * padding_of(w, d);
  }
  return rounds;
}

/// The part of the work that the slowest core does.
double share_of_slowest(const Work& w) {
  double parts = 1, padding = 1;
  for (const ll::NestLoop* loop : w.structure.cores) {
    const int64_t size = w.size(dimension_of(loop));
    const int64_t active = std::min(loop->parts, (size + loop->chunk - 1) / loop->chunk);
    parts *= static_cast<double>(active);
    padding *= static_cast<double>(active * loop->chunk) / static_cast<double>(size);
  }
  const double used = std::ceil(parts / w.rates.cores);
  return std::min(1.0, used / parts * std::max(1.0, padding));
}

/// Results leave the registers, and every innermost loop that begins costs a little.
double flushing(const Work& w, const Body& body, double rounds) {
  const Structure& s = w.structure;
  if (s.replicated == 0) return 0;
  double time = rounds / static_cast<double>(s.loops[s.replicated - 1]->parts) *
                (8 * w.rates.instruction + 2 * w.rates.latency);
  if (body.results == Results::kept) time += rounds / body.rounds_kept * 2 * body.stored;
  return time;
}

double combining(const Work& w) {
  const Loops& whole = w.structure.whole;
  double time = 0;
  for (size_t n = 0; n < whole.size(); ++n) {
    if (!whole[n]->is_parallel()) continue;
    double waits = 1;
    for (size_t q = 0; q < n; ++q) {
      if (is_loop(*whole[q])) waits *= static_cast<double>(whole[q]->parts);
    }
    if (waits > 1) time += waits * w.rates.barrier;
    if (!w.is_reduced(dimension_of(whole[n]))) continue;
    double elements = 0;
    for (const BufferShape& b : w.shape.buffers) {
      if (b.is_output) elements += static_cast<double>(touched(w.shape, whole, b, n).elements);
    }
    // Every part has a slot, even where a core has several.
    const double slots = static_cast<double>(whole[n]->parts);
    time += waits * (w.rates.barrier + elements * (slots + 1) * 2 * w.rates.load);
  }
  return time;
}

/// Copies that all cores wait for.
double copies_before_cores(const Work& w) {
  const Loops& whole = w.structure.whole;
  return static_cast<double>(
      std::count_if(w.d.stagings().begin(), w.d.stagings().end(), [&](const ll::Staging& s) {
        return is_copy_in_memory(s) && s.position < std::ssize(whole) &&
               whole[s.position]->is_parallel();
      }));
}

/// Decisions about code that differ from what is usual.
int extras_of(const Work& w) {
  const ll::Code& code = w.d.program().code;
  int count = code.kernel.emit == "program" ? 0 : 1;
  count += static_cast<int>(code.cores.size() + code.combine.size());
  for (const auto& [buffer, codes] : code.stage) {
    for (const ll::StageCode& one : codes) {
      count += one == ll::StageCode{} ? 0 : 1;
      // Every round asks for what comes later.
      count += one.prefetch ? 5 : 0;
    }
  }
  std::set<size_t> staged;
  for (const ll::Staging& s : w.d.stagings()) staged.insert(s.buffer);
  return count + static_cast<int>(staged.size());
}

struct Moved {
  std::vector<double> times;  // from each memory of the rates
  double bytes_memory = 0;    // of all cores
};

/// What one share moves, times the shares of the slowest core.
Moved moved(const Movement& movement, While when, const Rates& rates, double shares,
            double busy_cores) {
  Moved all{.times = std::vector<double>(rates.memories.size(), 0)};
  double bytes = 0;
  for (size_t n = 1; n < rates.memories.size(); ++n) {
    const Traffic t = movement.into(n - 1, when);
    bytes = t.bytes * shares;
    all.times[n] = bytes / rates.memories[n].rate + t.lines * shares * rates.memories[n].line +
                   t.page_misses * shares * rates.page_miss;
  }
  all.bytes_memory = bytes * busy_cores;
  all.times.back() = std::max(all.times.back(), all.bytes_memory / rates.memory_of_all);
  return all;
}

}  // namespace

double Cost::total() const {
  // What is loaded ahead overlaps with computing, but never wholly.
  const double busy = compute + copies + results;
  double sum = busy * busy;
  for (const double part : from) sum += part * part;
  // Of two that cost the same, the plainer one.
  return (std::sqrt(sum) + overhead) * (1 + 0.002 * extras);
}

Cost estimate(const Shape& shape, const ll::Decomposition& d, const Rates& rates) {
  const Work w(shape, d, rates);
  const Body body = body_of(w);
  const double share = share_of_slowest(w);
  const double rounds = rounds_of(w, body) * share;
  Cost cost;
  cost.registers = body.registers;
  cost.compute = rounds * body.time;
  cost.results = flushing(w, body, rounds);
  double shares = 1;
  for (const ll::NestLoop* loop : w.structure.cores) shares *= static_cast<double>(loop->parts);
  const double mine = std::max(1.0, shares * share);
  const double busy = std::min<double>(rates.cores, shares);
  const Movement movement(w);
  const Moved computing = moved(movement, While::computing, rates, mine, busy);
  const Moved copying = moved(movement, While::copying, rates, mine, busy);
  cost.from = computing.times;
  cost.copies = std::max(movement.copying() * mine,
                         *std::max_element(copying.times.begin(), copying.times.end()));
  cost.bytes_memory = computing.bytes_memory + copying.bytes_memory;
  cost.overhead = (w.structure.cores.empty() ? 100 : rates.launch) + combining(w) +
                  copies_before_cores(w) * (rates.launch + rates.barrier);
  cost.extras = extras_of(w);
  return cost;
}

Cost estimate(const Shape& shape, const hl::Program& program, const machine::Machine& machine,
              const ll::Config& config, const Rates& rates) {
  const ll::Program low = ll::program_of(config, program, machine);
  return estimate(shape, ll::Decomposition(low, machine), rates);
}

bool has_groups(const machine::Machine& machine) {
  const ll::Roles roles = ll::roles_of(machine);
  return !roles.groups.empty() && !roles.threads.empty();
}

double estimated_time(const Shape& shape, const hl::Program& program,
                      const machine::Machine& machine, const ll::Config& config,
                      const Rates& rates) {
  if (has_groups(machine)) return estimate(shape, program, machine, config, rates.grid).total();
  return estimate(shape, program, machine, config, rates).total();
}

std::string print(const Cost& cost, const Rates& rates) {
  const auto line = [](const std::string& name, double ns) {
    return fmt::format("{:8} {:.1f} us\n", name, ns / 1e3);
  };
  std::string text = line("compute", cost.compute);
  for (size_t n = 1; n < cost.from.size(); ++n) {
    text += line(rates.memories[n].name, cost.from[n]);
  }
  return text + line("copies", cost.copies) + line("results", cost.results) +
         line("overhead", cost.overhead) + fmt::format("vectors  {:.0f}\n", cost.registers) +
         line("total", cost.total());
}

}  // namespace mdh::model
