#include "mdh/ll/runs.h"

#include <algorithm>
#include <optional>

#include "mdh/hl/analysis.h"
#include "mdh/ll/names.h"
#include "mdh/ll/staging.h"

namespace mdh::ll {
namespace {

bool is_replicated(const NestLoop& loop) {
  return loop.layer->kind == machine::LayerKind::replicated;
}

class RunFinder {
 public:
  RunFinder(const Program& p, const Nest& outputs, const machine::Machine& machine)
      : p_(p), outputs_(outputs), machine_(machine) {}

  std::vector<Run> run() {
    result_.push_back({.start = -1, .places = user_places()});
    for (int q = 0; q <= outputs_.depth(); ++q) {
      if (q > 0 && outputs_.loops[q - 1].is_parallel() && outputs_.loops[q - 1].reduced) {
        const bool exchanged = exchanges(q - 1);
        result_.push_back({.start = q,
                           .places = exchanged ? private_places(q - 1) : meeting_places(q - 1),
                           .slots = q - 1,
                           .exchanged = exchanged});
      }
      if (moves(q) || scans_again(q) || (q == 0 && !is_injective())) {
        result_.push_back({.start = q, .places = places_at(q)});
      }
      if (const auto scan = begins_private(q)) {
        result_.push_back({.start = q, .places = private_places(*scan), .is_private = true});
      }
      if (q < outputs_.depth()) result_.back().levels.push_back(q);
    }
    for (Run& run : result_) {
      replicate(run);
      run.in_registers = is_in_registers(run);
    }
    for (size_t n = 1; n < result_.size(); ++n) {
      if (result_[n].is_private) result_[n - 1].line = line_moved(result_[n - 1], result_[n].start);
    }
    return std::move(result_);
  }

  /// Members of a team combine where all of them can read.
  std::vector<Place> meeting_places(int q) const {
    std::vector<Place> places = places_at(q);
    for (Place& place : places) {
      if (sees(q, place.region)) continue;
      for (const machine::Region& region : machine_.regions) {
        if (sees(q, region.name)) place.region = region.name;
      }
    }
    return places;
  }

  /// Nobody else sees them.
  std::vector<Place> private_places(int q) const {
    std::vector<Place> places = places_at(q);
    for (Place& place : places) {
      if (!sees(q, place.region)) continue;
      for (const machine::Region& region : machine_.regions) {
        if (!sees(q, region.name)) place.region = region.name;
      }
    }
    return places;
  }

 private:
  /// Nothing is private to cores of a group from one of its members of the grid to the next, nor what
  /// the parts of a scan tell each other.
  bool exchanges(int q) const {
    return combination_of(p_, outputs_.loops[q]) == Combination::shuffle &&
           std::none_of(outputs_.loops.begin() + q + 1, outputs_.loops.end(),
                        [](const auto& inner) {
                          return inner.is_parallel() && (!inner.layer->barrier || is_scan(inner));
                        });
  }

  std::vector<Place> user_places() const {
    std::vector<Place> places;
    for (const hl::BufferView& view : p_.computation.outputs) {
      places.push_back(user_place(view, machine_));
    }
    return places;
  }

  std::vector<Place> places_at(int q) const {
    return q < outputs_.depth() ? p_.recompose[q].places : p_.scalar.writes;
  }

  bool moves(int q) const {
    const std::vector<Place> outer = q == 0 ? user_places() : places_at(q - 1);
    const std::vector<Place> inner = places_at(q);
    for (size_t b = 0; b < inner.size(); ++b) {
      if (is_copy(outer[b], inner[b], machine_)) return true;
    }
    return false;
  }

  /// A reduction revisits elements that a scan inside of it has already summed up.
  bool scans_again(int q) const {
    if (q == outputs_.depth() || !is_scan(outputs_.loops[q])) return false;
    const std::vector<int>& levels = result_.back().levels;
    return std::any_of(levels.begin(), levels.end(),
                       [&](int r) { return outputs_.loops[r].reduced; });
  }

  bool is_injective() const {
    const auto& views = p_.computation.outputs;
    return std::all_of(views.begin(), views.end(), [&](const hl::BufferView& view) {
      return hl::is_injective(p_.computation, view);
    });
  }

  bool sees(int q, const std::string& region) const {
    return machine::shares(machine_, *outputs_.loops[q].layer, *machine_.find_region(region));
  }

  /// Where a scan is joined by exchanges, cores have what they have made, from as far outside as
  /// possible; nobody else needs it. That scan, if one begins here.
  std::optional<int> begins_private(int start) const {
    if (std::any_of(result_.begin(), result_.end(), [](const Run& r) { return r.is_private; })) {
      return std::nullopt;
    }
    for (int q = start; q < outputs_.depth(); ++q) {
      const NestLoop& loop = outputs_.loops[q];
      const bool asked =
          is_scan(loop) && loop.is_parallel() && combination_of(p_, loop) == Combination::shuffle;
      if (asked && stays_with_cores(start)) return q;
    }
    return std::nullopt;
  }

  /// Of the loops from here inwards, those on cores of a group share elements and do not combine
  /// them, and parts of a scan are joined by who has them.
  bool stays_with_cores(int start) const {
    for (int q = start; q < outputs_.depth(); ++q) {
      const NestLoop& loop = outputs_.loops[q];
      if (loop.is_parallel() && (loop.reduced || !loop.layer->barrier)) return false;
      if (!is_scan(loop)) continue;
      for (int r = q + 1; r < outputs_.depth(); ++r) {
        const NestLoop& inner = outputs_.loops[r];
        if (inner.level.dimension != loop.level.dimension || !inner.is_parallel()) continue;
        if (!loop.is_parallel() || inner.chunk > loop.chunk) return false;
      }
    }
    return true;
  }

