// What the definition says the results are: the only yardstick there is.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "mdh/driver/verify/meaning.h"
#include "mdh/kernel/module.h"
#include "mdh/runtime/device.h"
#include "mdh/scalar/value.h"
#include "mdh/support/random.h"

namespace mdh::driver {

/// Results before out_view at some points of the result, or at all of them in row-major order: a
/// row of leaves each.
struct Rows {
  std::vector<scalar::Value> values;
  size_t width = 0;
  std::span<const scalar::Value> operator[](size_t n) const {
    return {values.data() + n * width, width};
  }
};

/// Rows of consecutive points, for as long as the one who made them keeps them.
struct RowsView {
  std::span<const scalar::Value> values;
  size_t width = 0;
  size_t count() const { return width == 0 ? 0 : values.size() / width; }
  std::span<const scalar::Value> operator[](size_t n) const {
    return values.subspan(n * width, width);
  }
  RowsView part(int64_t begin, int64_t end) const {
    const auto from = static_cast<size_t>(begin), to = static_cast<size_t>(end);
    return {values.subspan(from * width, (to - from) * width), width};
  }
};
/// Loops that compute such rows, compiled for this machine.
using DefinitionKernel = std::shared_ptr<const runtime::LoadedKernel>;

using TakeRows = std::function<void(int64_t first, const RowsView& rows)>;
using Share = std::function<void(double)>;

/// Points of the result, one coordinate per dimension, 0 in reduced ones; empty: all of them.
struct Points {
  std::vector<int64_t> coordinates;
  int64_t count = 0;
  bool all = false;

  std::vector<int64_t> at(const std::vector<int64_t>& result_sizes, int64_t n) const;
};

/// All points of the result.
Points all_points(const hl::Program& program);

/// To the point that follows in row-major order; from the last one to the first.
void advance(std::vector<int64_t>& point, const std::vector<int64_t>& counts);

/// Computes a meaning on buffers in memory, point after point. Interpreted, or by a plain loop nest
/// that was compiled from the definition (plain_loops.h) and is compared with the interpreter
/// before it is believed.
class Definition {
 public:
  Definition(hl::Program views, Meaning meaning);

  const hl::Program& views() const { return views_; }
  const Meaning& meaning() const { return meaning_; }

  /// From now on compiled code computes. On some points of these inputs it has to agree with the
  /// interpreter, otherwise it is an error of the compiler, which is said.
  void compute_by(const DefinitionKernel& kernel, std::span<void* const> inputs, int threads);
  bool is_compiled() const { return kernel_ != nullptr; }

  /// In blocks of rows that stay in caches, one per core: `take` is called by several threads at a
  /// time, in any order. Inputs in declaration order. `share` is told how much is done.
  void each(const Points& points, std::span<void* const> inputs, const TakeRows& take,
            const std::function<void(double)>& share = {}) const;

  /// All rows.
  Rows at(const Points& points, std::span<void* const> inputs,
          const std::function<void(double)>& share = {}) const;

 private:
  /// What contributes lies in [begin, end) of every dimension that is reduced or scanned.
  struct Window {
    std::vector<int64_t> begins, ends;
  };
  Window whole() const;
  Window some_terms(int64_t most, Random& random) const;
  Rows interpreted(const Points& points, const Window& window, std::span<void* const> inputs,
                   const std::function<void(double)>& share) const;
  void compiled(const Points& points, const Window& window, std::span<void* const> inputs,
                const TakeRows& take, const std::function<void(double)>& share = {}) const;

  hl::Program views_;
  Meaning meaning_;
  DefinitionKernel kernel_;  // none: interpreted
  int threads_ = 1;
};

}  // namespace mdh::driver
