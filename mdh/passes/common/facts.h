// What is known of indices at a place in a program: ranges of variables, conditions that hold.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "mdh/loop/program.h"
#include "mdh/scalar/linear.h"

namespace mdh::passes {

class Facts {
 public:
  /// 0 <= var <= greatest.
  void set_range(const Symbol& var, int64_t greatest);

  /// A counter never exceeds the numbers in the trip count of its loop.
  void set_range(const Symbol& var, const loop::Expr& trip);

  /// The condition holds: comparisons of sums, joined by 'and'; others are not understood, and
  /// nothing is learnt from them.
  void assume(const loop::Expr& condition);

  /// A counter is below the trip count of its loop.
  void assume_below(const Symbol& var, const loop::Expr& trip);

  /// The variable is that; where it is the greater of two, it is below what both are below.
  void define(const Symbol& var, const loop::Expr& value);

  /// The condition always holds. False means that nobody knows.
  bool imply(const loop::Expr& condition) const;

  /// The condition without what always holds; nothing if that is all of it.
  std::optional<loop::Expr> open_part(const loop::Expr& condition) const;

 private:
  /// The sum is never above 0.
  bool is_never_positive(const scalar::Linear& sum) const;
  std::optional<int64_t> greatest(const scalar::Linear& sum) const;

  std::map<std::string, int64_t> greatest_;
  std::map<std::string, loop::Expr> maxima_;
  std::vector<scalar::Linear> never_positive_;
};

/// What holds inside of the statement, besides what holds around it.
Facts known_inside(const loop::Stmt& s, Facts known);

}  // namespace mdh::passes
