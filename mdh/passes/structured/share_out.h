// Members of a grid that have the same to do share it.
#pragma once

#include <map>
#include <optional>

#include "mdh/passes/common/names.h"
#include "mdh/passes/structured/dealer.h"

namespace mdh::passes {

/// All values of some digits, in as many shares as another digit counts. They are of the same size
/// where that is possible; otherwise some members have less to do, or nothing.
class ShareOut {
 public:
  ShareOut(const Digits& digits, const loop::Digit& members, Names& names);

  /// What a member counts.
  const std::vector<loop::Counter>& counters() const { return counters_; }

  /// The block where digits have the values that counters give them; it is left out where there are
  /// no such values.
  loop::Block of_member(const loop::Block& block) const;

 private:
  void split(const loop::Digit& digit, int64_t pieces, const loop::Expr& piece, Names& names);
  loop::Block in_counters(const loop::Block& block) const;

  std::vector<loop::Counter> counters_;
  std::map<Symbol, loop::Expr> values_;
  std::optional<loop::Expr> exists_;  // nothing: always
};

}  // namespace mdh::passes
