#include "mdh/ll/footprint.h"

#include <algorithm>

#include "mdh/hl/analysis.h"
#include "mdh/ll/names.h"

namespace mdh::ll {
namespace {

/// Where a buffer's place changes along the order: the position from which the new one holds.
struct Change {
  int position = 0;
  Place place;
  bool is_hint = false;  // nothing moves: a cache keeps what it likes in the layout it has
};

class Counter {
 public:
  Counter(const Program& p, const machine::Machine& machine, const Code& code)
      : p_(p),
        machine_(machine),
        code_(code),
        inputs_(nest_of(p, p.decompose, machine)),
        outputs_(nest_of(p, p.recompose, machine)) {}

  Footprint run() {
    result_.fused_loops = common_prefix(p_);
    levels();
    teams();
    for (size_t b = 0; b < p_.computation.inputs.size(); ++b) tiles(b);
    accumulators();
    between_phases();
    regions();
    return std::move(result_);
  }

 private:
  const machine::Region& region(const Place& place) const {
    const machine::Region* found = machine_.find_region(place.region);
    internal_check(found != nullptr, "machine '{}' has no region '{}'", machine_.name,
                   place.region);
    return *found;
  }

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

  std::vector<Change> changes(const hl::BufferView& buffer, size_t b,
                              const std::vector<TaggedOperator>& phase, const Place& at_f) const {
    std::vector<Change> all;
    Place now = user_place(buffer, machine_);
    for (size_t q = 0; q <= phase.size(); ++q) {
      const Place& place = q < phase.size() ? phase[q].places[b] : at_f;
      if (place == now) continue;
      all.push_back({static_cast<int>(q), place, !is_copy(now, place, machine_)});
      now = place;
    }
    return all;
  }

  void tiles(size_t b) {
    const hl::BufferView& buffer = p_.computation.inputs[b];
    const std::vector<Change> all = changes(buffer, b, p_.decompose, p_.scalar.reads[b]);
    for (const Family& family : families(p_.computation, buffer)) {
      std::set<int> source = inputs_.inside(0);  // the user's buffer holds what all loops touch
      int staging = 0;
      for (const Change& change : all) {
        source = tile(buffer, family, change, staging++, source);
      }
    }
  }

  /// Adds the tile of one change; returns the loops whose data it holds.
  std::set<int> tile(const hl::BufferView& buffer, const Family& family, const Change& change,
                     int staging, const std::set<int>& source) {
    TileCount count{.buffer = buffer.symbol.name,
                    .staging = staging,
                    .accesses = family,
                    .place = change.place,
                    .position = change.position,
                    .is_hint = change.is_hint};
    std::set<int> free = inputs_.inside(change.position);
    std::set<int> around;
    for (int r = 0; r < change.position; ++r) {
      if (fills_together(r, change.place, source)) {
        free.insert(r);
        count.team.push_back(inputs_.loops[r].level);
      } else {
        around.insert(r);
      }
    }
    const Tile shape = tile_of(inputs_, p_.computation, buffer, family, free);
    count.elements = shape.elements;
    for (const std::vector<Band>& axis : shape.axes) {
      int64_t extent = 1;
      for (const Band& band : axis) extent *= band.extent;
      count.extents.push_back(extent);
    }
    if (is_register(change.place)) {
      const auto exact = exact_elements(inputs_, p_.computation, buffer, family, free);
      count.elements = exact.value_or(count.elements);
    }
    count.bytes = stored_bytes(buffer, count);
    count.fills = inputs_.iterations(needed(buffer, family, around));
    count.traffic = count.fills * Count(bytes_of(buffer, count.elements));
    result_.tiles.push_back(std::move(count));
    return free;
  }

