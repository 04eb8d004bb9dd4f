#include "mdh/search/sketch_tiles.h"

#include <algorithm>

#include "mdh/model/shape.h"

namespace mdh::search {
namespace {

class TileMaker {
 public:
  TileMaker(const SketchBase& base, const model::Rates& rates)
      : base_(base), shape_(base.shape), room_(rates.registers * 3 / 4) {
    const int64_t bytes = std::max<int64_t>(1, shape_.buffers.back().element_bytes);
    lanes_ = std::max<int64_t>(1, rates.vector_bytes / bytes);
  }

  std::vector<Sketch> run() {
    for (size_t n = 0; n < base_.dimensions(); ++n) {
      const int d = static_cast<int>(n);
      if (!shape_.has_lanes || lanes_ < 2 || size(d) < 2 || base_.is_scanned(d)) continue;
      if (base_.is_reduced(d)) add_late(d);
      if (is_kept(d) && can_take_lanes(d)) add_kept(d);
    }
    all_.emplace_back(base_);  // plain loops
    return std::move(all_);
  }

 private:
  int64_t size(int d) const { return shape_.dimensions[d].size; }
  bool is_kept(int d) const { return !base_.is_reduced(d) && !base_.is_scanned(d); }

  size_t inputs() const {
    return static_cast<size_t>(std::count_if(shape_.buffers.begin(), shape_.buffers.end(),
                                             [](const auto& b) { return !b.is_output; }));
  }

  std::vector<int> reduced() const {
    std::vector<int> all;
    for (size_t d = 0; d < base_.dimensions(); ++d) {
      if (base_.is_reduced(static_cast<int>(d)) && size(static_cast<int>(d)) > 1) {
        all.push_back(static_cast<int>(d));
      }
    }
    return all;
  }

  /// Every element is used often enough that moving it pays.
  bool can_copy(size_t input) const {
    const model::BufferShape& buffer = shape_.buffers[input];
    if (buffer.accesses.size() != 1 || !buffer.accesses.front().is_affine) return false;
    double elements = 1;
    for (const int64_t extent : buffer.extents) elements *= static_cast<double>(extent);
    return buffer.extents.size() > 1 && shape_.points / elements >= 4;
  }

  /// Results lie along the lanes, if they can; inputs do, or are copied so.
  bool can_take_lanes(int d) const {
    bool others = false, mine = true;
    for (const model::BufferShape& buffer : shape_.buffers) {
      if (!buffer.is_output) continue;
      mine = mine && model::stride_along(buffer, d) == 1;
      for (size_t e = 0; e < base_.dimensions(); ++e) {
        const int other = static_cast<int>(e);
        others = others || (other != d && is_kept(other) && size(other) >= lanes_ &&
                            model::stride_along(buffer, other) == 1);
      }
    }
    if (!mine && others) return false;
    for (size_t n = 0; n < inputs(); ++n) {
      if (model::stride_along(shape_.buffers[n], d) == 2 && !can_copy(n)) return false;
    }
    return true;
  }

  /// Another dimension of the tile: some input is used again along it.
  bool is_reused_along(int d) const {
    for (size_t n = 0; n < inputs(); ++n) {
      const model::BufferShape& buffer = shape_.buffers[n];
      if (!model::depends_on(buffer, d) || buffer.accesses.size() > 1) return true;
      for (const hl::Affine& index : buffer.accesses.front().index) {
        const auto moves = [](int64_t step) { return step != 0; };
        if (index.coefficients[d] != 0 &&
            std::count_if(index.coefficients.begin(), index.coefficients.end(), moves) > 1) {
          return true;
        }
      }
    }
    return false;
  }

  // ---- lanes along results

  struct Tile {
    int lanes = 0, other = -1;  // dimensions
    int64_t wide = 1, high = 1;
    std::map<int, int64_t> unrolled;  // reductions
    bool updates = false;
  };

  void add_kept(int d) {
    std::vector<int> others = {-1};
    for (size_t e = 0; e < base_.dimensions(); ++e) {
      const int other = static_cast<int>(e);
      if (other != d && is_kept(other) && size(other) > 1 && is_reused_along(other)) {
        others.push_back(other);
      }
    }
    for (const int other : others) {
      for (const auto& unrolled : unrollings(d)) {
        for (int64_t wide = 1; wide <= 6 && (wide - 1) * lanes_ < size(d); ++wide) {
          add_heights({d, other, wide, 1, unrolled, false});
        }
      }
    }
    for (const int r : reduced()) add_updating(d, r);
  }

  /// The largest tiles that registers hold, and those that fit the size.
  void add_heights(Tile tile) {
    const int64_t most = tile.other < 0 ? 1 : std::min(size(tile.other), room_ / tile.wide);
    for (int64_t high = std::max<int64_t>(1, most); high >= 1; --high) {
      const bool small = high * tile.wide * 3 < room_ && high < most && high * tile.wide < 8;
      if (small) break;
      tile.high = high;
      add(tile);
    }
  }

  /// Which reductions are unrolled: none, the last one by as many as a vector has elements, or
  /// short ones wholly.
  std::vector<std::map<int, int64_t>> unrollings(int lanes) const {
    std::vector<std::map<int, int64_t>> all = {{}};
    for (const int r : reduced()) {
      if (size(r) >= lanes_ && lies_along(r, lanes)) all.push_back({{r, lanes_}});
      if (size(r) <= 8) all.push_back({{r, size(r)}});
      for (const int q : reduced()) {
        if (q > r && size(r) * size(q) <= 32) all.push_back({{r, size(r)}, {q, size(q)}});
      }
    }
    return all;
  }

