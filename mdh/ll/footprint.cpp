#include "mdh/ll/footprint.h"

#include <algorithm>

#include "mdh/hl/analysis.h"
#include "mdh/ll/decomposition.h"
#include "mdh/ll/tile_axes.h"

namespace mdh::ll {
namespace {

class Counter {
 public:
  explicit Counter(const Decomposition& d)
      : d_(d), p_(d.program()), machine_(d.machine()), inputs_(d.inputs()), outputs_(d.outputs()) {}

  Footprint run() {
    result_.fused_loops = d_.fused_loops();
    levels();
    teams();
    for (const Staging& staging : d_.stagings()) tile(staging);
    accumulators();
    scans();
    between_phases();
    regions();
    count_instances();
    return std::move(result_);
  }

 private:
  // ---- levels and teams

  void levels() {
    std::set<int> around;
    for (int q = 0; q < inputs_.depth(); ++q) {
      const NestLoop& loop = inputs_.loops[q];
      around.insert(q);
      LevelCount count{loop.level,
                       loop.layer->name,
                       inputs_.parts(q),
                       inputs_.active(q),
                       inputs_.iterations(around),
                       0,
                       0};
      const std::set<int> free = inputs_.inside(q + 1);
      const bool open =
          std::any_of(free.begin(), free.end(), [&](int r) { return inputs_.loops[r].is_open(); });
      if (!open) touch(count, q, free);
      result_.levels.push_back(std::move(count));
    }
  }

  /// Bytes that one iteration of loop q touches, and how often they come anew.
  void touch(LevelCount& count, int q, const std::set<int>& free) const {
    for (const auto* views : {&p_.computation.inputs, &p_.computation.outputs}) {
      for (const hl::BufferView& buffer : *views) {
        for (const Family& family : families(p_.computation, buffer)) {
          const int64_t bytes =
              bytes_of(buffer, tile_of(inputs_, p_.computation, buffer, family, free).elements);
          count.working_set += bytes;
          count.traffic += Count(bytes) * inputs_.iterations(refilling(buffer, family, q));
        }
      }
    }
  }

  /// The loops up to q whose iterations bring other data: the innermost ones that the buffer does
  /// not depend on keep what is there.
  std::set<int> refilling(const hl::BufferView& buffer, const Family& family, int q) const {
    while (q >= 0 && !uses(p_.computation, buffer, family, inputs_.loops[q].level.dimension)) {
      --q;
    }
    std::set<int> loops;
    for (; q >= 0; --q) loops.insert(q);
    return loops;
  }

  static int64_t bytes_of(const hl::BufferView& buffer, int64_t elements) {
    return saturating_product(elements, scalar::bytes_of(buffer.type));
  }

  void teams() {
    for (const machine::Layer& layer : machine_.layers) {
      if (layer.kind != machine::LayerKind::cores) continue;
      TeamCount team{layer.name, 1, 1};
      for (int q = 0; q < inputs_.depth(); ++q) {
        if (inputs_.loops[q].layer->name != layer.name) continue;
        team.members *= inputs_.parts(q);
        team.active *= inputs_.active(q);
      }
      result_.teams.push_back(std::move(team));
    }
  }

  // ---- inputs

  void tile(const Staging& staging) {
    const hl::BufferView& buffer = p_.computation.inputs[staging.buffer];
    const Family& family = staging.accesses;
    TileCount count{.buffer = buffer.symbol.name,
                    .staging = staging.number,
                    .accesses = family,
                    .place = staging.place,
                    .position = staging.position,
                    .is_hint = staging.is_hint};
    std::set<int> around;
    for (int r = 0; r < staging.position; ++r) {
      if (staging.team.contains(r)) {
        count.team.push_back(inputs_.loops[r].level);
      } else {
        around.insert(r);
      }
    }
    const Tile shape = tile_of(inputs_, p_.computation, buffer, family, staging.free);
    count.elements = shape.elements;
    for (const std::vector<Band>& axis : shape.axes) {
      int64_t extent = 1;
      for (const Band& band : axis) extent *= band.extent;
      count.extents.push_back(extent);
    }
    if (is_register(machine_, staging.place.region)) {
      const auto exact = exact_elements(inputs_, p_.computation, buffer, family, staging.free);
      count.elements = exact.value_or(count.elements);
    }
    count.bytes =
        stored_bytes(buffer, count, d_.code_of(staging),
                     tile_axes(p_, inputs_, buffer, family, staging.free, staging.place.layout));
    count.fills = inputs_.iterations(needed(buffer, family, around));
    count.traffic = count.fills * Count(bytes_of(buffer, count.elements));
    result_.tiles.push_back(std::move(count));
  }

