// Layouts as bijections: where an element of a buffer lies when the buffer is stored in a layout.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mdh/ll/program.h"
#include "mdh/scalar/array.h"

namespace mdh::ll {

/// A whole buffer in a layout. stored[i_σ(1)] .. [i_σ(n)] = b[i_1] .. [i_n]; a dimension that is
/// stored digit by digit is cut like the dimension of the program that walks along it (mixed
/// radix), and the digits that the layout does not list come first.
class Storage {
 public:
  Storage(const Program& p, const hl::BufferView& buffer, const Layout& layout);

  /// Elements that the layout needs; padded digits leave gaps.
  int64_t size() const { return size_; }

  int64_t address(std::span<const int64_t> element) const;

 private:
  struct Part {
    size_t dimension;  // of the buffer
    int64_t shift;     // subtracted from the index
    int64_t divisor;
    int64_t extent;
  };
  void add_digit(const Program& p, const hl::BufferView& buffer, const Layout& layout,
                 const Axis& axis, std::vector<bool>& begun);
  void add(const Part& part);

  scalar::Extents extents_;
  std::vector<Part> parts_;  // outermost first
  int64_t size_ = 1;
};

/// The buffer's contents moved from one place to the next along a path, element by element, and
/// back: what f reads, or what the user finds. Nothing is lost and nothing changes, whatever the
/// path.
scalar::Array moved_along(const Program& p, const hl::BufferView& buffer,
                          const std::vector<Place>& path, const scalar::Array& contents);

}  // namespace mdh::ll
