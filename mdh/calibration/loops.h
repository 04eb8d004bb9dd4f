// The loops of kernels.h, for sources that are compiled for different instruction sets.
#pragma once

#include <cstddef>
#include <utility>

#include "mdh/calibration/kernels.h"

namespace mdh::calibration {

// Without linkage on purpose: every source has its own, made of its own instructions. For the same
// reason nothing of the standard library is called here.
namespace {

/// From here on the compiler does not know the value. No instruction is spent on it.
[[gnu::always_inline]] inline void hide(size_t& value) { asm volatile("" : "+r"(value)); }

/// What is in memory may have changed.
[[gnu::always_inline]] inline void forget() { asm volatile("" ::: "memory"); }

/// Types by the width of vectors. Written out, because compilers lose attributes on the way through
/// template arguments.
template <size_t bytes>
struct Vectors;

template <>
struct Vectors<16> {
  typedef float Floats __attribute__((vector_size(16)));
  typedef unsigned Bits __attribute__((vector_size(16), may_alias));
};

template <>
struct Vectors<32> {
  typedef float Floats __attribute__((vector_size(32)));
  typedef unsigned Bits __attribute__((vector_size(32), may_alias));
};

template <>
struct Vectors<64> {
  typedef float Floats __attribute__((vector_size(64)));
  typedef unsigned Bits __attribute__((vector_size(64), may_alias));
};

/// Sums of products, each of another row and column of a tile. Members and not an array, so that
/// each has a register.
template <size_t bytes, int rows, int count>
struct Sums {
  using Floats = typename Vectors<bytes>::Floats;
  Floats first{};
  Sums<bytes, rows, count - 1> others;

  [[gnu::always_inline]] void multiply_add(const Floats* row, const Floats* column) {
    first += row[(count - 1) % rows] * column[(count - 1) / rows];
    others.multiply_add(row, column);
  }
  [[gnu::always_inline]] void sum_into(Floats& sum) const {
    sum += first;
    others.sum_into(sum);
  }
};

template <size_t bytes, int rows>
struct Sums<bytes, rows, 0> {
  using Floats = typename Vectors<bytes>::Floats;
  void multiply_add(const Floats*, const Floats*) {}
  void sum_into(Floats&) const {}
};

/// Numbers of integers that are added up side by side.
template <int count>
struct Counters {
  size_t first = 0;
  Counters<count - 1> others;

  [[gnu::always_inline]] void add(size_t step) {
    first += step;
    hide(first);
    others.add(step);
  }
  [[gnu::always_inline]] void add_bytes(const char* from, size_t stride) {
    first += static_cast<unsigned char>(*from);
    hide(first);
    others.add_bytes(from + stride, stride);
  }
  size_t sum() const { return first + others.sum(); }
};

template <>
struct Counters<0> {
  void add(size_t) {}
  void add_bytes(const char*, size_t) {}
  size_t sum() const { return 0; }
};

template <size_t bytes, int rows, int columns>
struct Loops {
  static constexpr int independent = rows * columns;
  using Floats = typename Vectors<bytes>::Floats;
  using Bits = typename Vectors<bytes>::Bits;

  /// A tile in registers, and what it needs from memory in every round.
  struct Tile {
    Sums<bytes, rows, independent> sums;

    [[gnu::always_inline]] void step(const Floats* from) {
      Floats row[rows], column[columns];
      for (int i = 0; i < rows; ++i) row[i] = from[i];
      for (int j = 0; j < columns; ++j) column[j] = from[rows + j];
      sums.multiply_add(row, column);
      forget();
    }
    double sum() const {
      Floats all{};
      sums.sum_into(all);
      return all[0];
    }
  };

  static double multiply_adds(const void* from, size_t rounds) {
    Tile tile;
    for (size_t n = 0; n < rounds; ++n) tile.step(static_cast<const Floats*>(from));
    return tile.sum();
  }

  static double chain(const void* from, size_t rounds) {
    Floats sum{};
    for (size_t n = 0; n < rounds; ++n) {
      const Floats* const factors = static_cast<const Floats*>(from);
      for (int step = 0; step < 8; ++step) sum += factors[step] * factors[step];
      forget();
    }
    return sum[0];
  }

  template <int additions>
  static double with_integers(const void* from, size_t rounds) {
    constexpr int side_by_side = columns;
    Tile tile;
    Counters<side_by_side> counters;
    size_t step = 1;
    hide(step);
    for (size_t n = 0; n < rounds; ++n) {
      tile.step(static_cast<const Floats*>(from));
      for (int k = 0; k < additions / side_by_side; ++k) counters.add(step);
    }
    return tile.sum() + static_cast<double>(counters.sum());
  }

  static double read(const void* from, size_t size, size_t rounds) {
    Bits a{}, b{}, c{}, d{}, e{}, f{}, g{}, h{};
    for (size_t n = 0; n < rounds; ++n) {
      const Bits* at = static_cast<const Bits*>(from);
      for (size_t k = 0; k < size / (8 * bytes); ++k, at += 8) {
        a |= at[0], b |= at[1], c |= at[2], d |= at[3];
        e |= at[4], f |= at[5], g |= at[6], h |= at[7];
      }
      forget();
    }
    const Bits all = a | b | c | d | e | f | g | h;
    return all[0];
  }

  template <size_t... lane>
  static Floats gathered(const float* from, size_t stride, std::index_sequence<lane...>) {
    return Floats{from[lane * stride]...};
  }

  static double gather(const float* from, size_t stride, size_t vectors, size_t rounds) {
    constexpr auto each = std::make_index_sequence<bytes / sizeof(float)>();
    Floats a{}, b{};
    for (size_t n = 0; n < rounds; ++n) {
      for (size_t k = 0; k < vectors; k += 2) {
        a += gathered(from + k, stride, each);
        b += gathered(from + k + 1, stride, each);
      }
      forget();
    }
    return a[0] + b[0];
  }

  static double transpose(const float* from, float* to, size_t height, size_t width,
                          size_t rounds) {
    for (size_t n = 0; n < rounds; ++n) {
      for (size_t i = 0; i < height; i += 8) {
        for (size_t k = 0; k < width; ++k) {
          for (size_t r = 0; r < 8; ++r) to[i * width + k * 8 + r] = from[(i + r) * width + k];
        }
      }
      forget();
    }
    return to[0];
  }

  static double touch(const char* from, size_t stride, size_t lines, size_t rounds) {
    Counters<4> counters;
    for (size_t n = 0; n < rounds; ++n) {
      for (size_t k = 0; k < lines; k += 4) counters.add_bytes(from + k * stride, stride);
      forget();
    }
    return static_cast<double>(counters.sum());
  }

  static Kernels kernels() {
    return {bytes,
            independent,
            rows + columns,
            multiply_adds,
            chain,
            with_integers<independent>,
            with_integers<2 * independent>,
            read,
            gather,
            transpose,
            touch};
  }
};

}  // namespace
}  // namespace mdh::calibration
