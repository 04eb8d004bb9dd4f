// Rounds that a copy is made for, counted before and behind the one that runs.
#pragma once

#include <optional>

#include "mdh/loop/program.h"

namespace mdh::passes {

/// Those of the loop around the copy, or also those of the loop around that one: then both count as
/// one, with n = outer * parts + inner.
class Rounds {
 public:
  explicit Rounds(const loop::Digit& inner) : inner_(inner) {}
  Rounds(const loop::Digit& inner, const loop::Digit& outer) : inner_(inner), outer_(outer) {}

  struct Round {
    loop::Expr number, inner, outer;
    loop::Expr turn;  // the inner one, counted on where that ends
  };

  int64_t count() const;
  Round first(int64_t n) const;   // the n-th of all
  Round later(int64_t by) const;  // so many behind this one
  loop::Expr exists(const Round& round) const;

  /// Rounds take slots in turn.
  loop::Expr slot(const Round& round, int64_t depth) const;

  /// An expression of the loops, as it is in the round.
  loop::Expr at(const loop::Expr& e, const Round& round) const;

 private:
  loop::Digit inner_;
  std::optional<loop::Digit> outer_;
};

}  // namespace mdh::passes
