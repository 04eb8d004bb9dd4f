// Index functions on boxes of points: what values can they have, and what can go wrong?
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mdh/hl/analysis.h"

namespace mdh::hl {

/// What may go wrong while an index function is evaluated; on a single point: what does.
enum class Trouble : uint8_t { none, overflow, zero_divisor };

/// All values of an expression on a box lie in here, unless there is trouble. On a single point the
/// value is exact.
struct Interval {
  int64_t least = 0;
  int64_t greatest = 0;
  Trouble trouble = Trouble::none;
};

/// An index function, prepared to be evaluated on many boxes by interval arithmetic. It computes as
/// the interpreter does: of a choice that the condition decides only that branch. But where the
/// interpreter wraps around, in 64 bits, there is trouble: compiled code does not.
class IntervalFunction {
 public:
  /// Nothing where it has other parts than integers of at most 64 bits: floats, loops, calls.
  static std::optional<IntervalFunction> of(const Program& p, const Expr& index);

  /// One range per dimension of the program.
  Interval operator()(std::span<const Range> box) const { return value(root_, box); }

  /// Which dimensions it depends on.
  const std::vector<bool>& mentioned() const { return mentioned_; }

  /// How much work one evaluation is at most.
  int64_t nodes() const { return static_cast<int64_t>(nodes_.size()); }

 private:
  enum class Kind : uint8_t { literal, dimension, unary, binary, select, cast };
  struct Node {
    Kind kind = Kind::literal;
    scalar::UnaryOp unary = scalar::UnaryOp::negate;
    scalar::BinaryOp binary = scalar::BinaryOp::add;
    scalar::Scalar type = scalar::Scalar::i64;  // of the value
    scalar::Scalar from = scalar::Scalar::i64;  // of the operands
    int64_t number = 0;                         // literal; number of the dimension
    int a = 0, b = 0, c = 0;                    // operands
  };

  std::optional<int> add(const Program& p, const Expr& e);
  std::optional<int> add_operands(const Program& p, const Expr& e, Node node);
  Interval value(int n, std::span<const Range> box) const;
  Interval chosen(const Node& node, std::span<const Range> box) const;
  Interval logical(const Node& node, std::span<const Range> box) const;

  std::vector<Node> nodes_;
  std::vector<bool> mentioned_;
  int root_ = 0;
};

}  // namespace mdh::hl
