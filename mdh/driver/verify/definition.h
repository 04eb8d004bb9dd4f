// What the definition says the results are: the only yardstick there is.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "mdh/driver/verify/meaning.h"
#include "mdh/kernel/module.h"
#include "mdh/runtime/host/library.h"
#include "mdh/scalar/value.h"

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

/// Points of the result, one coordinate per dimension, 0 in reduced ones; empty: all of them.
struct Points {
  std::vector<int64_t> coordinates;
  int64_t count = 0;
  bool all = false;

  std::vector<int64_t> at(const std::vector<int64_t>& result_sizes, int64_t n) const;
};

/// All points of the result.
Points all_points(const hl::Program& program);

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
  void compute_by(const runtime::host::Kernel& kernel, std::span<void* const> inputs, int threads);
  bool is_compiled() const { return kernel_.has_value(); }

  /// Inputs in declaration order. `share` is told how much is done.
  Rows at(const Points& points, std::span<void* const> inputs,
          const std::function<void(double)>& share = {}) const;

 private:
  Rows interpreted(const Points& points, std::span<void* const> inputs,
                   const std::function<void(double)>& share) const;
  Rows compiled(const Points& points, std::span<void* const> inputs) const;

  hl::Program views_;
  Meaning meaning_;
  std::optional<runtime::host::Kernel> kernel_;
  int threads_ = 1;
};

}  // namespace mdh::driver