  /// A copy moves out of loops that it does not depend on, from the innermost one outwards; not out
  /// of cores, each of which has its own.
  std::set<int> needed(const hl::BufferView& buffer, const Family& family,
                       std::set<int> around) const {
    while (!around.empty()) {
      const NestLoop& innermost = inputs_.loops[*around.rbegin()];
      if (innermost.is_parallel() ||
          uses(p_.computation, buffer, family, innermost.level.dimension)) {
        break;
      }
      around.erase(std::prev(around.end()));
    }
    return around;
  }

  int64_t stored_bytes(const hl::BufferView& buffer, const TileCount& count, const StageCode& code,
                       const std::vector<TileAxis>& axes) const {
    if (count.is_hint) return bytes_of(buffer, count.elements);
    int64_t elements = count.elements;
    const bool is_longer = code.pad != 0 || code.swizzle > 1;
    if (is_longer && !axes.empty() && !is_register(machine_, count.place.region)) {
      int64_t line = 1;
      for (size_t n = axes_of_line(axes, count.place.layout, code.line); n > 0; --n) {
        line = saturating_product(line, axes[axes.size() - n].extent);
      }
      line = std::max<int64_t>(1, line);
      elements = saturating_product(elements / line, stored_line(line, code, buffer.type));
    }
    return saturating_product(bytes_of(buffer, elements), code.depth);
  }

  // ---- outputs

  void accumulators() {
    for (const Run& run : d_.runs()) {
      if (run.start < 0) continue;
      int64_t slots = 1;
      if (run.slots >= 0 && !run.exchanged && !outputs_.loops[run.slots].is_open()) {
        slots = outputs_.loops[run.slots].parts;
      }
      for (const int r : run.replicas) slots = saturating_product(slots, outputs_.loops[r].parts);
      const int at = run.slots >= 0 && !run.exchanged ? run.slots : run.start;
      for (size_t b = 0; b < run.places.size(); ++b) {
        add_accumulator(b, run.places[b], run.start, at, slots);
        if (run.is_private) share_by_cores(b, result_.accumulators.back());
        if (run.line > 0) pad_lines(b, run.line, result_.accumulators.back());
      }
    }
  }

  void pad_lines(size_t b, int64_t line, AccumulatorCount& count) {
    const hl::BufferView& view = p_.computation.outputs[b];
    const int64_t lines = count.elements / line * count.slots;
    count.bytes = bytes_of(view, saturating_product(lines, padded_line(line, view.type)));
  }

  /// What the members of a team tell each other about their parts of a scan, and what each of them
  /// puts before its own.
  void scans() {
    for (int q = 0; q < outputs_.depth(); ++q) {
      if (!is_scan(outputs_.loops[q]) || !outputs_.loops[q].is_parallel()) continue;
      const ScanTeam team = scan_team(p_, outputs_, q, machine_);
      int64_t elements = 1;
      for (const auto* loops : {&team.coarse, &team.lines}) {
        for (const int r : *loops) {
          const NestLoop& loop = outputs_.loops[r];
          const int64_t parts = std::max<int64_t>(1, loop.parts);
          elements = saturating_product(elements, parts);
        }
      }
      const int64_t members = std::max<int64_t>(1, outputs_.loops[q].parts);
      for (size_t b = 0; b < team.places.size(); ++b) {
        add_exchange(b, team.places[b], q, elements, members);  // totals
        add_exchange(b, team.places[b], q, elements, members);  // offsets
      }
    }
  }

  void add_exchange(size_t b, const Place& place, int q, int64_t elements, int64_t members) {
    const hl::BufferView& view = p_.computation.outputs[b];
    AccumulatorCount count{
        .buffer = view.symbol.name, .place = place, .position = q, .slots = members};
    count.elements = saturating_product(elements, static_cast<int64_t>(view.accesses.size()));
    count.bytes = saturating_product(bytes_of(view, count.elements), members);
    std::set<int> around;
    for (int r = 0; r < q; ++r) around.insert(r);
    count.flushes = outputs_.iterations(around);
    count.traffic = count.flushes * Count(count.bytes);
    result_.accumulators.push_back(std::move(count));
  }

