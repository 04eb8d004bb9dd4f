#include "mdh/model/body.h"

#include <algorithm>
#include <cmath>

namespace mdh::model {
namespace {

using machine::LayerKind;

class BodyCounter {
 public:
  BodyCounter(const Shape& shape, const machine::Machine& machine, const ll::Config& config,
              const Structure& structure, const Rates& rates)
      : shape_(shape), machine_(machine), config_(config), s_(structure), rates_(rates) {
    for (size_t n = s_.replicated; n < levels().size(); ++n) {
      if (levels()[n].lanes && shape.has_lanes) lanes_ = &levels()[n];
    }
    inner_ = s_.replicated > 0 ? &levels()[s_.replicated - 1] : nullptr;
    element_bytes_ = shape.buffers.back().element_bytes;
  }

  Body run() {
    Body body;
    decide_results(body);
    const double operations = count_operations();
    body.accumulators = count_accumulators();
    body.stored = body.accumulators * rates_.load + scattered(body) * rates_.gathered;
    Loads loads;
    for (const BufferShape& buffer : shape_.buffers) {
      if (!buffer.is_output) count_loads(buffer, loads);
    }
    // Results that are not in registers are loaded and stored by every single combination.
    const double steps = body.in_registers ? 1 : steps_at_once();
    double updates = 0;
    if (body.results == Results::stored) updates = (2 * steps - 1) * body.accumulators;
    if (body.results == Results::updated) updates = 2 * steps * body.accumulators;
    // What is stored element by element compilers keep from step to step.
    const double elements = scattered(body);
    if (body.results != Results::kept) loads.gathered += elements;
    if (body.results == Results::updated) loads.gathered += elements;
    if (elements > 0) updates = 0;
    body.registers = body.accumulators + loads.operands;
    // Results that are loaded and stored in every round need no registers from round to round.
    const double wanted =
        loads.operands + (body.results == Results::updated ? 0 : body.accumulators);
    const double spilled = std::max(0.0, wanted - static_cast<double>(rates_.registers));
    const double moves = loads.vectors + loads.scalars + updates;
    // Where lanes of operands can be named, one that is alone has to be spread first.
    const double spread = rates_.broadcasts_lanes && lanes_ ? loads.scalars : 0;
    const double instructions = operations + moves + 3;
    body.time = std::max({(operations + spread) * rates_.operation, moves * rates_.load,
                          instructions * rates_.instruction, chain(body, instructions)}) +
                loads.gathered * 2 * rates_.gathered + spilled * rates_.latency / 2;
    // What is loaded, combined and stored again waits for itself more than chains say: measured.
    if (body.results == Results::updated) body.time = 1.3 * body.time + updates * rates_.load;
    // Very long bodies leave the caches of instructions, and compilers lose track.
    body.time *= 1 + 0.1 * std::max(0.0, instructions / 300 - 1);
    return body;
  }

 private:
  const std::vector<Level>& levels() const { return s_.loops.levels; }

  bool is_reduced(int d) const { return shape_.dimensions[d].kind != DimensionKind::kept; }

  /// Vectors of the machine that one operation on all lanes takes.
  double vectors_of_lanes() const {
    if (!lanes_) return 1;
    const double bytes = static_cast<double>(lanes_->parts * element_bytes_);
    return std::max(1.0, bytes / static_cast<double>(rates_.vector_bytes));
  }

  double lane_count() const { return lanes_ ? static_cast<double>(lanes_->parts) : 1.0; }

  double count_operations() const {
    double count = shape_.operations;
    for (size_t n = s_.replicated; n < levels().size(); ++n) {
      count *= static_cast<double>(levels()[n].parts);
    }
    // Vectors that the machine does not have are cut by the compiler, with some loss.
    const double cut = vectors_of_lanes() > 1 ? 1.5 : 1.0;
    if (lanes_) return count / lane_count() * vectors_of_lanes() * cut;
    return is_vectorised_by_compiler() ? count / hardware_lanes() / 0.6 : count;
  }

  double hardware_lanes() const {
    return static_cast<double>(rates_.vector_bytes) / static_cast<double>(element_bytes_);
  }

  /// A plain loop along memory, without a reduction.
  bool is_vectorised_by_compiler() const {
    if (!shape_.has_lanes || s_.replicated != levels().size() || !inner_) return false;
    if (is_reduced(inner_->dimension)) return false;
    return std::all_of(shape_.buffers.begin(), shape_.buffers.end(), [&](const BufferShape& b) {
      return stride_along(b, inner_->dimension) == 0 || stride_along(b, inner_->dimension) == 1;
    });
  }

