#include "mdh/passes/plan/plan_inputs.h"

#include <algorithm>
#include <map>

#include "mdh/hl/analysis.h"
#include "mdh/ll/names.h"
#include "mdh/ll/roll.h"
#include "mdh/ll/tile_axes.h"
#include "mdh/passes/common/shapes.h"
#include "mdh/scalar/simplify.h"
#include "mdh/support/text.h"

namespace mdh::passes {
namespace {

using ll::Staging;
using ll::TileAxis;
using loop::Counter;
using loop::Element;
using scalar::index_literal;

/// a + factor · var, without the trivial cases.
Expr plus(const Expr& a, int64_t factor, const Expr& var) {
  if (factor == 0) return a;
  if (factor < 0) return a - var * index_literal(-factor);
  return a + (factor == 1 ? var : var * index_literal(factor));
}

/// A tile that is stored somewhere.
struct Stored {
  Symbol buffer;
  std::vector<TileAxis> axes;  // storage order
  std::set<int> free;
  size_t line = 1;  // innermost axes that are stored as one, because it is padded or swizzled

  /// Where an element lies, given its place along every axis.
  std::vector<Expr> stored(std::vector<Expr> index) const {
    int64_t below = 1;
    for (size_t n = 1; n < line; ++n) {
      const Expr last = index.back();
      index.pop_back();
      below *= axes[index.size()].extent;
      index.back() = simplify(index.back() * index_literal(below) + last);
    }
    return index;
  }
};

class InputPlanner {
 public:
  explicit InputPlanner(PlanContext& context) : c_(context) {}

  InputPlan run() {
    const std::vector<Staging>& all = c_.decomposition.stagings();
    std::map<int, Stored> stored;
    for (int n = 0; n < static_cast<int>(all.size()); ++n) {
      if (all[n].is_hint) continue;
      stored.emplace(n, store(all[n], all[n].source < 0 ? nullptr : &stored.at(all[n].source)));
      innermost_[{all[n].buffer, all[n].accesses}] = stored.at(n);
    }
    for (size_t b = 0; b < c_.computation.inputs.size(); ++b) read(b);
    return std::move(result_);
  }

 private:
  const hl::BufferView& view(const Staging& s) const { return c_.computation.inputs[s.buffer]; }

  Expr digit(int position) const { return loop::index_variable(c_.digit_of_input(position)); }

  int64_t step(const hl::BufferView& buffer, const ll::Family& family, size_t e, int r) const {
    return ll::index_step(c_.low, buffer, family, e, c_.inputs.loops[r]);
  }

  // ---- copies

  Stored store(const Staging& s, const Stored* source) {
    Stored tile{{}, axes_of(s), s.free};
    loop::Buffer buffer{.symbol = loop::named(name_of(s)), .type = view(s).type};
    for (const TileAxis& axis : tile.axes) buffer.extents.push_back(axis.extent);
    pad(buffer, tile, s);
    buffer.region = s.place.region;
    buffer.per = c_.cores_around(s.position, s.team);
    if (ll::is_register(c_.machine, s.place.region)) {
      const auto exact = ll::exact_elements(c_.inputs, c_.computation, view(s), s.accesses, s.free);
      if (exact && *exact < scalar::volume(buffer.extents)) buffer.holds = *exact;
      buffer.opaque = code_of(s).opaque;  // only compilers' knowledge of registers can be hidden
    }
    tile.buffer = c_.add_temporary(buffer);
    if (s.in_registers) result_.in_registers.push_back(tile.buffer.name);
    result_.tiles.push_back(
        {s.filled,
         {loop::StmtNode{loop::Alloc{tile.buffer}}, loop::StmtNode{copy(s, tile, source)}}});
    return tile;
  }