  /// Cores around a copy share it if they see one region, can wait for each other, and their data
  /// is where the copy comes from.
  bool fills_together(int r, const Place& place, const std::set<int>& source) const {
    const NestLoop& loop = inputs_.loops[r];
    return loop.is_parallel() && loop.layer->barrier &&
           machine::shares(machine_, *loop.layer, region(place)) && source.contains(r);
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

  bool is_register(const Place& place) const {
    for (const machine::Layer& layer : machine_.layers) {
      if (layer.kind == machine::LayerKind::replicated && layer.region == place.region) return true;
    }
    return false;
  }

  int64_t stored_bytes(const hl::BufferView& buffer, const TileCount& count) const {
    if (count.is_hint) return bytes_of(buffer, count.elements);
    StageCode code;
    if (const auto mine = code_.stage.find(buffer.symbol.name);
        mine != code_.stage.end() && count.staging < static_cast<int>(mine->second.size())) {
      code = mine->second[count.staging];
    }
    int64_t elements = count.elements;
    if (code.pad != 0 && !count.place.layout.empty()) {
      const int64_t line =
          std::max<int64_t>(1, count.extents[count.place.layout.back().dimension - 1]);
      elements = saturating_sum(elements, saturating_product(elements / line, code.pad));
    }
    return saturating_product(bytes_of(buffer, elements), code.depth);
  }

  // ---- outputs

  /// A run is a chain of levels that share one accumulator. It ends where the place of any output
  /// changes, after a reduction over cores, before a scan if it contains a reduction, and right
  /// below the user's buffer if the output view is not injective.
  void accumulators() {
    const auto& views = p_.computation.outputs;
    bool reduced = false;
    for (int q = 0; q <= outputs_.depth(); ++q) {
      bool starts = false;
      for (size_t b = 0; b < views.size(); ++b) starts |= starts_run(b, q, reduced);
      if (starts) {
        for (size_t b = 0; b < views.size(); ++b) accumulator(b, q);
        reduced = false;
      }
      if (q < outputs_.depth()) reduced |= outputs_.loops[q].reduced;
    }
    for (size_t b = 0; b < views.size(); ++b) replicate(b);
  }

  const Place& place_at(size_t b, int q) const {
    return q < outputs_.depth() ? p_.recompose[q].places[b] : p_.scalar.writes[b];
  }

  bool moves(size_t b, int q) const {
    const Place outer =
        q == 0 ? user_place(p_.computation.outputs[b], machine_) : place_at(b, q - 1);
    return is_copy(outer, place_at(b, q), machine_);
  }

  bool starts_run(size_t b, int q, bool reduced) const {
    if (moves(b, q)) return true;
    if (q > 0 && is_reduction_over_cores(q - 1)) return true;
    if (q < outputs_.depth() && reduced && is_scan(q)) return true;
    return q == 0 && !hl::is_injective(p_.computation, p_.computation.outputs[b]);
  }

  bool is_reduction_over_cores(int q) const {
    return outputs_.loops[q].is_parallel() && outputs_.loops[q].reduced;
  }

  bool is_scan(int q) const {
    return !outputs_.loops[q].reduced && !outputs_.loops[q].concatenated;
  }

  /// What begins at position q. Right inside of a reduction over cores every member has a slot in
  /// the place of that reduction, where the others read it; partial results that live elsewhere,
  /// and those that members exchange, stay private.
  void accumulator(size_t b, int q) {
    const bool slotted = q > 0 && is_reduction_over_cores(q - 1);
    if (slotted && sees(q - 1, place_at(b, q - 1))) {
      const NestLoop& cores = outputs_.loops[q - 1];
      add_accumulator(b, q, q - 1, cores.is_open() ? 1 : cores.parts);
    }
    if (!slotted || moves(b, q)) add_accumulator(b, q, q, 1);
  }

  bool sees(int q, const Place& place) const {
    return machine::shares(machine_, *outputs_.loops[q].layer, region(place));
  }

  /// Replicated parts that are combined after the loops inside of them: each has its own results
  /// while these run, in the innermost accumulator around them.
  void replicate(size_t b) {
    bool loops_inside = false;
    for (int r = outputs_.depth() - 1; r >= 0; --r) {
      const NestLoop& loop = outputs_.loops[r];
      const bool replicated = loop.layer->kind == machine::LayerKind::replicated;
      loops_inside |= !replicated;
      if (!replicated || !loops_inside || !loop.reduced) continue;
      const auto found = std::find_if(
          result_.accumulators.rbegin(), result_.accumulators.rend(), [&](const auto& acc) {
            return acc.buffer == p_.computation.outputs[b].symbol.name && acc.position <= r;
          });
      if (found == result_.accumulators.rend()) continue;
      found->slots = saturating_product(found->slots, loop.parts);
      found->bytes = saturating_product(found->bytes, loop.parts);
    }
  }

  /// The results of the loops from `begin` inwards, kept in the place of position `at`.
  void add_accumulator(size_t b, int begin, int at, int64_t slots) {
    const hl::BufferView& view = p_.computation.outputs[b];
    AccumulatorCount count{
        .buffer = view.symbol.name, .place = place_at(b, at), .position = at, .slots = slots};
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
    return instances(inputs_, tile.position, region, tile.team);
  }

  int64_t members(const AccumulatorCount& acc, const machine::Region& region) const {
    return instances(outputs_, acc.position, region, {});
  }

  int64_t instances(const Nest& nest, int position, const machine::Region& region,
                    const std::vector<Level>& team) const {
    int64_t product = 1;
    for (int r = 0; r < position; ++r) {
      const NestLoop& loop = nest.loops[r];
      if (!loop.is_parallel() || loop.is_open()) continue;
      if (!machine::shares(machine_, *loop.layer, region)) continue;
      if (std::find(team.begin(), team.end(), loop.level) != team.end()) continue;
      product = saturating_product(product, loop.parts);
    }
    return product;
  }

  const Program& p_;
  const machine::Machine& machine_;
  const Code& code_;
  Nest inputs_, outputs_;
  Footprint result_;
};

}  // namespace

Footprint footprint(const Program& p, const machine::Machine& machine, const Code& code) {
  return Counter(p, machine, code).run();
}

}  // namespace mdh::ll
