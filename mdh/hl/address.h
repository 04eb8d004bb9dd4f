// Accesses as addresses: which element a point reads or writes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mdh/hl/analysis.h"

namespace mdh::hl {

class Address {
 public:
  Address(const Program& p, const BufferView& view, const Access& access);

  /// The element, row-major. Affine accesses are known to stay inside; others are checked here, and
  /// leaving the buffer is a user error that names the point.
  int64_t operator()(std::span<const int64_t> point) const {
    return index_.empty() ? flat_.at(point) : looked_up(point);
  }

  /// How the address changes with dimension d, if all index functions are affine.
  bool is_flat() const { return index_.empty(); }
  int64_t stride(size_t d) const { return flat_.coefficients[d]; }

 private:
  int64_t looked_up(std::span<const int64_t> point) const;

  Affine flat_;                      // base + strides · point, if all index functions are affine
  std::vector<scalar::Tape> index_;  // otherwise one per buffer dimension
  Extents extents_;
  const Program& program_;
  const BufferView& view_;
};

/// "i = 3, k = 0"
std::string point_text(const Program& p, std::span<const int64_t> point);

}  // namespace mdh::hl
