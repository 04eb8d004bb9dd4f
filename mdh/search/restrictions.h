// The three restrictions that the paper's tuner puts on its search space, each by itself.
#pragma once

#include <string>

namespace mdh::search {

struct Restrictions {
  bool phases = false;       // one order and one assignment in all phases: D1=S1=R1, D2=S2=R2
  bool parallelism = false;  // cores take outer parts, or inner ones: two values of D2, S2, R2
  bool tiles = false;        // whole tiles only: D3, S3, S5, R3 are the same in all dimensions

  bool any() const { return phases || parallelism || tiles; }
  friend bool operator==(const Restrictions&, const Restrictions&) = default;
};

inline constexpr Restrictions all_restrictions = {true, true, true};

/// "all", or names with commas between them: "phases,tiles". Another name is a user error (E885).
Restrictions restrictions_from(const std::string& names);

/// The same, back; empty if there are none.
std::string to_string(const Restrictions& restrictions);

}  // namespace mdh::search