  /// Registers have no layout: what is read as one vector is kept as one, wherever it comes from.
  std::vector<TileAxis> axes_of(const Staging& s) const {
    std::vector<TileAxis> axes =
        ll::tile_axes(c_.low, c_.inputs, view(s), s.accesses, s.free, s.place.layout);
    if (s.in_registers) {
      std::stable_partition(axes.begin(), axes.end(), [&](const TileAxis& axis) {
        return std::none_of(axis.loops.begin(), axis.loops.end(),
                            [&](int r) { return c_.inputs.loops[r].layer->lanes; });
      });
    }
    return axes;
  }

  std::string name_of(const Staging& s) const {
    return view(s).symbol.name + "_" + lower_case(s.place.region);
  }

  ll::StageCode code_of(const Staging& s) const { return c_.decomposition.code_of(s); }

  /// Nothing travels to registers, or on inside of a tile, by itself; and who waits has to be who
  /// sent it, which nobody knows where parts are taken as they come.
  loop::Transport transport_of(const Staging& s) const {
    const bool taken = std::any_of(c_.code.cores.begin(), c_.code.cores.end(), [](const auto& c) {
      return c.second.deal == ll::Deal::dynamic;
    });
    const bool may = !code_of(s).roll && !taken && !ll::is_register(c_.machine, s.place.region);
    if (!may) return loop::Transport::plain;
    switch (code_of(s).transport) {
      case ll::Transport::async:
        return loop::Transport::async;
      case ll::Transport::registers:
        return loop::Transport::registers;
      case ll::Transport::plain:
        return loop::Transport::plain;
    }
    return loop::Transport::plain;
  }

  void pad(loop::Buffer& buffer, Stored& tile, const Staging& s) const {
    const ll::StageCode code = code_of(s);
    buffer.depth = code.depth;
    // Registers have no lines that could be longer, and nobody copies several of them at once.
    if (tile.axes.empty() || ll::is_register(c_.machine, s.place.region)) return;
    buffer.width = code.width;
    if (code.pad == 0 && code.swizzle == 1) return;
    tile.line = ll::axes_of_line(tile.axes, s.place.layout, code.line);
    for (size_t n = 1; n < tile.line; ++n) {
      const int64_t last = buffer.extents.back();
      buffer.extents.pop_back();
      buffer.extents.back() *= last;
    }
    buffer.extents.back() = ll::stored_line(buffer.extents.back(), code, buffer.type);
    if (buffer.extents.size() > 1) buffer.swizzle = code.swizzle;
  }

  loop::Copy copy(const Staging& s, const Stored& tile, const Stored* source) {
    loop::Copy copy;
    copy.transport = transport_of(s);
    copy.to.buffer = tile.buffer;
    for (const TileAxis& axis : tile.axes) {
      const Symbol var = c_.fresh(fmt::format("{}_{}", tile.buffer.name, copy.axes.size() + 1));
      copy.axes.push_back({var, axis.extent});
      copy.to.index.push_back(along(copy.axes.back()));
    }
    copy.to.index = tile.stored(copy.to.index);
    for (const int r : s.team) copy.team.push_back(c_.digit_of_input(r));
    const scalar::Extents extents = hl::extents(c_.computation, view(s));
    std::vector<Expr> index;
    for (size_t e = 0; e < extents.size(); ++e) {
      index.push_back(simplify(buffer_index(s, tile, copy.axes, e)));
      add_bounds(s, tile, e, extents[e], index.back(), copy.within);
    }
    if (source == nullptr) {
      copy.from = {loop::named(view(s).symbol.name), index};
    } else {
      copy.from = {source->buffer, source_index(s, tile, *source, copy.axes)};
    }
    if (code_of(s).roll) copy.roll = rolled(s, copy.axes);
    if (code_of(s).across && s.filled > 1) copy.across = c_.digit_of_input(s.filled - 2);
    copy.ahead = ahead_of(s);
    copy.blocks = blocks_of(s, tile, copy.axes);
    return copy;
  }

