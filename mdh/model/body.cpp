#include "mdh/model/body.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace mdh::model {
namespace {

class BodyCounter {
 public:
  explicit BodyCounter(const Work& work)
      : w_(work), shape_(work.shape), s_(work.structure), rates_(work.rates) {
    for (size_t n = s_.replicated; n < levels().size(); ++n) {
      if (levels()[n]->layer->lanes && shape_.has_lanes) lanes_ = levels()[n];
    }
    inner_ = s_.replicated > 0 ? levels()[s_.replicated - 1] : nullptr;
    element_bytes_ = shape_.buffers.back().element_bytes;
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
    double scattered_moves = body.results == Results::kept ? 0 : elements;
    if (body.results == Results::updated) scattered_moves += elements;
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
                loads.gathered * 2 * rates_.gathered +
                scattered_moves * scattering() * rates_.gathered + spilled * rates_.latency / 2;
    // What is loaded, combined and stored again waits for itself more than chains say: measured.
    if (body.results == Results::updated) body.time = 1.3 * body.time + updates * rates_.load;
    // Very long bodies leave the caches of instructions, and compilers lose track.
    body.time *= 1 + 0.1 * std::max(0.0, instructions / 300 - 1);
    return body;
  }

 private:
  const Loops& levels() const { return s_.loops; }

  bool is_reduced(const ll::NestLoop* loop) const { return w_.is_reduced(dimension_of(loop)); }

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
      count *= static_cast<double>(levels()[n]->parts);
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
    if (is_reduced(inner_)) return false;
    return std::all_of(shape_.buffers.begin(), shape_.buffers.end(), [&](const BufferShape& b) {
      return stride_along(b, dimension_of(inner_)) < 2;
    });
  }

  /// The layout of the innermost place says what lies next to each other.
  int stride_in_tile(const BufferShape& buffer, int dimension) const {
    const int plain = stride_along(buffer, dimension);
    if (plain == 0 || buffer.is_output) return plain;
    const ll::Staging* last = innermost(buffer);
    if (!last || last->place.layout.empty()) return plain;
    const size_t axis = static_cast<size_t>(last->place.layout.back().dimension) - 1;
    const AccessShape& access = buffer.accesses[last->accesses.front()];
    return std::abs(access.index[axis].coefficients[dimension]) == 1 ? 1 : 2;
  }

  const ll::Staging* innermost(const BufferShape& buffer) const {
    const ll::Staging* last = nullptr;
    if (buffer.is_output) return last;
    for (const ll::Staging& s : w_.d.stagings()) {
      if (s.buffer == buffer.number) last = &s;
    }
    return last;
  }

  /// The tile in registers that f reads; nothing if it reads memory.
  const ll::Staging* tile_in_registers(const BufferShape& buffer) const {
    const ll::Staging* last = innermost(buffer);
    return last && last->in_registers ? last : nullptr;
  }

  /// What one round loads, and the vectors that have to be kept.
  struct Loads {
    double vectors = 0, scalars = 0, gathered = 0, operands = 0;
  };

  void count_loads(const BufferShape& buffer, Loads& loads) {
    double elements = 0;
    const size_t from = s_.replicated;
    if (lanes_ && stride_along(buffer, dimension_of(lanes_)) != 0) {
      for (const auto& group : shifted_along_lanes(buffer)) {
        elements += static_cast<double>(touched(shape_, s_.loops, group, from).elements);
      }
    } else {
      elements = static_cast<double>(touched(shape_, s_.loops, buffer, from).elements);
    }
    const int along = lanes_ ? stride_in_tile(buffer, dimension_of(lanes_)) : 0;
    const bool packs = along == 0 && lanes_ && tile_in_registers(buffer) && rates_.broadcasts_lanes;
    double moved = elements;
    if (along == 1) moved = elements / lane_count() * vectors_of_lanes();
    if (packs) moved = std::ceil(elements / std::min(hardware_lanes(), side_by_side(buffer)));
    if (along == 2) loads.gathered += elements * often(buffer);
    const bool single = along == 0 && (!packs || moved == elements);
    // What a compiler would keep over many rounds has to have room beside the results.
    const bool fits = moved + count_accumulators() + 6 <= static_cast<double>(rates_.registers);
    const double share = single && !tile_in_registers(buffer) && !fits ? 1 : often(buffer);
    (single ? loads.scalars : loads.vectors) += moved * share;
    // Values that are used at once need no register of their own for long.
    const bool kept = packs || (along == 1 && tile_in_registers(buffer));
    loads.operands += kept ? moved : std::min(moved, along == 0 ? 2.0 : 6.0);
  }

