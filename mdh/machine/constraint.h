// Rules of machines, as data: the validator reads them, and so does whatever generates
// configurations. The list of kinds is closed.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace mdh::machine {

/// The levels on these layers have at most `limit` parts, all dimensions multiplied. With an axis
/// (x, y, z; z includes all that are folded into it) it is a limit of launches: only the levels on
/// that axis count. Those of a layer without tags are all on x.
struct PartsAtMost {
  std::vector<std::string> layers;
  int64_t limit = 0;
  std::string axis;
  friend bool operator==(const PartsAtMost&, const PartsAtMost&) = default;
};

/// The levels on these layers have exactly `count` parts in all, or are not used.
struct PartsEqual {
  std::vector<std::string> layers;
  int64_t count = 0;
  friend bool operator==(const PartsEqual&, const PartsEqual&) = default;
};

/// A level on this layer with several parts, whose dimension is not concatenated, writes its
/// results into one of these regions.
struct CombinesIn {
  std::string layer;
  std::vector<std::string> regions;
  friend bool operator==(const CombinesIn&, const CombinesIn&) = default;
};

/// All tiles and accumulators that live in one instance of the region at the same time.
struct BytesAtMost {
  std::string region;
  int64_t limit = 0;
  bool soft = false;  // a warning, not an error
  friend bool operator==(const BytesAtMost&, const BytesAtMost&) = default;
};

/// Cores of the layer do not see each other's instance of the region: nothing that several of them
/// share lives there.
struct NotSharedBy {
  std::string region;
  std::string layer;
  friend bool operator==(const NotSharedBy&, const NotSharedBy&) = default;
};

using Constraint = std::variant<PartsAtMost, PartsEqual, CombinesIn, BytesAtMost, NotSharedBy>;

/// The rule as a sentence: "the parts on THR are at most 1024".
std::string to_string(const Constraint& constraint);

}  // namespace mdh::machine