  /// Along the first axis of the dimension, the one that is worth most.
  std::vector<Counter> blocks_of(const Staging& s, const Stored& tile,
                                 const std::vector<Counter>& axes) const {
    std::vector<Counter> blocks;
    for (const auto& [name, size] : code_of(s).copy_order) {
      const auto dimension = ll::find_axis(c_.computation, view(s), name);  // from 1 on
      for (size_t n = 0; dimension && n < axes.size(); ++n) {
        if (tile.axes[n].dimension + 1 != static_cast<size_t>(*dimension)) continue;
        blocks.push_back({axes[n].var, size});
        break;
      }
    }
    return blocks;
  }

  /// Along a loop around the copy.
  std::optional<loop::Ahead> ahead_of(const Staging& s) const {
    const auto wish = code_of(s).prefetch;
    for (int r = 0; wish && r < s.filled; ++r) {
      const ll::Level& level = c_.inputs.loops[r].level;
      const ll::LevelName name{c_.low.layers[level.layer],
                               c_.computation.dimensions[level.dimension].symbol.name};
      if (name == wish->level) return loop::Ahead{c_.digit_of_input(r), wish->distance};
    }
    return std::nullopt;
  }

  /// Along the only loop that is possible.
  std::optional<loop::Roll> rolled(const Staging& s, const std::vector<Counter>& axes) const {
    if (s.filled == 0) return std::nullopt;
    const int r = s.filled - 1;
    const auto found = ll::roll_of(c_.low, c_.inputs, s, c_.inputs.loops[r].level);
    const auto* roll = std::get_if<ll::Roll>(&found);
    if (!roll) return std::nullopt;
    return loop::Roll{c_.digit_of_input(r), axes[roll->axis].var, roll->shift};
  }

  int64_t least_constant(const Staging& s, size_t e) const {
    int64_t least = INT64_MAX;
    for (const int a : s.accesses) {
      least =
          std::min(least, hl::find_affine(c_.computation, view(s).accesses[a].index[e])->constant);
    }
    return least;
  }

  bool is_affine(const Staging& s, size_t e) const {
    return hl::find_affine(c_.computation, view(s).accesses[s.accesses.front()].index[e])
        .has_value();
  }

  /// Where the tile begins in the buffer: what is fixed, and the low end of what runs backwards.
  Expr buffer_index(const Staging& s, const Stored& tile, const std::vector<Counter>& counters,
                    size_t e) const {
    Expr index = index_literal(0);
    int64_t constant = 0;
    if (is_affine(s, e)) {
      constant = least_constant(s, e);
      for (int r = 0; r < c_.depth(); ++r) {
        const int64_t a = step(view(s), s.accesses, e, r);
        if (!tile.free.contains(r)) index = plus(index, a, digit(r));
        if (tile.free.contains(r) && a < 0) constant += a * (c_.inputs.loops[r].parts - 1);
      }
    }
    for (size_t n = 0; n < counters.size(); ++n) {
      if (tile.axes[n].dimension != e) continue;
      index = plus(index, tile.axes[n].stride, loop::index_variable(counters[n].var));
    }
    return constant < 0 ? index - index_literal(-constant) : index + index_literal(constant);
  }

  /// Exactly the elements that exist are copied. Conditions that always hold are left out.
  void add_bounds(const Staging& s, const Stored& tile, size_t e, int64_t extent, const Expr& index,
                  std::vector<Expr>& within) const {
    if (!is_affine(s, e)) return;
    int64_t least = least_constant(s, e), greatest = least;
    for (int r = 0; r < c_.depth(); ++r) {
      const int64_t a = step(view(s), s.accesses, e, r);
      const int64_t reach = a * (c_.inputs.loops[r].parts - 1);
      if (!tile.free.contains(r)) (reach < 0 ? least : greatest) += reach;
      if (tile.free.contains(r) && a < 0) {
        least += reach;
        greatest += reach;
      }
    }
    for (const TileAxis& axis : tile.axes) {
      if (axis.dimension == e) greatest += axis.stride * (axis.extent - 1);
    }
    if (least < 0) {
      within.push_back(scalar::binary(scalar::BinaryOp::greater_equal, index, index_literal(0)));
    }
    if (greatest >= extent) {
      within.push_back(below(index, extent));
    }
  }