  /// The layout of the innermost staging says what lies next to each other.
  int stride_in_tile(const BufferShape& buffer, int dimension) const {
    const int plain = stride_along(buffer, dimension);
    const auto staged = config_.stage.find(buffer.name);
    if (plain == 0 || staged == config_.stage.end()) return plain;
    for (auto r = staged->second.rbegin(); r != staged->second.rend(); ++r) {
      if (r->layout.empty()) continue;
      const ll::LayoutAxis& last = r->layout.back();
      const std::string& name = shape_.dimensions[dimension].name;
      if (last.dimension == name) return 1;
      const bool by_number = !last.dimension.empty() && std::isdigit(last.dimension[0]);
      return by_number ? plain : 2;
    }
    return plain;
  }

  /// Where a buffer begins to be kept in registers; the number of levels if it does not. A tile
  /// that loops inside of it walk along is an array in memory.
  size_t register_place(const BufferShape& buffer) const {
    const auto staged = config_.stage.find(buffer.name);
    const size_t none = s_.whole.levels.size();
    if (staged == config_.stage.end() || staged->second.empty()) return none;
    const ll::Relocation& last = staged->second.back();
    if (!is_register_region(last.region)) return none;
    const size_t at = s_.whole.position(last.from);
    for (size_t n = at; n < none; ++n) {
      const Level& level = s_.whole.levels[n];
      if (level.kind == LayerKind::loop && depends_on(buffer, level.dimension)) return none;
    }
    return at;
  }

  bool is_in_registers(const BufferShape& buffer) const {
    return register_place(buffer) < s_.whole.levels.size();
  }

  bool is_register_region(const std::string& region) const {
    const machine::Region* r = machine_.find_region(region);
    return r && r->is_explicit && !r->owner.empty();
  }

  /// What one round loads, and the vectors that have to be kept.
  struct Loads {
    double vectors = 0, scalars = 0, gathered = 0, operands = 0;
  };

  void count_loads(const BufferShape& buffer, Loads& loads) {
    double elements = 0;
    const size_t from = s_.replicated;
    if (lanes_ && stride_along(buffer, lanes_->dimension) != 0) {
      for (const auto& group : shifted_along_lanes(buffer)) {
        elements += static_cast<double>(tile_of(shape_, s_.loops, group, from).elements);
      }
    } else {
      elements = static_cast<double>(tile_of(shape_, s_.loops, buffer, from).elements);
    }
    const int along = lanes_ ? stride_in_tile(buffer, lanes_->dimension) : 0;
    const bool packs = along == 0 && lanes_ && is_in_registers(buffer) && rates_.broadcasts_lanes;
    double moved = elements;
    if (along == 1) moved = elements / lane_count() * vectors_of_lanes();
    if (packs) moved = std::ceil(elements / std::min(hardware_lanes(), side_by_side(buffer)));
    if (along == 2) loads.gathered += elements * often(buffer);
    const bool single = along == 0 && (!packs || moved == elements);
    // What a compiler would keep over many rounds has to have room beside the results.
    const bool fits = moved + count_accumulators() + 6 <= static_cast<double>(rates_.registers);
    const double share = single && !is_in_registers(buffer) && !fits ? 1 : often(buffer);
    (single ? loads.scalars : loads.vectors) += moved * share;
    // Values that are used at once need no register of their own for long.
    const bool kept = packs || (along == 1 && is_in_registers(buffer));
    loads.operands += kept ? moved : std::min(moved, along == 0 ? 2.0 : 6.0);
  }

  /// Elements of a tile for registers that one load can bring.
  double side_by_side(const BufferShape& buffer) const {
    double run = 1;
    for (size_t n = s_.replicated; n < levels().size(); ++n) {
      const Level& level = levels()[n];
      if (!level.lanes && stride_in_tile(buffer, level.dimension) == 1) {
        run *= static_cast<double>(level.parts);
      }
    }
    return run;
  }

  /// Tiles that do not move with the innermost loop are loaded before it; those in registers where
  /// the configuration says so.
  double often(const BufferShape& buffer) const {
    double rounds = 1;
    const size_t place = register_place(buffer);
    for (size_t n = place; n < s_.whole.levels.size(); ++n) {
      const Level& level = s_.whole.levels[n];
      if (level.kind == LayerKind::loop) rounds *= static_cast<double>(level.parts);
    }
    if (inner_ && !depends_on(buffer, inner_->dimension)) {
      rounds = std::max(rounds, static_cast<double>(inner_->parts));
    }
    return 1.0 / rounds;
  }

  /// Accesses that differ along the lanes cannot share vectors.
  std::vector<BufferShape> shifted_along_lanes(const BufferShape& buffer) const {
    std::vector<BufferShape> groups;
    for (const AccessShape& access : buffer.accesses) {
      const int64_t shift = access.index.empty() ? 0 : access.index.back().constant;
      const auto same = std::find_if(groups.begin(), groups.end(), [&](const BufferShape& g) {
        return g.accesses.front().index.back().constant == shift;
      });
      if (same != groups.end() && !access.index.empty()) {
        same->accesses.push_back(access);
      } else {
        groups.push_back(buffer);
        groups.back().accesses = {access};
      }
    }
    return groups;
  }

