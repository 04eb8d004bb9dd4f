// Calling a compiled computation on the user's own memory.
//
//   const Executable matvec = compile(program, machine, config, target);
//   call(matvec, {buffer(w), buffer(M), buffer(v)});     // vectors, spans or arrays; outputs first
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "mdh/driver/executable.h"

namespace mdh::driver {

/// One buffer of the user: what it holds and how much of it.
struct CallArgument {
  std::string type;  // "f32"; empty: bytes whose meaning the user vouches for (records)
  void* data = nullptr;
  int64_t bytes = 0;
};

/// The element type that a C++ type stands for.
template <class T>
std::string type_name() {
  using Plain = std::remove_const_t<T>;
  static_assert(std::is_arithmetic_v<Plain>, "buffers hold numbers; use raw_buffer for records");
  if constexpr (std::is_same_v<Plain, bool>) return "bool";
  const char* kind = std::is_floating_point_v<Plain> ? "f" : std::is_signed_v<Plain> ? "i" : "u";
  return kind + std::to_string(8 * sizeof(Plain));
}

/// Inputs may be constant: kernels only read them.
template <class T>
CallArgument buffer(std::span<T> elements) {
  using Plain = std::remove_const_t<T>;
  return {type_name<T>(), const_cast<Plain*>(elements.data()),
          static_cast<int64_t>(elements.size_bytes())};
}
template <class T>
CallArgument buffer(std::vector<T>& elements) {
  return buffer(std::span<T>(elements));
}
template <class T>
CallArgument buffer(const std::vector<T>& elements) {
  return buffer(std::span<const T>(elements));
}

/// Memory of records, or of anything else that lies there as C lays it out.
CallArgument raw_buffer(void* data, int64_t bytes);

/// Checks number, types and sizes of the buffers, outputs first, and that no output overlaps
/// another buffer, then computes. `threads` 0 means all cores. Wrong buffers are user errors that
/// name the buffer, what it needs and what it got.
void call(const Executable& executable, const std::vector<CallArgument>& buffers, int threads = 0);

}  // namespace mdh::driver
