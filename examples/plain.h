// What plain loops need: buffers as arrays of a C++ type.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "examples/catalogue.h"
#include "mdh/scalar/type.h"
#include "mdh/support/diagnostic.h"

namespace mdh::examples {

/// The types of arithmetic on numbers of any kind.
inline std::vector<scalar::Scalar> usual_types() {
  return {scalar::Scalar::f32, scalar::Scalar::f64, scalar::Scalar::i32, scalar::Scalar::i64};
}

/// The types of what is counted or compared for equality.
inline std::vector<scalar::Scalar> integer_types() {
  return {scalar::Scalar::i32, scalar::Scalar::i64, scalar::Scalar::u32, scalar::Scalar::u64};
}

/// Calls `loop.template operator()<T>()` with the C++ type of an integer type.
template <class Loop>
void with_integer_type(scalar::Scalar type, Loop loop) {
  switch (type) {
    case scalar::Scalar::i32:
      return loop.template operator()<int32_t>();
    case scalar::Scalar::i64:
      return loop.template operator()<int64_t>();
    case scalar::Scalar::u32:
      return loop.template operator()<uint32_t>();
    case scalar::Scalar::u64:
      return loop.template operator()<uint64_t>();
    default:
      internal_check(false, "no plain loop for {}", to_string(type));
  }
}

/// The same for floating-point types, too.
template <class Loop>
void with_type(scalar::Scalar type, Loop loop) {
  switch (type) {
    case scalar::Scalar::f32:
      return loop.template operator()<float>();
    case scalar::Scalar::f64:
      return loop.template operator()<double>();
    default:
      return with_integer_type(type, loop);
  }
}

/// The n-th buffer, outputs first.
template <class T>
T* buffer_at(std::span<void* const> buffers, size_t n) {
  return static_cast<T*>(buffers[n]);
}

/// The sizes of an instance by name: const auto [I, J, K] = sizes<3>(at).
template <size_t rank>
std::array<int64_t, rank> sizes(const Instance& at) {
  internal_check(at.sizes.size() == rank, "{} sizes, got {}", rank, at.sizes.size());
  std::array<int64_t, rank> result;
  for (size_t d = 0; d < rank; ++d) result[d] = at.sizes[d];
  return result;
}

/// A buffer as an array, row-major.
template <class T, size_t rank>
struct Tensor {
  T* data;
  std::array<int64_t, rank> extents;

  template <class... Index>
  T& operator()(Index... index) const {
    static_assert(sizeof...(Index) == rank);
    int64_t offset = 0;
    size_t d = 0;
    ((offset = offset * extents[d++] + index), ...);
    return data[offset];
  }
};

template <class T, class... Extent>
Tensor<T, sizeof...(Extent)> tensor_at(std::span<void* const> buffers, size_t n,
                                       Extent... extents) {
  return {buffer_at<T>(buffers, n), {extents...}};
}

/// The mean of n neighbours for floats; integers have no n-th part, so they just add.
inline double stencil_factor(scalar::Scalar type, int neighbours) {
  return scalar::is_floating(type) ? 1.0 / neighbours : 1.0;
}

}  // namespace mdh::examples
