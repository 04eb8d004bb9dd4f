#include "mdh/model/grid_cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mdh/ll/parameters.h"
#include "mdh/model/grid_body.h"
#include "mdh/model/grid_traffic.h"

namespace mdh::model {
namespace {

constexpr double most_registers = 255;  // of a thread
/// Estimates of registers miss what compilers add: what they load ahead, and addresses.
constexpr double safe_registers = 180;

/// Instructions begin in so many of all cycles where nothing is in their way. Of few warps that have
/// few results each none may be ready.
double issued_share(double warps_of_scheduler, double results) {
  const double ready = warps_of_scheduler * std::clamp(results / 8, 1.0, 4.0);
  return 0.85 * std::min(1.0, 0.55 + 0.15 * ready);
}
constexpr double bytes_of_group = 1024;  // of shared memory, that a device takes for itself

/// Groups of a multiprocessor at the same time.
double resident_groups(const GridWork& w, const GridBody& body) {
  const GridRates& r = w.rates;
  const double threads = static_cast<double>(w.warp_count * r.warp);
  // The compiler is told how many threads a group has, and makes do with what is there for one.
  const double registers =
      std::min({body.registers, most_registers, static_cast<double>(r.registers) / threads});
  const double room =
      std::min({static_cast<double>(r.threads) / threads, static_cast<double>(r.groups),
                static_cast<double>(r.shared) / (body.shared_bytes + bytes_of_group),
                static_cast<double>(r.registers) / (registers * threads)});
  return std::floor(room);
}

/// Registers that there are not are memory.
double spilled(const GridWork& w, const GridBody& body) {
  const double threads = static_cast<double>(w.warp_count * w.rates.warp);
  const double most = std::min(safe_registers, static_cast<double>(w.rates.registers) / threads);
  return std::max(0.0, body.registers - most) / most;
}

double elements_of_results(const GridWork& w) {
  double elements = 0;
  for (const BufferShape& b : w.shape.buffers) {
    if (b.is_output) elements += static_cast<double>(touched(w.shape, w.whole, b, 0).elements);
  }
  return elements;
}

double bytes_of_results(const GridWork& w) {
  double bytes = 0;
  for (const BufferShape& b : w.shape.buffers) {
    if (!b.is_output) continue;
    bytes += static_cast<double>(touched(w.shape, w.whole, b, 0).elements * b.element_bytes);
  }
  return bytes;
}

/// Groups of a cluster keep their part of the results until all have combined it.
double bytes_for_cluster(const GridWork& w) {
  double parts = 1;
  bool meet = false;
  for (const ll::NestLoop* loop : w.groups) {
    if (!w.is_reduced(loop)) continue;
    parts *= static_cast<double>(loop->parts);
    const auto how = ll::combination_of(w.d.program(), *loop);
    meet = meet || (how == ll::Combination::cluster && loop->parts > 1);
  }
  return meet ? bytes_of_results(w) * parts / static_cast<double>(w.group_count) : 0;
}

/// Groups that scan look back only if no others make parts of what they scan.
ll::Combination combination_of(const GridWork& w, const ll::NestLoop& loop) {
  const ll::Combination asked = ll::combination_of(w.d.program(), loop);
  const bool has_parts = std::any_of(w.groups.begin(), w.groups.end(), [&](const auto* other) {
    const DimensionKind kind = w.shape.dimensions[dimension_of(other)].kind;
    return kind == DimensionKind::reduced && other->parts > 1;
  });
  return asked == ll::Combination::look_back && has_parts ? ll::Combination::automatic : asked;
}

/// Parts of results that groups have made are written, and read by whoever combines them.
double combining(const GridWork& w) {
  const GridRates& r = w.rates;
  double time = 0;
  for (const ll::NestLoop* loop : w.groups) {
    const bool scanned = w.shape.dimensions[dimension_of(loop)].kind == DimensionKind::scanned;
    if ((!w.is_reduced(loop) && !scanned) || loop->parts == 1) continue;
    const double parts = static_cast<double>(loop->parts);
    const double bytes = scanned ? parts * 64 : bytes_of_results(w) * parts;
    // Each element is combined by one thread, or few: one part after the other comes from L2.
    const double chain = std::min(parts, 16.0) * r.l2_latency / 4 / r.clock;
    const double latency = r.l2_latency / r.clock;
    switch (combination_of(w, *loop)) {
      case ll::Combination::last_core: {
        constexpr double rate_of_one = 60;  // bytes per nanosecond, of one multiprocessor
        const double teams = static_cast<double>(w.group_count) / parts;
        const double at_once = std::min(teams, static_cast<double>(r.multiprocessors));
        time += 1.5 * r.following + bytes / r.l2_rate + bytes / (rate_of_one * at_once);
        break;
      }
      case ll::Combination::cluster:
        time += 6 * latency + bytes / (2 * r.l2_rate);
        break;
      case ll::Combination::look_back:
        time += 8 * latency;
        break;
      case ll::Combination::atomic:
        time += 4 * latency + elements_of_results(w) * parts / 4;
        break;
      default: {
        time += r.following + 2 * bytes / r.l2_rate + chain;
        // One thread sums up what the parts of a scan have made, a launch of its own adds it.
        constexpr double most_summed = 256, to_sum_one = 40;  // nanoseconds
        if (scanned) time += 2 * r.following + std::min(parts, most_summed) * to_sum_one;
      }
    }
  }
  return time;
}

/// Instructions of an innermost loop that do not stay near a multiprocessor come again in every
/// round; others once.
double fetching(const GridWork& w, const GridBody& body, double waves) {
  const GridRates& r = w.rates;
  const auto room = static_cast<double>(r.code);
  double bytes = std::max(0.0, body.whole_code - room);
  // What is rarely executed lies between.
  if (body.code > room / 2) bytes += body.code * body.rounds * waves;
  return bytes / r.code_rate;
}

/// Groups of the slowest multiprocessor.
struct Share {
  double mine = 1;
  double together = 1;  // at the same time
};

/// Computing and waiting.
void add_running(const GridWork& w, const GridBody& body, const Share& share, double latency,
                 GridCost& cost) {
  const GridRates& r = w.rates;
  const double running = share.together * static_cast<double>(w.warp_count);
  cost.warps = running / r.issued;
  cost.groups_together = share.together;
  // A warp begins at most one instruction in a cycle.
  const double issued = std::min(r.issued, running);
  const double issue = body.instructions / issued / issued_share(cost.warps, body.results);
  const double group = std::max({issue, body.shared, body.sectors / r.cached_sectors});
  // What is not there yet when it is wanted, though it was asked for in time.
  const double between = body.fills > 0 ? group * share.together / body.fills : 0;
  const double late = std::max(0.0, latency - static_cast<double>(body.ahead) * between);
  const double alone = body.waiting + body.fills * late;
  // The multiprocessor with the longest points gets more of them the fewer groups there are.
  const double uneven = 1 + (body.longest - 1) * std::min(1.0, 0.35 * share.together / share.mine);
  const double launches = volume(w.launches);
  const double slowed = 1 + 4 * spilled(w, body);
  cost.compute = launches * share.mine * group * slowed * uneven / r.clock;
  const double waves = launches * std::ceil(share.mine / cost.resident);
  const double border = launches * body.border / r.clock;
  cost.waiting = std::max(waves * alone * uneven / r.clock, border);
  // Groups at an edge are the last ones to begin.
  const double begun = cost.compute * (1 - share.together / share.mine);
  cost.compute = std::max(cost.compute, begun + border);
  cost.waiting_together = waves * (body.together + body.fills * late) / r.clock;
}

/// Caches, memory, and copies that do not overlap with computing.
void add_traffic(const GridWork& w, const GridBody& body, const Share& share, GridCost& cost) {
  const GridRates& r = w.rates;
  const double cache = static_cast<double>(r.cache) - share.together * body.shared_bytes;
  const auto together = static_cast<int64_t>(share.together);
  const GridTraffic traffic = grid_traffic(w, together, std::max(0.0, cache));
  // Nothing waits in the cache of a multiprocessor until the rest of its sector is written.
  constexpr double of_reading = 0.75;
  const double stored =
      of_reading * volume(w.launches) * cost.groups * body.stored * static_cast<double>(r.sector);
  cost.l2 = std::max(traffic.l2, traffic.l2_of_inputs + stored) / r.l2_rate;
  // Whoever asks for little at a time waits: of a rate, what is on its way in its latency.
  const double asked = body.on_their_way * cost.threads * share.together;
  const double served = std::clamp(asked / r.bytes_on_their_way, 0.1, 1.0);
  // What is written in pieces leaves the cache in pieces.
  const double pieces = std::pow(static_cast<double>(r.line) / body.side_by_side, 0.6);
  const double bytes = traffic.memory_of_inputs / served + traffic.memory_of_outputs * pieces;
  cost.memory = bytes / r.memory_rate * (1 + 4 * spilled(w, body));
  if (body.fills == 0 || body.ahead > 0) return;
  const double copying = std::max(cost.l2, cost.memory);
  // Groups that all run at the same time copy at their beginning, which is part of waiting.
  const double known = share.mine > share.together ? 0 : cost.waiting_alone();
  const double exposed = std::min(cost.compute, copying) - known;
  cost.alternating = std::max(0.0, exposed) / std::pow(share.together, 1.5);
}

}  // namespace

double GridCost::waiting_alone() const {
  const double together = std::min(waiting, waiting_together);
  return std::min(compute, waiting - together) / std::max(1.0, warps) +
         std::min(compute, together) / std::max(1.0, groups_together);
}

double GridCost::total() const {
  if (!fits) return 1e15;
  // What comes from farther away overlaps with computing, but never wholly.
  const double busy = std::max(compute, waiting) + waiting_alone();
  constexpr double overlap = 5;
  double sum = 0;
  for (const double part : {busy, l2, memory}) sum += std::pow(part, overlap);
  // Of two that cost about the same, the plainer one.
  return (std::pow(sum, 1 / overlap) + alternating + code + combining + launches) *
         (1 + 0.01 * copies);
}

GridCost estimate(const Shape& shape, const ll::Decomposition& d, const GridRates& rates) {
  const GridWork w(shape, d, rates);
  const bool is_near = bytes_of_all(shape) <= 0.8 * static_cast<double>(rates.l2);
  const double latency = is_near ? rates.l2_latency : rates.memory_latency;
  GridBody body = grid_body(w, latency);
  body.shared_bytes += bytes_for_cluster(w);
  GridCost cost;
  cost.groups = static_cast<double>(w.group_count);
  cost.threads = static_cast<double>(w.thread_count);
  cost.registers = body.registers;
  cost.code_bytes = body.code;
  cost.shared_bytes = body.shared_bytes;
  cost.resident = resident_groups(w, body);
  cost.fits = cost.resident >= 1;
  if (!cost.fits) return cost;

  const double mine = std::ceil(cost.groups / static_cast<double>(rates.multiprocessors));
  const Share share{mine, std::min(cost.resident, mine)};
  const double launches = volume(w.launches);
  add_running(w, body, share, latency, cost);
  add_traffic(w, body, share, cost);
  cost.code = launches * fetching(w, body, share.mine / share.together);
  cost.combining = combining(w) * launches;
  for (const ll::Staging& s : d.stagings()) cost.copies += w.is_copied(s) ? 1 : 0;
  cost.launches = rates.launch + (launches - 1) * rates.following;
  return cost;
}

GridCost estimate(const Shape& shape, const hl::Program& program, const machine::Machine& machine,
                  const ll::Config& config, const GridRates& rates) {
  const ll::Program low = ll::program_of(config, program, machine);
  return estimate(shape, ll::Decomposition(low, machine), rates);
}

namespace {

const char* deciding_part(const GridCost& cost) {
  const std::pair<double, const char*> parts[] = {
      {cost.compute, "compute"}, {cost.waiting, "waiting"},       {cost.l2, "L2"},
      {cost.memory, "memory"},   {cost.combining, "combining"},   {cost.launches, "launches"},
      {cost.code, "code"},       {cost.alternating, "alternate"},
  };
  return std::max_element(std::begin(parts), std::end(parts))->second;
}

}  // namespace

std::string print(const GridCost& cost) {
  if (!cost.fits) {
    return fmt::format(
        "does not fit: groups of {:.0f} threads with {:.0f} registers each and {:.0f} "
        "bytes of shared memory\n",
        cost.threads, cost.registers, cost.shared_bytes);
  }
  const auto line = [](const char* name, double ns) {
    return fmt::format("{:9} {:.1f} us\n", name, ns / 1e3);
  };
  return fmt::format("groups    {:.0f} of {:.0f} threads, {:.0f} at a time on a multiprocessor\n",
                     cost.groups, cost.threads, cost.resident) +
         fmt::format("registers {:.0f}, shared {:.0f} bytes, innermost loop {:.0f} bytes\n",
                     cost.registers, cost.shared_bytes, cost.code_bytes) +
         line("compute", cost.compute) + line("waiting", cost.waiting) + line("L2", cost.l2) +
         line("memory", cost.memory) + line("alternate", cost.alternating) +
         line("code", cost.code) + line("combining", cost.combining) +
         line("launches", cost.launches) + line("total", cost.total()) +
         fmt::format("decided by {}\n", deciding_part(cost));
}

}  // namespace mdh::model
