// Small loops whose time tells what one core can do.
#pragma once

#include <cstddef>

namespace mdh::calibration {

/// The loops for one width of vectors. Each returns a number that depends on all of its work, so
/// that no compiler can leave some of it out; what is counted is per round.
struct Kernels {
  size_t vector_bytes = 0;
  size_t multiply_adds_of_tile = 0;
  size_t loads_of_tile = 0;

  /// A tile of sums in registers: its multiply-adds do not wait for one another. As generated code
  /// does it, with operands from memory: there are cores that are slower on registers alone.
  double (*multiply_adds)(const void* from, size_t rounds) = nullptr;

  /// Eight multiply-adds, each of which needs the one before.
  double (*chain)(const void* from, size_t rounds) = nullptr;

  /// A tile, and as many additions of integers as multiply-adds, or twice as many.
  double (*mixed)(const void* from, size_t rounds) = nullptr;
  double (*mostly_integers)(const void* from, size_t rounds) = nullptr;

  /// All vectors of the memory, a multiple of eight of them.
  double (*read)(const void* from, size_t bytes, size_t rounds) = nullptr;

  /// Vectors, an even number of them, of floats that lie `stride` floats apart.
  double (*gather)(const float* from, size_t stride, size_t vectors, size_t rounds) = nullptr;

  /// Panels of eight rows, columns one after the other, as generated code copies them. The number
  /// of rows is a multiple of eight.
  double (*transpose)(const float* from, float* to, size_t rows, size_t columns,
                      size_t rounds) = nullptr;

  /// One number of each line, the lines `stride` bytes apart; a multiple of four of them.
  double (*touch)(const char* from, size_t stride, size_t lines, size_t rounds) = nullptr;
};

/// Those with the widest vectors that the processor has, and that are not wider than asked for.
const Kernels& kernels_for(size_t vector_bytes);

/// For each instruction set that the compiler was asked for; no loops where it was not.
const Kernels& base_kernels();
const Kernels& avx2_kernels();
const Kernels& avx512_kernels();

}  // namespace mdh::calibration
