// The low-level representation: how to compute, formally.
//
//   program   = computation, machine, layers (significance), decompose, scalar, recompose, code
//   decompose = operators: inverse concatenations, outermost first, that split the input into parts
//   scalar    = f on every part, which is then a single point
//   recompose = operators: combine operators, outermost first; they put the results together from
//               the inside out
//   operator  = level, parts, the layer of cores or memory and the machine dimension it runs on,
//               region and layout of every buffer
//   code      = what the rest leaves open: how tiles are copied, kernels compiled, ...
//
// A level is a layer in a dimension. Layer numbers are significances: index i_d = Σ_l p(l,d) ·
// chunk(l,d), where chunk is the product of the less significant part counts; loop order plays no
// role in it. Levels with one part are left out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mdh/hl/program.h"
#include "mdh/ll/code.h"

namespace mdh::ll {

/// The number of parts of an open level, written *: as many as the size needs, known at run time.
constexpr int64_t open_parts = INT64_MIN;

struct Level {
  int layer = 0;      // position in Program::layers
  int dimension = 0;  // position in the computation's dimensions
  // clang-tidy 14 takes the 0 of a defaulted comparison for a pointer.
  friend auto operator<=>(const Level&, const Level&) = default;  // NOLINT(modernize-use-nullptr)
};

/// One axis of a layout: a buffer dimension (1-based), whole, or the digit of one layer of it.
struct Axis {
  Axis(int dimension, std::string layer = {})  // NOLINT(google-explicit-constructor)
      : dimension(dimension), layer(std::move(layer)) {}
  int dimension = 1;
  std::string layer;
  friend bool operator==(const Axis&, const Axis&) = default;
};

/// "2", or "2@L1"
std::string to_string(const Axis& axis);

using Layout = std::vector<Axis>;  // outermost first

/// Where and how a buffer is kept: a region, and a permutation of its dimensions or of their
/// digits. Neither changes what is computed.
struct Place {
  std::string region;
  Layout layout;
  friend bool operator==(const Place&, const Place&) = default;
};

/// A level of the machine: one of its layers, in one of its dimensions (x, y, z, w4, ...).
struct MachineLevel {
  std::string layer;
  std::string axis;
  friend bool operator==(const MachineLevel&, const MachineLevel&) = default;
  // NOLINTNEXTLINE(modernize-use-nullptr): as above
  friend auto operator<=>(const MachineLevel&, const MachineLevel&) = default;
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
  std::vector<MachineLevel> assignment;  // of each level of the order
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
  Code code = {};  // by the machine's names of layers
  /// Layers of cores whose levels the configuration gives dimensions of the machine: its devices
  /// launch them along several axes, if they have any.
  std::vector<std::string> axes = {};
  friend bool operator==(const Program&, const Program&) = default;
};

/// "L1.k"
std::string to_string(const Program& p, const Level& level);

/// "32", or "*" for an open level.
std::string print_parts(int64_t parts);

/// Where a phase puts a level.
MachineLevel slot_of(const std::vector<TaggedOperator>& phase, const Level& level);

/// The scalar phase in the form of the others, without places.
std::vector<TaggedOperator> scalar_operators(const Program& p);

/// Distance in the index space between neighbouring parts of a level.
int64_t chunk(const Program& p, const Level& level);

/// The low-level program is well-formed: orders agree on the levels, parts cover the sizes.
/// Internal error otherwise, for configurations are validated before they are lowered; parse()
/// turns it into a user error.
void verify(const Program& p);

Program map_operators(const Program& p,
                      const std::function<TaggedOperator(const TaggedOperator&)>& change);

}  // namespace mdh::ll
