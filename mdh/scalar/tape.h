// Scalar functions compiled for the interpreter: a flat list of operations on numbered slots.
#pragma once

#include <span>
#include <vector>

#include "mdh/scalar/function.h"
#include "mdh/scalar/value.h"

namespace mdh::scalar {

/// How floating-point operations are carried out.
enum class Precision {
  declared,  // rounded to the declared type after each operation
  wide,      // in double throughout: the yardstick for rounding errors
};

class Tape {
 public:
  explicit Tape(const Function& f, Precision precision = Precision::declared);

  /// Division of integers by zero is a user error; everything else is total.
  void run(std::span<const Value> arguments, std::span<Value> results) const;

 private:
  // jump_unless goes to step c if slot a is false, jump always.
  enum class Opcode : uint8_t {
    constant,
    negate,
    logical_not,
    binary,
    cast,
    copy,
    jump,
    jump_unless,
  };

  struct Step {
    Opcode opcode;
    BinaryOp op;
    Scalar type;    // of the operands
    Scalar target;  // of the result, for casts
    int to, a, b, c;
    Value value;
  };

  int compile(const Expr& e, const Function& f);
  int compile_binary(const Binary& b, Scalar type, const Function& f);
  int compile_select(const Select& s, Scalar type, const Function& f);
  int emit(Step step);
  size_t emit_jump(Opcode opcode, int condition);
  void land(size_t jump);
  Value execute(const Step& step, const Value* slots) const;
  Scalar effective(Scalar type) const;

  Precision precision_;
  int slots_ = 0;
  std::vector<Step> steps_;
  std::vector<int> results_;
};

/// One binary operation with the exact semantics of the type: wrap-around integers, IEEE floats,
/// maxNum for min and max.
Value apply(BinaryOp op, Scalar type, Value a, Value b);

}  // namespace mdh::scalar
