// Scalar functions compiled for the interpreter: a flat list of operations on numbered slots.
#pragma once

#include <span>
#include <vector>

#include "mdh/scalar/function.h"
#include "mdh/scalar/mathematics.h"
#include "mdh/scalar/value.h"

namespace mdh::scalar {

/// How floating-point operations are carried out.
enum class Precision {
  declared,  // rounded to the declared type after each operation
  wide,      // in double throughout: the yardstick for rounding errors
};

/// What division of integers by zero is: 0 in scalar functions, on every back end; a user error in
/// constants, sizes and index functions.
enum class ByZero { gives_zero, is_error };

/// One operation. Values of records occupy as many slots as they have leaves.
struct TapeStep {
  // jump_unless goes to step c if slot a is false, jump always. element copies slot a + b to `to`,
  // where b is the value of slot b and below c.
  enum class Opcode : uint8_t {
    constant,
    unary,
    binary,
    cast,
    copy,
    element,
    mathematics,
    jump,
    jump_unless,
  };
  Opcode opcode = Opcode::constant;
  BinaryOp binary = BinaryOp::add;
  UnaryOp unary = UnaryOp::negate;
  Scalar type = Scalar::i64;    // of the operands
  Scalar target = Scalar::i64;  // of the result, for casts
  int to = 0, a = 0, b = 0, c = 0;
  Value value;
  const MathFunction* math = nullptr;
};

/// What a step puts into its slot; not for jumps. An index outside of an array field is a user
/// error.
Value execute(const TapeStep& s, const Value* slots);

class Tape {
 public:
  explicit Tape(const Function& f, Precision precision = Precision::declared,
                ByZero by_zero = ByZero::gives_zero);

  /// A loop that takes longer is taken for one that does not end.
  static constexpr int64_t most_steps = 100'000'000;

  /// Arguments and results leaf by leaf. An index outside of an array field and a loop of more than
  /// `most` steps are user errors, and so is a division by zero where the tape says so; everything
  /// else is total. Tells how many steps it took.
  int64_t run(std::span<const Value> arguments, std::span<Value> results,
              int64_t most = most_steps) const;

  /// The same with memory of the caller, for many runs.
  int64_t run(std::span<const Value> arguments, std::span<Value> results,
              std::vector<Value>& scratch, int64_t most = most_steps) const;

 private:
  int slots_ = 0;
  ByZero by_zero_;
  std::vector<TapeStep> steps_;
  std::vector<int> results_;  // slots of all leaves of all results
};

/// The index, or the user error of one that is outside of an array field.
int64_t checked_index(int64_t index, int count);

[[noreturn]] void report_endless_loop(int64_t steps);

}  // namespace mdh::scalar
