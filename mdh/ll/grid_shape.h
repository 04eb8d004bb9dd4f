// A program as the rules for grids see it (grid_config.h).
#pragma once

#include <algorithm>
#include <vector>

#include "mdh/hl/analysis.h"
#include "mdh/hl/program.h"
#include "mdh/scalar/free.h"

namespace mdh::ll {

/// What the rules want to know of a program.
class GridShape {
 public:
  explicit GridShape(const hl::Program& p) : program(p) {
    for (const hl::Dimension& d : p.dimensions) sizes.push_back(constant(d.size).value_or(0));
    along_.assign(sizes.size(), 0);
    widest_.assign(sizes.size(), 0);
    for (const auto* views : {&p.outputs, &p.inputs}) {
      for (const hl::BufferView& view : *views) add(view, views == &p.inputs);
    }
  }

  bool is_known() const {
    return std::all_of(sizes.begin(), sizes.end(), [](int64_t n) { return n > 0; });
  }

  hl::Shape kind(int d) const { return program.dimensions[static_cast<size_t>(d)].combine.shape; }
  bool is_kept(int d) const { return kind(d) == hl::Shape::concatenate; }
  bool is_reduced(int d) const {
    return hl::is_reduced(program.dimensions[static_cast<size_t>(d)]);
  }
  int64_t size(int d) const { return sizes[static_cast<size_t>(d)]; }

  template <class Which>
  std::vector<int> those(const Which& which) const {
    std::vector<int> found;
    for (int d = 0; d < static_cast<int>(sizes.size()); ++d) {
      if (which(d)) found.push_back(d);
    }
    return found;
  }

  int64_t volume(const std::vector<int>& dimensions) const {
    int64_t product = 1;
    for (const int d : dimensions) product *= size(d);
    return product;
  }

  int64_t points() const { return scalar::volume(sizes); }

  /// Bytes of buffers whose neighbouring elements it walks along.
  int64_t along(int d) const { return along_[static_cast<size_t>(d)]; }

  /// Bytes of the largest element among those; 0 if it walks along none.
  int64_t widest_along(int d) const { return widest_[static_cast<size_t>(d)]; }

  /// An input knows only one of them, and another one only the other.
  bool are_apart(int x, int y) const {
    bool only_x = false, only_y = false;
    for (const std::vector<bool>& input : inputs_) {
      const bool has_x = input[static_cast<size_t>(x)], has_y = input[static_cast<size_t>(y)];
      only_x = only_x || (has_x && !has_y);
      only_y = only_y || (has_y && !has_x);
    }
    return only_x && only_y;
  }

  /// Every input has both or none.
  bool is_alike(int x, int y) const {
    return std::all_of(inputs_.begin(), inputs_.end(), [&](const std::vector<bool>& input) {
      return input[static_cast<size_t>(x)] == input[static_cast<size_t>(y)];
    });
  }

  /// Points may take different times.
  bool runs_loops() const {
    const auto has_loop = [](const scalar::Assignment& one) { return scalar::has_loop(one.value); };
    const scalar::Function f = hl::scalar_function(program);
    return std::any_of(f.results.begin(), f.results.end(), has_loop) ||
           std::any_of(f.locals.begin(), f.locals.end(), has_loop);
  }

  /// Of each input: the dimensions that its indices mention.
  const std::vector<std::vector<bool>>& inputs() const { return inputs_; }

  /// Some input is read at sums of both: windows that overlap.
  bool share_an_index(int a, int b) const {
    return std::any_of(sums_.begin(), sums_.end(), [&](const std::vector<bool>& sum) {
      return sum[static_cast<size_t>(a)] && sum[static_cast<size_t>(b)];
    });
  }

  const hl::Program& program;
  std::vector<int64_t> sizes;

 private:
  void add(const hl::BufferView& view, bool is_input) {
    std::vector<bool> mentioned(sizes.size(), false);
    const int64_t bytes = static_cast<int64_t>(scalar::bytes_of(view.type));
    for (const hl::Access& access : view.accesses) {
      int64_t touched = bytes;
      for (size_t d = 0; d < sizes.size(); ++d) {
        if (moves(access, d)) touched *= std::max<int64_t>(1, sizes[d]);
      }
      for (size_t e = 0; e < access.index.size(); ++e) {
        const auto index = hl::find_affine(program, access.index[e]);
        std::vector<bool> sum(sizes.size(), false);
        for (size_t d = 0; d < sizes.size(); ++d) {
          const int64_t step = index ? index->coefficients[d] : 1;
          if (step == 0) continue;
          mentioned[d] = sum[d] = true;
          if (!index || e + 1 != access.index.size() || step != 1) continue;
          along_[d] += touched;
          widest_[d] = std::max(widest_[d], view.type.is_scalar() ? bytes : many);
        }
        if (is_input) sums_.push_back(sum);
      }
    }
    if (is_input) inputs_.push_back(mentioned);
  }

  bool moves(const hl::Access& access, size_t d) const {
    return std::any_of(access.index.begin(), access.index.end(), [&](const hl::Expr& e) {
      const auto index = hl::find_affine(program, e);
      return !index || index->coefficients[d] != 0;
    });
  }

  static constexpr int64_t many = 64;  // records count as more than anything that is read at once
  std::vector<int64_t> along_, widest_;
  std::vector<std::vector<bool>> inputs_, sums_;
};

}  // namespace mdh::ll
