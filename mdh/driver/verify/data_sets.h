// Inputs that make faults visible.
#pragma once

#include <optional>
#include <span>

#include "mdh/driver/verify/meaning.h"

namespace mdh::driver {

/// Input buffers that, where they hold the value, make every term of every sum 0.
struct Gate {
  std::vector<size_t> buffers;
  double value = 0;
};

/// Found by trying: single buffers first, then all of them together. Nothing for programs without
/// sums of floats.
std::vector<Gate> find_gates(const hl::Program& program, const Meaning& meaning);

enum class Numbers {
  tenths,  // floats from -5.0 to 5.0 in steps of a tenth
  whole,   // floats that are whole numbers from -3 to 3, 0 left out
  words,   // all bits at random, for twins
  wide,  // of all sizes, constants of f and their neighbours, equal ones, now and then special ones
};

/// Of the elements of a gate only so many stay, at random; all that contribute at the given points
/// stay, too.
struct Thinning {
  Gate gate;
  double density = 1;
  std::vector<std::vector<int64_t>> points = {};
};

/// Fills the inputs, all elements, or those that stay. Integers are small unless they are words.
void fill(const hl::Program& program, std::span<void* const> inputs, Numbers numbers, uint64_t seed,
          const std::optional<Thinning>& thinning = std::nullopt);

/// Thins what is there.
void thin(const hl::Program& program, std::span<void* const> inputs, const Thinning& thinning,
          uint64_t seed);

/// Corners, and both sides of tile borders in every dimension; at most so many.
std::vector<std::vector<int64_t>> border_points(const std::vector<int64_t>& sizes,
                                                const std::vector<int64_t>& steps, int count,
                                                uint64_t seed);

}  // namespace mdh::driver