  /// The results of the loops from `begin` inwards, kept in the place of position `at`.
  void add_accumulator(size_t b, const Place& place, int begin, int at, int64_t slots) {
    const hl::BufferView& view = p_.computation.outputs[b];
    AccumulatorCount count{
        .buffer = view.symbol.name, .place = place, .position = at, .slots = slots};
    count.elements = static_cast<int64_t>(view.accesses.size());
    for (int r = begin; r < outputs_.depth(); ++r) {
      const NestLoop& loop = outputs_.loops[r];
      if (loop.reduced || loop.is_open()) continue;
      count.elements = saturating_product(count.elements, loop.parts);
    }
    std::set<int> around;
    for (int r = 0; r < begin; ++r) around.insert(r);
    count.bytes = saturating_product(bytes_of(view, count.elements), count.slots);
    count.flushes = outputs_.iterations(around);
    count.traffic = count.flushes * Count(bytes_of(view, count.elements));
    result_.accumulators.push_back(std::move(count));
  }

  /// Every core inside has the elements of its own parts.
  void share_by_cores(size_t b, AccumulatorCount& count) const {
    for (int r = count.position; r < outputs_.depth(); ++r) {
      const NestLoop& loop = outputs_.loops[r];
      if (!loop.is_parallel() || loop.reduced || loop.is_open()) continue;
      count.elements /= loop.parts;
      count.position = r + 1;
    }
    count.bytes =
        saturating_product(bytes_of(p_.computation.outputs[b], count.elements), count.slots);
  }

  /// Below the fused loops phases are separate nests: the results of f at all points wait for
  /// re-composition.
  void between_phases() {
    const int fused = result_.fused_loops;
    if (fused == outputs_.depth()) return;
    for (size_t b = 0; b < p_.computation.outputs.size(); ++b) {
      const hl::BufferView& view = p_.computation.outputs[b];
      AccumulatorCount count{
          .buffer = view.symbol.name, .place = p_.scalar.writes[b], .position = fused};
      Count points = static_cast<int64_t>(view.accesses.size());
      for (int r = fused; r < outputs_.depth(); ++r) points *= outputs_.parts(r);
      count.elements = points.number().value_or(0);
      count.bytes = bytes_of(view, count.elements);
      std::set<int> around;
      for (int r = 0; r < fused; ++r) around.insert(r);
      count.flushes = outputs_.iterations(around);
      count.traffic = count.flushes * points * Count(scalar::bytes_of(view.type));
      result_.accumulators.push_back(std::move(count));
    }
  }

  // ---- regions

  void regions() {
    for (const machine::Region& region : machine_.regions) {
      RegionCount count{region.name, 0, region.capacity};
      for (const TileCount& tile : result_.tiles) {
        if (tile.place.region != region.name) continue;
        count.bytes =
            saturating_sum(count.bytes, saturating_product(tile.bytes, copies(tile, region)));
      }
      for (const AccumulatorCount& acc : result_.accumulators) {
        if (acc.place.region != region.name) continue;
        count.bytes =
            saturating_sum(count.bytes, saturating_product(acc.bytes, members(acc, region)));
      }
      result_.regions.push_back(std::move(count));
    }
  }

  /// Copies of a tile in one instance of the region: one per member of the cores around it that see
  /// the region but do not share the tile.
  int64_t copies(const TileCount& tile, const machine::Region& region) const {
    return instances(inputs_, tile.position, &region, tile.team);
  }

  int64_t members(const AccumulatorCount& acc, const machine::Region& region) const {
    return instances(outputs_, acc.position, &region, {});
  }

  /// All instances, in all instances of the regions.
  void count_instances() {
    for (TileCount& tile : result_.tiles) {
      tile.instances = instances(inputs_, tile.position, nullptr, tile.team);
    }
    for (AccumulatorCount& acc : result_.accumulators) {
      acc.instances = instances(outputs_, acc.position, nullptr, {});
    }
  }

  int64_t instances(const Nest& nest, int position, const machine::Region* region,
                    const std::vector<Level>& team) const {
    int64_t product = 1;
    for (int r = 0; r < position; ++r) {
      const NestLoop& loop = nest.loops[r];
      if (!loop.is_parallel() || loop.is_open()) continue;
      if (region && !machine::shares(machine_, *loop.layer, *region)) continue;
      if (std::find(team.begin(), team.end(), loop.level) != team.end()) continue;
      product = saturating_product(product, loop.parts);
    }
    return product;
  }

  const Decomposition& d_;
  const Program& p_;
  const machine::Machine& machine_;
  const Nest &inputs_, &outputs_;
  Footprint result_;
};

}  // namespace

Footprint count(const Decomposition& d) { return Counter(d).run(); }

Footprint footprint(const Program& p, const machine::Machine& machine) {
  return count(Decomposition(p, machine));
}

}  // namespace mdh::ll
