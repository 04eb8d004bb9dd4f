// Bank conflicts: how often shared memory is asked for what a warp reads or writes at once.
//
// Shared memory consists of 32 banks. Neighbouring words of 4 bytes lie in neighbouring banks, and
// in one pass every bank serves one word, to as many lanes as ask for it. So a warp needs as many
// passes as there are different words in the bank that has most of them:
//
//   f32 t[32, 32]   lane n reads t[0, n]   word n        a word in each of 32 banks    1 pass
//                   lane n reads t[n, 0]   word 32 · n   32 words in bank 0            32 passes
//                   lane n reads t[n, n%2] word 32·n+n%2 16 words in bank 0 and in 1   16 passes
//                   lane n reads t[5, 7]   word 167      one word, for all lanes       1 pass
//   f32 t[32, 33]   lane n reads t[n, 0]   word 33 · n   a word in each of 32 banks    1 pass
//
// Accesses of 8 bytes are served for 16 lanes at a time, accesses of 16 bytes for 8. This is the
// memory of NVIDIA's GPUs. It is a model: nothing is measured.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace mdh::machine {

struct BankPasses {
  int64_t needed = 0;
  int64_t least = 0;  // if the same number of different words were spread over all banks
  friend bool operator==(const BankPasses&, const BankPasses&) = default;
};

/// Of one access of a warp: where each lane begins, in bytes. Lanes without a place do not take
/// part. An access has 1, 2, 4, 8 or 16 bytes.
BankPasses passes_of_warp(const std::vector<std::optional<int64_t>>& places, int64_t bytes);

}  // namespace mdh::machine
