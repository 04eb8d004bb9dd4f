#include "mdh/ll/edges.h"

#include <algorithm>

#include "mdh/ll/decomposition.h"

namespace mdh::ll {
namespace {

class EdgeFinder {
 public:
  explicit EdgeFinder(const Decomposition& d) : d_(d) {}

  std::vector<DimensionEnd> run() const {
    std::vector<DimensionEnd> ends(d_.computation().dimensions.size());
    for (const NestLoop& loop : d_.inputs().loops) {
      DimensionEnd& end = ends[loop.level.dimension];
      if (loop.layer->kind == machine::LayerKind::replicated) end.tile *= loop.parts;
      if (!loop.is_open()) end.parts *= loop.parts;
    }
    bool padded = true, shifted = finishes_in_registers();
    for (int n = 0; n < std::ssize(ends); ++n) {
      if (!is_cut(n, ends[n]) || !is_kept(n)) continue;
      const Reads reads = reads_along(n);
      padded = padded && reads.others == 0;
      shifted = shifted && size(n).value_or(0) >= ends[n].tile && reads.copies == 0;
    }
    const LastTile kept = padded ? LastTile::padded : shifted ? LastTile::shifted : LastTile::cut;
    for (int n = 0; n < std::ssize(ends); ++n) {
      if (is_cut(n, ends[n])) ends[n].last = decided(n, is_kept(n) ? kept : LastTile::cut);
    }
    return ends;
  }

 private:
  std::optional<int64_t> size(int dimension) const { return d_.inputs().sizes[dimension]; }

  bool is_kept(int dimension) const {
    return d_.computation().dimensions[dimension].combine.shape == hl::Shape::concatenate;
  }

  /// What the configuration says, or what the passes find best.
  LastTile decided(int dimension, LastTile found) const {
    const auto& edges = d_.program().code.edge;
    const auto edge = edges.find(d_.computation().dimensions[dimension].symbol.name);
    switch (edge == edges.end() ? Edge::automatic : edge->second) {
      case Edge::automatic:
        return found;
      case Edge::clamp:
        return LastTile::clamped;
      case Edge::mask:
        return LastTile::cut;
      case Edge::pad:
        return LastTile::padded;
      case Edge::overlap:
        return LastTile::shifted;
    }
    return found;
  }

  /// One that is known at run time only may be anything.
  bool is_cut(int dimension, const DimensionEnd& end) const {
    return size(dimension) ? *size(dimension) % end.tile != 0 : end.tile > 1;
  }

  /// Families of accesses that move along a dimension.
  struct Reads {
    int copies = 0, others = 0;
  };

  Reads reads_along(int dimension) const {
    Reads reads;
    const auto& inputs = d_.computation().inputs;
    for (size_t b = 0; b < inputs.size(); ++b) {
      for (const Family& family : families(d_.computation(), inputs[b])) {
        if (!uses(d_.computation(), inputs[b], family, dimension)) continue;
        const bool copied =
            std::any_of(d_.stagings().begin(), d_.stagings().end(), [&](const Staging& s) {
              return s.buffer == b && s.accesses == family && is_copy_in_memory(s);
            });
        ++(copied ? reads.copies : reads.others);
      }
    }
    return reads;
  }

  /// All reductions run inside of the accumulators that are nearest to f: what leaves them is
  /// complete, and may be written twice.
  bool finishes_in_registers() const {
    const int start = d_.runs().back().start;
    const auto& loops = d_.outputs().loops;
    return std::none_of(loops.begin(), loops.begin() + std::max(start, 0),
                        [](const NestLoop& loop) { return !loop.concatenated; }) &&
           (start >= 0 || std::all_of(loops.begin(), loops.end(),
                                      [](const NestLoop& loop) { return loop.concatenated; }));
  }

  const Decomposition& d_;
};

}  // namespace

std::vector<DimensionEnd> dimension_ends(const Decomposition& d) { return EdgeFinder(d).run(); }

}  // namespace mdh::ll