  // ---- results

  /// A replicated part of a reduction has accumulators of its own if it is combined after a loop.
  bool is_combined_late(const Level& level) const {
    const size_t at = s_.whole.position(level.name);
    for (size_t n = at + 1; n < s_.whole.levels.size(); ++n) {
      const Level& inner = s_.whole.levels[n];
      if (inner.kind == LayerKind::loop && is_reduced(inner.dimension)) return true;
    }
    return false;
  }

  double count_accumulators() const {
    double count = 1;
    for (size_t n = s_.replicated; n < levels().size(); ++n) {
      const Level& level = levels()[n];
      if (is_reduced(level.dimension) && !is_combined_late(level)) continue;
      count *= level.lanes && lanes_ ? vectors_of_lanes() : static_cast<double>(level.parts);
    }
    return count;
  }

  /// Results stay in registers over loops that only reduce, from the place that the configuration
  /// names inwards. An accumulator that other loops walk along is an array in memory.
  void decide_results(Body& body) const {
    const bool reduces = std::any_of(levels().begin(), levels().begin() + reducing_end(),
                                     [&](const Level& l) { return is_reduced(l.dimension); });
    body.results = reduces ? Results::updated : Results::stored;
    for (const auto& [buffer, places] : config_.acc) {
      for (const ll::Relocation& place : places) {
        if (!is_register_region(place.region)) continue;
        double rounds = 1;
        bool only_reductions = true;
        for (size_t n = s_.whole.position(place.from); n < s_.whole.levels.size(); ++n) {
          const Level& level = s_.whole.levels[n];
          if (level.kind == LayerKind::cores) only_reductions = false;
          if (level.kind != LayerKind::loop) continue;
          only_reductions = only_reductions && is_reduced(level.dimension);
          rounds *= static_cast<double>(level.parts);
        }
        body.in_registers = body.in_registers || only_reductions;
        if (!only_reductions || rounds == 1 || !reduces) continue;
        body.results = Results::kept;
        body.rounds_kept = rounds;
      }
    }
  }

  /// Replicated parts of reductions that are combined in one round.
  double steps_at_once() const {
    double steps = 1;
    for (size_t n = s_.replicated; n < levels().size(); ++n) {
      const Level& level = levels()[n];
      if (level.lanes && lanes_) continue;
      if (is_reduced(level.dimension) && !is_combined_late(level)) {
        steps *= static_cast<double>(level.parts);
      }
    }
    return steps;
  }

  long reducing_end() const { return static_cast<long>(s_.replicated); }

  /// Elements that do not lie side by side along the lanes.
  double scattered(const Body& body) const {
    if (!lanes_) return 0;
    for (const BufferShape& buffer : shape_.buffers) {
      if (buffer.is_output && stride_along(buffer, lanes_->dimension) == 2) {
        return body.accumulators / vectors_of_lanes() * lane_count();
      }
    }
    return 0;
  }

  /// From one round to the next: each accumulator takes in all parts that are combined at once.
  double chain(const Body& body, double instructions) const {
    double horizontal = 0;
    if (lanes_ && is_reduced(lanes_->dimension) && !is_combined_late(*lanes_)) {
      horizontal = lane_count() * body.accumulators * rates_.latency;
    }
    const bool goes_on = inner_ && is_reduced(inner_->dimension);
    if (!goes_on && steps_at_once() == 1) return horizontal;
    const bool in_memory = !body.in_registers || body.results == Results::updated;
    // Operations do not begin the moment they could.
    const double latency = 1.3 * rates_.latency;
    const double steps = steps_at_once() * (in_memory && goes_on ? 4 : 1) * latency;
    // Rounds that do not wait for one another overlap as far as the core looks ahead.
    const double overlap = goes_on ? 1 : std::max(1.0, looks_ahead / instructions);
    return steps / overlap + horizontal;
  }

  static constexpr double looks_ahead = 120;  // instructions

  const Shape& shape_;
  const machine::Machine& machine_;
  const ll::Config& config_;
  const Structure& s_;
  const Rates& rates_;
  const Level* lanes_ = nullptr;
  const Level* inner_ = nullptr;
  int64_t element_bytes_ = 4;
};

}  // namespace

Structure structure_of(const Nest& nest) {
  Structure s;
  s.whole = nest;
  for (const Level& level : nest.levels) {
    if (level.kind == LayerKind::loop) s.loops.levels.push_back(level);
    if (level.kind == LayerKind::cores) s.cores.levels.push_back(level);
  }
  s.replicated = s.loops.levels.size();
  for (const Level& level : nest.levels) {
    if (level.kind == LayerKind::replicated) s.loops.levels.push_back(level);
  }
  return s;
}

Body body_of(const Shape& shape, const machine::Machine& machine, const ll::Config& config,
             const Structure& structure, const Rates& rates) {
  return BodyCounter(shape, machine, config, structure, rates).run();
}

}  // namespace mdh::model
