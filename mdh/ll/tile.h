// Which elements of a buffer a set of loops touches: the shape of tiles.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "mdh/ll/nest.h"

namespace mdh::ll {

/// Offsets { Σ n_j · stride_j : 0 <= n_j < count_j } in dense form: one axis per band, finest
/// first.
struct Band {
  int64_t stride = 1;
  int64_t extent = 1;
  friend bool operator==(const Band&, const Band&) = default;
};
struct Term {
  int64_t stride = 1;
  int64_t count = 1;
};

/// Sorts by stride and cuts where everything coarser is a multiple of something larger than all
/// that is finer can reach: there an offset splits uniquely. Inside a band (a halo) the common
/// factor is divided out and the whole interval kept: 2k needs K elements, p + r needs P + R - 1,
/// 2p + r needs 2(P - 1) + R.
std::vector<Band> bands(std::vector<Term> terms);

/// Accesses of one buffer that differ by constants only; they share tiles.
using Family = std::vector<int>;
std::vector<Family> families(const hl::Program& program, const hl::BufferView& buffer);

/// The box of a tile: what the free loops touch while all others stand still. Buffer dimensions
/// whose index function is not affine count whole.
struct Tile {
  std::vector<std::vector<Band>> axes;  // by buffer dimension
  int64_t elements = 1;
};
Tile tile_of(const Nest& nest, const hl::Program& program, const hl::BufferView& buffer,
             const Family& family, const std::set<int>& free);

/// The elements really read, not their box: what a tile in registers holds. Nothing if there are
/// more than `limit` points to look at.
std::optional<int64_t> exact_elements(const Nest& nest, const hl::Program& program,
                                      const hl::BufferView& buffer, const Family& family,
                                      const std::set<int>& free, int64_t limit = 1 << 14);

/// The family uses the dimension: its index functions depend on it.
bool uses(const hl::Program& program, const hl::BufferView& buffer, const Family& family,
          int dimension);

}  // namespace mdh::ll
