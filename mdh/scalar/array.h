// Buffers as the evaluators hold them: row-major, every element a value or undefined (⊥).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mdh/scalar/value.h"

namespace mdh::scalar {

using Extents = std::vector<int64_t>;

int64_t volume(const Extents& extents);

/// Row-major address; an internal error if an index is out of range.
int64_t address(const Extents& extents, std::span<const int64_t> index);

struct Array {
  Type type = Scalar::f32;
  Extents extents;
  std::vector<Value> cells;      // leaf by leaf: width() of them per element
  std::vector<uint8_t> defined;  // one per element

  /// All elements undefined.
  static Array undefined(Type type, Extents extents);

  int64_t size() const { return static_cast<int64_t>(defined.size()); }
  int width() const { return width_of(type); }
  friend bool operator==(const Array&, const Array&) = default;
};

/// Between arrays and the memory that compiled code reads and writes: records lie there as C lays
/// them out. Undefined elements keep what is in memory.
void copy_to_memory(const Array& array, void* memory);
Array copy_from_memory(const Type& type, const Extents& extents, const void* memory);

}  // namespace mdh::scalar