  /// What the loops of one core from a position inwards make lies side by side, if it is all of one
  /// dimension and its digits are the finest ones.
  int64_t line_moved(const Run& run, int start) const {
    if (run.start < 0 || !run.replicas.empty() || !is_of_group(run)) return 0;
    int64_t line = 1, coarsest = 0;
    std::optional<int> dimension;
    for (int q = start; q < outputs_.depth(); ++q) {
      const NestLoop& loop = outputs_.loops[q];
      if (loop.reduced || loop.is_parallel()) continue;
      if (loop.is_open() || dimension.value_or(loop.level.dimension) != loop.level.dimension)
        return 0;
      dimension = loop.level.dimension;
      line *= loop.parts;
      coarsest = std::max(coarsest, loop.chunk);
    }
    const bool is_finest = std::all_of(
        outputs_.loops.begin() + run.start, outputs_.loops.end(), [&](const auto& loop) {
          return !loop.is_parallel() || loop.level.dimension != dimension || loop.chunk > coarsest;
        });
    return is_finest && line > 1 && lies_along(run, *dimension) ? line : 0;
  }

  /// The innermost axis of every output is this dimension alone, and no other axis is.
  bool lies_along(const Run& run, int dimension) const {
    for (size_t b = 0; b < run.places.size(); ++b) {
      const Layout& layout = run.places[b].layout;
      const hl::BufferView& view = p_.computation.outputs[b];
      if (layout.empty()) return false;
      for (const Axis& axis : layout) {
        const size_t n = axis.dimension - 1;
        const bool fits = &axis == &layout.back()
                              ? walking_dimension(p_.computation, view, n) == dimension
                              : !is_walked_by(view, n, dimension);
        if (!fits || !axis.layer.empty()) return false;
      }
    }
    return true;
  }

  bool is_walked_by(const hl::BufferView& view, size_t axis, int dimension) const {
    const Symbol& symbol = p_.computation.dimensions[dimension].symbol;
    return std::any_of(view.accesses.begin(), view.accesses.end(), [&](const hl::Access& access) {
      return scalar::mentions(access.index[axis], symbol);
    });
  }

  /// Neither the user's memory nor a layout that somebody has asked for.
  bool is_of_group(const Run& run) const {
    const std::vector<Place> outside = user_places();
    for (size_t b = 0; b < run.places.size(); ++b) {
      const Place& place = run.places[b];
      if (place.region == outside[b].region || place.layout != outside[b].layout) return false;
    }
    return true;
  }

  /// Results that loops or cores inside walk along are an array in memory.
  bool is_in_registers(const Run& run) const {
    const auto is_there = [&](const Place& place) { return is_register(machine_, place.region); };
    if (run.start < 0 || !std::all_of(run.places.begin(), run.places.end(), is_there)) return false;
    return std::all_of(outputs_.loops.begin() + run.start, outputs_.loops.end(), [](const auto& l) {
      return is_replicated(l) || (l.reduced && !l.is_parallel());
    });
  }

  /// Parts side by side in one core have results of their own while loops inside of them run.
  void replicate(Run& run) const {
    if (run.start < 0 || run.slots >= 0) return;
    for (const int q : run.levels) {
      if (is_scan(outputs_.loops[q])) return;
    }
    for (const int q : run.levels) {
      const auto inner = outputs_.loops.begin() + q + 1;
      const bool loops_inside = std::any_of(
          inner, outputs_.loops.end(), [](const NestLoop& loop) { return !is_replicated(loop); });
      const NestLoop& loop = outputs_.loops[q];
      if (is_replicated(loop) && loop.reduced && loops_inside) run.replicas.push_back(q);
    }
  }

  const Program& p_;
  const Nest& outputs_;
  const machine::Machine& machine_;
  std::vector<Run> result_;
};

}  // namespace

int64_t padded_line(int64_t elements, const scalar::Type& type) {
  constexpr int64_t piece = 16;
  const int64_t bytes = scalar::bytes_of(type);
  if (bytes != 4 && bytes != 8) return elements;
  const bool is_odd = elements * bytes % (2 * piece) == piece;
  return is_odd || elements * bytes % piece != 0 ? elements : elements + piece / bytes;
}

Combination combination_of(const Program& p, const NestLoop& loop) {
  const auto how = p.code.combine.find(
      {p.layers[loop.level.layer], p.computation.dimensions[loop.level.dimension].symbol.name});
  return how == p.code.combine.end() ? Combination::automatic : how->second;
}

bool is_scan(const NestLoop& loop) { return !loop.reduced && !loop.concatenated; }

std::vector<Run> runs(const Program& p, const Nest& outputs, const machine::Machine& machine) {
  return RunFinder(p, outputs, machine).run();
}

ScanTeam scan_team(const Program& p, const Nest& outputs, int loop,
                   const machine::Machine& machine) {
  ScanTeam team{loop, RunFinder(p, outputs, machine).meeting_places(loop), {}, {}, {}};
  const NestLoop& own = outputs.loops[loop];
  for (int r = loop + 1; r < outputs.depth(); ++r) {
    const NestLoop& inner = outputs.loops[r];
    if (inner.level.dimension != own.level.dimension) {
      if (!inner.reduced) team.lines.push_back(r);
    } else {
      (inner.chunk > own.chunk ? team.coarse : team.fine).push_back(r);
    }
  }
  const auto by_significance = [&](int a, int b) {
    return outputs.loops[a].chunk > outputs.loops[b].chunk;
  };
  std::sort(team.coarse.begin(), team.coarse.end(), by_significance);
  std::sort(team.fine.begin(), team.fine.end(), by_significance);
  return team;
}

}  // namespace mdh::ll
