#include "mdh/scalar/tape.h"

#include <algorithm>
#include <array>

#include "mdh/scalar/apply.h"
#include "mdh/scalar/tape_compiler.h"

namespace mdh::scalar {
namespace {

using Opcode = TapeStep::Opcode;

Value element(const TapeStep& s, const Value* slots) {
  const int64_t index = slots[s.b].as_integer();
  if (index < 0 || index >= s.c) {
    user_error("E131", {}, fmt::format("index {} is outside of an array field of {}", index, s.c),
               "indices of array fields run from 0 to one less than their length");
  }
  return slots[s.a + index];
}

[[noreturn]] void endless(int64_t steps) {
  user_error("E132", {}, fmt::format("a loop has not ended after {} steps", steps),
             "its condition has to become false");
}

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
      return element(s, slots);
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

}  // namespace

Tape::Tape(const Function& f, Precision precision) {
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
      slots[step.to] = execute(step, slots);
    } else if (step.opcode == Opcode::jump || slots[step.a].bits == 0) {
      n = static_cast<size_t>(step.c);
      if (done > most) endless(most);
    }
  }
  for (size_t i = 0; i < results_.size(); ++i) results[i] = slots[results_[i]];
  return done;
}

}  // namespace mdh::scalar
