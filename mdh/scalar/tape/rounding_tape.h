// Scalar functions on numbers that know how far rounding may have moved them.
//
// Two expressions that are equal for real numbers differ on a machine. By how much depends on the
// numbers that flow through them, not on the result: 1e8 + 1 - 1e8 is off by a whole number. So
// every value carries a bound of its distance from what real arithmetic gives. What an operation
// itself rounds is computed, not estimated: where nothing rounds, the bound is 0.
#pragma once

#include <span>
#include <vector>

#include "mdh/scalar/tape/tape.h"

namespace mdh::scalar {

struct RoundedValue {
  Value value;
  double error = 0;  // infinite: nothing is known, as behind an overflow
};

class RoundingTape {
 public:
  explicit RoundingTape(const Function& f);

  struct Outcome {
    bool decided = true;  // no comparison and no conversion to an integer depends on rounding
    int64_t steps = 0;
  };

  /// The values of Tape in the declared precision, with bounds, if the outcome is decided. A run of
  /// more than `most` steps is not decided. Errors are those of Tape.
  Outcome run(std::span<const RoundedValue> arguments, std::span<RoundedValue> results,
              int64_t most = Tape::most_steps);

 private:
  std::vector<TapeStep> steps_;
  std::vector<int> results_;
  std::vector<Value> values_;  // slots
  std::vector<double> errors_;
};

}  // namespace mdh::scalar
