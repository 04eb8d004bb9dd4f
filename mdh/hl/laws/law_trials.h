// One trial of the laws of an operator: two or three values, both ways.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mdh/hl/laws/law_draws.h"
#include "mdh/scalar/algebra.h"
#include "mdh/scalar/tape/rounding_tape.h"

namespace mdh::hl {

/// f and ⊕ of a program, with a limit of how much is computed: f may be a long loop.
class LawTrials {
 public:
  using Tuple = std::vector<Value>;

  LawTrials(const Program& p, int64_t most_steps);

  bool may_go_on() const { return algebra_.steps_left() > 0; }
  const std::vector<scalar::Leaf>& leaves() const { return leaves_; }

  /// f at a point. Nothing where it leaves an array or is not a number: data are not meant to be
  /// so.
  std::optional<Tuple> value_at(const InputsAt& inputs, std::span<const int64_t> point);

  /// x ⊕ y as the machine computes it; nothing where it is not defined.
  std::optional<Tuple> combined(const Tuple& x, const Tuple& y);

  /// What shows that the law is broken, as text.
  std::optional<std::string> not_associative(const Tuple& x, const Tuple& y, const Tuple& z);
  std::optional<std::string> not_commutative(const Tuple& x, const Tuple& y);

 private:
  using RoundedTuple = std::vector<scalar::RoundedValue>;

  std::optional<RoundedTuple> applied(const RoundedTuple& x, const RoundedTuple& y);
  bool are_equal(const RoundedTuple& a, const RoundedTuple& b,
                 std::span<const Tuple* const> operands) const;
  std::string text(const RoundedTuple& values) const;
  std::string text(const Tuple& values) const { return text_of_leaves(leaves_, values); }

  scalar::ScalarAlgebra algebra_;
  scalar::RoundingTape combine_;
  std::vector<scalar::Leaf> leaves_;
};

}  // namespace mdh::hl