  /// Elements of a tile for registers that one load can bring.
  double side_by_side(const BufferShape& buffer) const {
    double run = 1;
    for (size_t n = s_.replicated; n < levels().size(); ++n) {
      const ll::NestLoop* level = levels()[n];
      if (!level->layer->lanes && stride_in_tile(buffer, dimension_of(level)) == 1) {
        run *= static_cast<double>(level->parts);
      }
    }
    return run;
  }

  /// Tiles that do not move with the innermost loop are loaded before it; those in registers where
  /// they are filled.
  double often(const BufferShape& buffer) const {
    double rounds = 1;
    if (const ll::Staging* tile = tile_in_registers(buffer)) {
      for (size_t n = static_cast<size_t>(tile->position); n < s_.whole.size(); ++n) {
        if (is_loop(*s_.whole[n])) rounds *= static_cast<double>(s_.whole[n]->parts);
      }
    }
    if (inner_ && !depends_on(buffer, dimension_of(inner_))) {
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
  bool is_combined_late(const ll::NestLoop* loop) const {
    const auto& runs = w_.d.runs();
    return std::any_of(runs.begin(), runs.end(), [&](const ll::Run& run) {
      return std::any_of(run.replicas.begin(), run.replicas.end(),
                         [&](int q) { return w_.d.outputs().loops[q].level == loop->level; });
    });
  }

  double count_accumulators() const {
    double count = 1;
    for (size_t n = s_.replicated; n < levels().size(); ++n) {
      const ll::NestLoop* level = levels()[n];
      if (is_reduced(level) && !is_combined_late(level)) continue;
      count *=
          level->layer->lanes && lanes_ ? vectors_of_lanes() : static_cast<double>(level->parts);
    }
    return count;
  }

  /// Results stay in registers over loops that only reduce, from the outermost accumulator that is
  /// there inwards.
  void decide_results(Body& body) const {
    const auto end = levels().begin() + static_cast<long>(s_.replicated);
    const bool reduces =
        std::any_of(levels().begin(), end, [&](const auto* loop) { return is_reduced(loop); });
    body.results = reduces ? Results::updated : Results::stored;
    const auto& runs = w_.d.runs();
    const auto first =
        std::find_if(runs.begin(), runs.end(), [](const ll::Run& run) { return run.in_registers; });
    if (first == runs.end()) return;
    body.in_registers = true;
    double rounds = 1;
    const auto& loops = w_.d.outputs().loops;
    for (size_t q = static_cast<size_t>(first->start); q < loops.size(); ++q) {
      if (is_loop(loops[q])) rounds *= static_cast<double>(loops[q].parts);
    }
    if (rounds == 1 || !reduces) return;
    body.results = Results::kept;
    body.rounds_kept = rounds;
  }

  /// Replicated parts of reductions that are combined in one round.
  double steps_at_once() const {
    double steps = 1;
    for (size_t n = s_.replicated; n < levels().size(); ++n) {
      const ll::NestLoop* level = levels()[n];
      if (level->layer->lanes && lanes_) continue;
      if (is_reduced(level) && !is_combined_late(level)) {
        steps *= static_cast<double>(level->parts);
      }
    }
    return steps;
  }

  /// What it takes to bring one of them to its place, and back: in the user's buffer rows lie far
  /// apart, and fall onto few places of a cache; in an accumulator they are neighbours. Measured.
  double scattering() const {
    bool is_own = false;
    for (const ll::Run& run : w_.d.runs()) {
      if (!run.in_registers) is_own = run.start >= 0;
    }
    return is_own ? 1.25 : 5;
  }

  /// Elements that do not lie side by side along the lanes.
  double scattered(const Body& body) const {
    if (!lanes_) return 0;
    for (const BufferShape& buffer : shape_.buffers) {
      if (buffer.is_output && stride_along(buffer, dimension_of(lanes_)) == 2) {
        return body.accumulators / vectors_of_lanes() * lane_count();
      }
    }
    return 0;
  }

  /// From one round to the next: each accumulator takes in all parts that are combined at once.
  double chain(const Body& body, double instructions) const {
    double horizontal = 0;
    if (lanes_ && is_reduced(lanes_) && !is_combined_late(lanes_)) {
      horizontal = lane_count() * body.accumulators * rates_.latency;
    }
    const bool goes_on = inner_ && is_reduced(inner_);
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

  const Work& w_;
  const Shape& shape_;
  const Structure& s_;
  const Rates& rates_;
  const ll::NestLoop* lanes_ = nullptr;
  const ll::NestLoop* inner_ = nullptr;
  int64_t element_bytes_ = 4;
};

}  // namespace

Body body_of(const Work& work) { return BodyCounter(work).run(); }

}  // namespace mdh::model
