// What evaluators compute with.
//
// The evaluators of all IRs move values around and never look into them; an Algebra says what f and
// the combination of two results are. With the ordinary algebra they compute the program; with
// provenance they compute, for every output element, which points contributed to it, which proves
// that a decomposition uses every point exactly once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "mdh/scalar/tape/tape.h"

namespace mdh::scalar {

class Algebra {
 public:
  virtual ~Algebra() = default;

  /// f at one point: one input per access, one result per output access.
  virtual void f(std::span<const Value> inputs, std::span<const int64_t> point,
                 std::span<Value> results) = 0;

  /// ⊕ on two tuples of results. `results` may be one of the operands.
  virtual void combine(std::span<const Value> left, std::span<const Value> right,
                       std::span<Value> results) = 0;

  /// How much may still be computed, in steps of tapes; loops end with an error where nothing is
  /// left.
  int64_t steps_left() const { return std::min(steps_left_, Tape::most_steps); }
  void limit_steps(int64_t steps) { steps_left_ = steps; }
  void count(int64_t steps) { steps_left_ -= steps; }

 private:
  int64_t steps_left_ = std::numeric_limits<int64_t>::max();
};

/// The ordinary meaning. `f` takes the inputs, then the point; `combine` the left tuple, then the
/// right one.
class ScalarAlgebra : public Algebra {
 public:
  ScalarAlgebra(const Function& f, const Function& combine,
                Precision precision = Precision::declared);
  void f(std::span<const Value> inputs, std::span<const int64_t> point,
         std::span<Value> results) override;
  void combine(std::span<const Value> left, std::span<const Value> right,
               std::span<Value> results) override;

 private:
  Tape f_, combine_;
  std::vector<Value> arguments_, scratch_;
};

/// Values are handles of multisets of point numbers; f makes a singleton, ⊕ unites.
class ProvenanceAlgebra : public Algebra {
 public:
  /// The number of every point outside of the sizes. f may be applied there; no result contains it.
  static constexpr int64_t beyond = -1;

  ProvenanceAlgebra(std::vector<int64_t> sizes, int components);
  void f(std::span<const Value> inputs, std::span<const int64_t> point,
         std::span<Value> results) override;
  void combine(std::span<const Value> left, std::span<const Value> right,
               std::span<Value> results) override;

  /// The points behind a value, sorted, with repetitions.
  const std::vector<int64_t>& points(Value handle) const;

 private:
  Value keep(std::vector<int64_t> points);

  std::vector<int64_t> sizes_;
  int components_;
  std::vector<std::vector<int64_t>> multisets_;
};

/// |f| with every subtraction turned into an addition of magnitudes: what rounding errors of f and
/// of the sum over f's results are proportional to. Inputs must be given as magnitudes. Not below
/// |f|, but for quotients whose divisor is a difference.
Function magnitude(const Function& f);

}  // namespace mdh::scalar
