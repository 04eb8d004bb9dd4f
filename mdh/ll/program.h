// The low-level representation: how to compute, formally.
//
//   program   = computation, machine, layers (significance), decompose, scalar, recompose
//   decompose = operators     inverse concatenations, outermost first: split the input into parts
//   scalar    = f on every part, which is then a single point
//   recompose = operators     combine operators, outermost first: put the results together,
//   innermost first operator  = level, parts, core or memory layer and dimension it runs on, region
//   and layout of every buffer
//
// A level is a layer in a dimension. Layer numbers are significances: index i_d = Σ_l p(l,d) ·
// chunk(l,d), where chunk is the product of the less significant part counts; loop order plays no
// role in it. Levels with one part are left out.
#pragma once

#include <string>
#include <vector>

#include "mdh/hl/program.h"

namespace mdh::ll {

struct Level {
  int layer = 0;      // position in Program::layers
  int dimension = 0;  // position in the computation's dimensions
  // clang-tidy 14 takes the 0 of a defaulted comparison for a pointer.
  friend auto operator<=>(const Level&, const Level&) = default;  // NOLINT(modernize-use-nullptr)
};

/// Where and how a buffer is kept: a region, and a permutation of its dimensions (1-based,
/// outermost first).
struct Place {
  std::string region;
  std::vector<int> layout;
  friend bool operator==(const Place&, const Place&) = default;
};

/// One partitioning or combination step with the tags of the machine.
struct TaggedOperator {
  Level level;
  int64_t parts = 1;
  std::string layer;      // machine layer it is assigned to
  std::string dimension;  // machine dimension: x, y, z, w4, ...
  std::vector<Place>
      places;  // decompose: where each input is read; recompose: where each output is written
  friend bool operator==(const TaggedOperator&, const TaggedOperator&) = default;
};

struct ScalarPhase {
  std::vector<Level> order;
  std::vector<Place> reads;
  std::vector<Place> writes;
  friend bool operator==(const ScalarPhase&, const ScalarPhase&) = default;
};

struct Program {
  hl::Program computation;
  std::string machine;
  std::vector<std::string> layers;
  std::vector<TaggedOperator> decompose;
  ScalarPhase scalar;
  std::vector<TaggedOperator> recompose;
  friend bool operator==(const Program&, const Program&) = default;
};

/// "L1.k"
std::string to_string(const Program& p, const Level& level);

/// Distance in the index space between neighbouring parts of a level.
int64_t chunk(const Program& p, const Level& level);

/// The low-level program is well-formed: orders agree on the levels, parts cover the sizes.
/// Internal error otherwise, for configurations are validated before they are lowered; parse()
/// turns it into a user error.
void verify(const Program& p);

Program map_operators(const Program& p,
                      const std::function<TaggedOperator(const TaggedOperator&)>& change);

}  // namespace mdh::ll