  /// An input that the lanes share is contiguous along a reduction.
  bool lies_along(int reduction, int lanes) const {
    for (size_t n = 0; n < inputs(); ++n) {
      const model::BufferShape& buffer = shape_.buffers[n];
      if (model::stride_along(buffer, lanes) == 0 && model::stride_along(buffer, reduction) == 1) {
        return true;
      }
    }
    return false;
  }

  /// Rows of memory are walked along, and results brought up to date once for many of them.
  void add_updating(int d, int reduction) {
    for (const int64_t steps : {4, 8, 16}) {
      for (const int64_t wide : {1, 2, 3, 4, 5}) {
        if (steps <= size(reduction) && (wide - 1) * lanes_ < size(d)) {
          add({d, -1, wide, 1, {{reduction, steps}}, true});
        }
      }
    }
  }

  void add(const Tile& tile) {
    Sketch sketch(base_);
    sketch.at(Role::lanes, tile.lanes) = lanes_;
    sketch.at(Role::registers, tile.lanes) = tile.wide;
    if (tile.other >= 0) sketch.at(Role::registers, tile.other) = tile.high;
    for (const auto& [r, parts] : tile.unrolled) sketch.at(Role::registers, r) = parts;
    sketch.updates = tile.updates;
    order_registers(tile, sketch);
    add_copies(tile, sketch);
  }

  /// Reductions first: all products of one step are independent of one another.
  void order_registers(const Tile& tile, Sketch& sketch) const {
    std::vector<int> order;
    for (const auto& [r, parts] : tile.unrolled) order.push_back(r);
    for (size_t d = 0; d < base_.dimensions(); ++d) {
      const int n = static_cast<int>(d);
      if (n != tile.lanes && !tile.unrolled.contains(n)) order.push_back(n);
    }
    order.push_back(tile.lanes);
    sketch.order_of(Role::registers) = order;
  }

  /// One sketch for every set of copies: what lies across the lanes is copied, the others may be.
  void add_copies(const Tile& tile, const Sketch& sketch) {
    std::vector<size_t> maybe;
    Sketch least = sketch;
    for (size_t n = 0; n < inputs(); ++n) {
      if (!can_copy(n) || tile.updates) continue;
      if (model::stride_along(shape_.buffers[n], tile.lanes) == 2) {
        least.copies[n] = SketchPlace{Role::cores, least.order_of(Role::cores).front()};
      } else {
        maybe.push_back(n);
      }
    }
    for (size_t set = 0; set < (size_t{1} << std::min<size_t>(maybe.size(), 3)); ++set) {
      Sketch one = least;
      for (size_t n = 0; n < maybe.size() && n < 3; ++n) {
        if (set >> n & 1U) {
          one.copies[maybe[n]] = SketchPlace{Role::cores, one.order_of(Role::cores).front()};
        }
      }
      add_registers(tile, one);
    }
  }

  /// What lanes share comes as vectors whose lanes are used one by one, if it lies side by side.
  void add_registers(const Tile& tile, Sketch sketch) {
    bool any = false;
    for (size_t n = 0; n < inputs(); ++n) {
      const bool shared = model::stride_along(shape_.buffers[n], tile.lanes) == 0;
      sketch.in_registers[n] = shared && lies_in_vectors(tile, sketch, n);
      any = any || sketch.in_registers[n];
    }
    for (size_t n = 0; n < inputs(); ++n) {
      const bool along = model::stride_along(shape_.buffers[n], tile.lanes) != 0;
      const bool once = shape_.buffers[n].accesses.size() == 1;
      if (along && any && once && tile.unrolled.empty()) sketch.in_registers[n] = true;
    }
    all_.push_back(sketch);
  }

  bool lies_in_vectors(const Tile& tile, const Sketch& sketch, size_t input) const {
    const model::BufferShape& buffer = shape_.buffers[input];
    for (const auto& [r, parts] : tile.unrolled) {
      if (!sketch.copies[input] && model::stride_along(buffer, r) == 1) return parts > 1;
    }
    if (tile.other < 0 || tile.high < 2) return false;
    const int along = model::stride_along(buffer, tile.other);
    return tile.unrolled.empty() && (sketch.copies[input] ? along != 0 : along == 1);
  }

  // ---- lanes along reductions

  void add_late(int d) {
    for (size_t n = 0; n < inputs(); ++n) {
      if (model::stride_along(shape_.buffers[n], d) == 2) return;
    }
    std::vector<int> others = {-1};
    for (size_t e = 0; e < base_.dimensions(); ++e) {
      const int other = static_cast<int>(e);
      if (is_kept(other) && size(other) > 1) others.push_back(other);
    }
    for (const int other : others) {
      for (const int64_t wide : {1, 2, 4, 8}) {
        for (const int64_t high : {1, 2, 3, 4, 6, 8, 12}) {
          const bool fits = wide * high <= room_ && wide * lanes_ <= size(d) &&
                            (other < 0 ? high == 1 : high > 1 && high <= size(other));
          if (!fits) continue;
          Sketch sketch(base_);
          sketch.late = true;
          sketch.at(Role::lanes, d) = lanes_;
          sketch.at(Role::registers, d) = wide;
          if (other >= 0) sketch.at(Role::registers, other) = high;
          all_.push_back(sketch);
        }
      }
    }
  }

  const SketchBase& base_;
  const model::Shape& shape_;
  int64_t room_;  // vectors of results
  int64_t lanes_ = 1;
  std::vector<Sketch> all_;
};

}  // namespace

std::vector<Sketch> sketch_tiles(const SketchBase& base, const model::Rates& rates) {
  return TileMaker(base, rates).run();
}

}  // namespace mdh::search
