// What plain loops need: buffers as pointers of a C++ type.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mdh/scalar/type.h"
#include "mdh/support/diagnostic.h"

namespace mdh::examples {

/// The types that all entries of the catalogue support so far.
inline std::vector<scalar::Scalar> usual_types() {
  return {scalar::Scalar::f32, scalar::Scalar::f64, scalar::Scalar::i32, scalar::Scalar::i64};
}

/// Calls `loop.template operator()<T>()` with the C++ type of `type`.
template <class Loop>
auto with_type(scalar::Scalar type, Loop loop) {
  switch (type) {
    case scalar::Scalar::f32:
      return loop.template operator()<float>();
    case scalar::Scalar::f64:
      return loop.template operator()<double>();
    case scalar::Scalar::i32:
      return loop.template operator()<int32_t>();
    case scalar::Scalar::i64:
      return loop.template operator()<int64_t>();
    default:
      internal_check(false, "no plain loop for {}", to_string(type));
      return loop.template operator()<float>();
  }
}

/// The n-th buffer, outputs first.
template <class T>
T* buffer_at(std::span<void* const> buffers, size_t n) {
  return static_cast<T*>(buffers[n]);
}

}  // namespace mdh::examples