  /// The same element in the tile that is copied from: bands of a tile lie within bands of any
  /// tile that holds it.
  std::vector<Expr> source_index(const Staging& s, const Stored& tile, const Stored& source,
                                 const std::vector<Counter>& counters) const {
    std::vector<Expr> result;
    for (const TileAxis& axis : source.axes) {
      Expr index = index_literal(0);
      for (const int r : axis.loops) {
        if (!tile.free.contains(r)) index = plus_loop(index, s, axis, r);
      }
      for (size_t n = 0; n < counters.size(); ++n) {
        if (!lies_within(tile.axes[n], axis)) continue;
        index =
            plus(index, tile.axes[n].stride / axis.stride, loop::index_variable(counters[n].var));
      }
      result.push_back(simplify(index));
    }
    return source.stored(result);
  }

  static bool lies_within(const TileAxis& inner, const TileAxis& outer) {
    if (inner.dimension != outer.dimension) return false;
    if (inner.whole || (inner.constants && outer.constants)) return true;
    return !inner.loops.empty() && std::find(outer.loops.begin(), outer.loops.end(),
                                             inner.loops.front()) != outer.loops.end();
  }

  /// A loop that runs backwards counts from its end.
  Expr plus_loop(const Expr& index, const Staging& s, const TileAxis& axis, int r) const {
    const int64_t a = step(view(s), s.accesses, axis.dimension, r) / axis.stride;
    const Expr moved = plus(index, a, digit(r));
    return a < 0 ? moved + index_literal(-a * (c_.inputs.loops[r].parts - 1)) : moved;
  }

  // ---- what f reads

  void read(size_t b) {
    const hl::BufferView& buffer = c_.computation.inputs[b];
    const std::vector<ll::Family> families = ll::families(c_.computation, buffer);
    for (int a = 0; a < std::ssize(buffer.accesses); ++a) {
      const auto family = std::find_if(families.begin(), families.end(), [&](const auto& f) {
        return std::find(f.begin(), f.end(), a) != f.end();
      });
      const auto tile = innermost_.find({b, *family});
      result_.reads.push_back(tile == innermost_.end() ? user_element(buffer, a)
                                                       : tile_element(b, *family, a, tile->second));
    }
  }

  static Element user_element(const hl::BufferView& buffer, int access) {
    Element element{loop::named(buffer.symbol.name), {}};
    for (const Expr& index : buffer.accesses[access].index) {
      element.index.push_back(index_of(index));
    }
    return element;
  }

  Element tile_element(size_t b, const ll::Family& family, int access, const Stored& tile) const {
    const hl::BufferView& buffer = c_.computation.inputs[b];
    const Staging s{.buffer = b, .accesses = family};
    Element element{tile.buffer, {}};
    for (const TileAxis& axis : tile.axes) {
      const Expr& function = buffer.accesses[access].index[axis.dimension];
      if (axis.whole) {
        element.index.push_back(index_of(function));
        continue;
      }
      Expr index = index_literal(0);
      for (const int r : axis.loops) index = plus_loop(index, s, axis, r);
      if (axis.constants) {
        const int64_t constant = hl::find_affine(c_.computation, function)->constant;
        index = index + index_literal((constant - least_constant(s, axis.dimension)) / axis.stride);
      }
      element.index.push_back(simplify(index));
    }
    element.index = tile.stored(element.index);
    return element;
  }

  PlanContext& c_;
  std::map<std::pair<size_t, ll::Family>, Stored> innermost_;
  InputPlan result_;
};

}  // namespace

InputPlan plan_inputs(PlanContext& context) { return InputPlanner(context).run(); }

}  // namespace mdh::passes
