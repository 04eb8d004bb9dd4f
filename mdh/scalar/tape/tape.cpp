#include "mdh/scalar/tape/tape.h"

#include <algorithm>
#include <array>

#include "mdh/scalar/apply.h"
#include "mdh/scalar/tape/tape_compiler.h"

namespace mdh::scalar {

using Opcode = TapeStep::Opcode;

Value execute(const TapeStep& s, const Value* slots) {
  switch (s.opcode) {
    case Opcode::constant:
      return s.value;
    case Opcode::unary:
      return apply(s.unary, s.type, slots[s.a]);
    case Opcode::binary:
      return apply(s.binary, s.type, slots[s.a], slots[s.b]);
    case Opcode::cast:
      return converted(s.type, s.target, slots[s.a]);
    case Opcode::copy:
      return slots[s.a];
    case Opcode::element:
      return slots[s.a + checked_index(slots[s.b].as_integer(), s.c)];
    case Opcode::mathematics: {
      const std::array<Value, 2> arguments = {slots[s.a], slots[s.b]};
      return apply_math(*s.math, s.type, {arguments.data(), static_cast<size_t>(s.c)});
    }
    case Opcode::jump:
    case Opcode::jump_unless:
      break;
  }
  return {};
}

Tape::Tape(const Function& f, Precision precision, ByZero by_zero) : by_zero_(by_zero) {
  TapeCompiler compiler(precision);
  const TapeCompiler::Environment parameters = compiler.parameters(f);
  results_ = compiler.function(f, parameters);
  slots_ = compiler.slots();
  steps_ = compiler.take_steps();
}

int64_t Tape::run(std::span<const Value> arguments, std::span<Value> results, int64_t most) const {
  std::vector<Value> scratch;
  return run(arguments, results, scratch, most);
}

int64_t Tape::run(std::span<const Value> arguments, std::span<Value> results,
                  std::vector<Value>& scratch, int64_t most) const {
  if (scratch.size() < static_cast<size_t>(slots_)) scratch.resize(static_cast<size_t>(slots_));
  Value* slots = scratch.data();
  std::copy(arguments.begin(), arguments.end(), slots);
  const size_t count = steps_.size();
  int64_t done = 0;
  for (size_t n = 0; n < count; ++done) {
    const TapeStep& step = steps_[n++];
    if (step.opcode < Opcode::jump) {
      const bool may_divide = step.opcode == Opcode::binary && by_zero_ == ByZero::is_error;
      if (may_divide) check_divisor(step.binary, step.type, slots[step.b]);
      slots[step.to] = execute(step, slots);
    } else if (step.opcode == Opcode::jump || slots[step.a].bits == 0) {
      n = static_cast<size_t>(step.c);
      if (done > most) report_endless_loop(most);
    }
  }
  for (size_t i = 0; i < results_.size(); ++i) results[i] = slots[results_[i]];
  return done;
}

int64_t checked_index(int64_t index, int count) {
  if (index < 0 || index >= count) {
    user_error("E131", {}, fmt::format("index {} is outside of an array field of {}", index, count),
               "indices of array fields run from 0 to one less than their length");
  }
  return index;
}

void report_endless_loop(int64_t steps) {
  user_error("E132", {}, fmt::format("a loop has not ended after {} steps", steps),
             "its condition has to become false");
}

}  // namespace mdh::scalar
