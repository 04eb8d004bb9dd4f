#include "mdh/scalar/tape.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace mdh::scalar {
namespace {

Value truth(bool b) { return Value::integer(b ? 1 : 0); }

Value apply_floating(BinaryOp op, Scalar type, double a, double b) {
  // f32 operations in double, then rounded once, give the same as f32 arithmetic (double has more
  // than 2p + 2 digits).
  const auto rounded = [&](double x) { return from_floating(type, x); };
  switch (op) {
    case BinaryOp::equal:
      return truth(a == b);
    case BinaryOp::not_equal:
      return truth(a != b);
    case BinaryOp::less:
      return truth(a < b);
    case BinaryOp::less_equal:
      return truth(a <= b);
    case BinaryOp::greater:
      return truth(a > b);
    case BinaryOp::greater_equal:
      return truth(a >= b);
    case BinaryOp::add:
      return rounded(a + b);
    case BinaryOp::subtract:
      return rounded(a - b);
    case BinaryOp::multiply:
      return rounded(a * b);
    case BinaryOp::divide:
      return rounded(a / b);
    case BinaryOp::minimum:
      return rounded(std::fmin(a, b));
    case BinaryOp::maximum:
      return rounded(std::fmax(a, b));
    default:
      internal_check(false, "no such operation on floats");
      return {};
  }
}

Value divided(BinaryOp op, Scalar type, Value a, Value b) {
  if (b.bits == 0) {
    user_error("E130", {}, "division of integers by zero",
               "guard the divisor: if d == 0 then ... else x / d");
  }
  const bool quotient = op == BinaryOp::divide;
  if (!is_signed(type)) return {quotient ? a.bits / b.bits : a.bits % b.bits};
  // The one quotient that overflows, MIN / -1, wraps around like every other operation.
  if (b.as_integer() == -1)
    return quotient ? from_integer(type, Value{0 - a.bits}.as_integer()) : Value{0};
  return Value::integer(quotient ? a.as_integer() / b.as_integer()
                                 : a.as_integer() % b.as_integer());
}

bool less(Scalar type, Value a, Value b) {
  return is_signed(type) ? a.as_integer() < b.as_integer() : a.bits < b.bits;
}

Value apply_integer(BinaryOp op, Scalar type, Value a, Value b) {
  const auto wrapped = [&](uint64_t bits) { return from_integer(type, Value{bits}.as_integer()); };
  switch (op) {
    case BinaryOp::logical_or:
      return truth(a.bits != 0 || b.bits != 0);
    case BinaryOp::logical_and:
      return truth(a.bits != 0 && b.bits != 0);
    case BinaryOp::equal:
      return truth(a == b);
    case BinaryOp::not_equal:
      return truth(a != b);
    case BinaryOp::less:
      return truth(less(type, a, b));
    case BinaryOp::less_equal:
      return truth(!less(type, b, a));
    case BinaryOp::greater:
      return truth(less(type, b, a));
    case BinaryOp::greater_equal:
      return truth(!less(type, a, b));
    case BinaryOp::bit_or:
      return {a.bits | b.bits};
    case BinaryOp::bit_xor:
      return {a.bits ^ b.bits};
    case BinaryOp::bit_and:
      return {a.bits & b.bits};
    case BinaryOp::add:
      return wrapped(a.bits + b.bits);
    case BinaryOp::subtract:
      return wrapped(a.bits - b.bits);
    case BinaryOp::multiply:
      return wrapped(a.bits * b.bits);
    case BinaryOp::divide:
    case BinaryOp::remainder:
      return divided(op, type, a, b);
    case BinaryOp::minimum:
      return less(type, b, a) ? b : a;
    case BinaryOp::maximum:
      return less(type, a, b) ? b : a;
  }
  return {};
}

Value converted(Scalar from, Scalar to, Value v) {
  if (is_floating(from)) return from_floating(to, v.as_floating());
  // A large u64 must not pass through a negative integer on its way to a float.
  // It is rounded once: on its way to f32 it must not pass through a double either.
  if (to == Scalar::f32 && !is_signed(from)) return Value::floating(static_cast<float>(v.bits));
  if (to == Scalar::f64 && !is_signed(from)) return Value::floating(static_cast<double>(v.bits));
  return from_integer(to, v.as_integer());
}

}  // namespace

Value apply(BinaryOp op, Scalar type, Value a, Value b) {
  return is_floating(type) ? apply_floating(op, type, a.as_floating(), b.as_floating())
                           : apply_integer(op, type, a, b);
}

Tape::Tape(const Function& f, Precision precision)
    : precision_(precision), slots_(static_cast<int>(f.parameters.size())) {
  for (const Assignment& result : f.results) results_.push_back(compile(result.value, f));
}

Scalar Tape::effective(Scalar type) const {
  return precision_ == Precision::wide && is_floating(type) ? Scalar::f64 : type;
}

int Tape::emit(Step step) {
  step.to = slots_++;
  steps_.push_back(step);
  return step.to;
}

int Tape::compile(const Expr& e, const Function& f) {
  const Scalar type = effective(scalar_of(e.type()));
  if (const auto* number = e.as<Literal>()) {
    return emit({Opcode::constant, {}, type, type, 0, 0, 0, 0, number->value});
  }
  if (const auto* v = e.as<Variable>()) {
    for (size_t i = 0; i < f.parameters.size(); ++i) {
      if (f.parameters[i].symbol == v->symbol) return static_cast<int>(i);
    }
    internal_check(false, "'{}' is not a parameter of {}", v->symbol.name, f.name);
  }
  if (const auto* u = e.as<Unary>()) {
    const int a = compile(u->operand, f);
    const Opcode opcode = u->op == UnaryOp::negate ? Opcode::negate : Opcode::logical_not;
    return emit({opcode, {}, type, type, 0, a, 0, 0, {}});
  }
  if (const auto* b = e.as<Binary>()) return compile_binary(*b, type, f);
  if (const auto* s = e.as<Select>()) return compile_select(*s, type, f);
  const auto* c = e.as<Cast>();
  internal_check(c != nullptr, "an unresolved call reached the evaluator");
  const int operand = compile(c->operand, f);
  return emit(
      {Opcode::cast, {}, effective(scalar_of(c->operand.type())), type, 0, operand, 0, 0, {}});
}

int Tape::compile_binary(const Binary& b, Scalar type, const Function& f) {
  if (is_logical(b.op)) {
    // As in C the left operand may decide alone: a && b is "if a then b else false".
    const Expr decided = literal(Scalar::boolean, truth(b.op == BinaryOp::logical_or));
    const bool is_and = b.op == BinaryOp::logical_and;
    return compile_select({b.left, is_and ? b.right : decided, is_and ? decided : b.right}, type,
                          f);
  }
  const Scalar operands = effective(scalar_of(b.left.type()));
  const int left = compile(b.left, f), right = compile(b.right, f);
  return emit({Opcode::binary, b.op, operands, type, 0, left, right, 0, {}});
}

/// Only the branch that is taken is computed, so that a condition can guard a division.
int Tape::compile_select(const Select& s, Scalar type, const Function& f) {
  const size_t to_otherwise = emit_jump(Opcode::jump_unless, compile(s.condition, f));
  const int then = compile(s.then, f);
  const int to = emit({Opcode::copy, {}, type, type, 0, then, 0, 0, {}});
  const size_t to_end = emit_jump(Opcode::jump, 0);
  land(to_otherwise);
  const int otherwise = compile(s.otherwise, f);
  steps_.push_back({Opcode::copy, {}, type, type, to, otherwise, 0, 0, {}});
  land(to_end);
  return to;
}

size_t Tape::emit_jump(Opcode opcode, int condition) {
  steps_.push_back({opcode, {}, Scalar::boolean, Scalar::boolean, 0, condition, 0, 0, {}});
  return steps_.size() - 1;
}

void Tape::land(size_t jump) { steps_[jump].c = static_cast<int>(steps_.size()); }

Value Tape::execute(const Step& s, const Value* slots) const {
  switch (s.opcode) {
    case Opcode::constant:
      return s.value;
    case Opcode::negate:
      return is_floating(s.type) ? Value::floating(-slots[s.a].as_floating())
                                 : from_integer(s.type, Value{0 - slots[s.a].bits}.as_integer());
    case Opcode::logical_not:
      return truth(slots[s.a].bits == 0);
    case Opcode::binary:
      return apply(s.op, s.type, slots[s.a], slots[s.b]);
    case Opcode::cast:
      return converted(s.type, s.target, slots[s.a]);
    case Opcode::copy:
      return slots[s.a];
    case Opcode::jump:
    case Opcode::jump_unless:
      break;
  }
  return {};
}

void Tape::run(std::span<const Value> arguments, std::span<Value> results) const {
  constexpr int usual = 64;
  std::array<Value, usual> near;
  std::vector<Value> far;
  if (slots_ > usual) far.resize(static_cast<size_t>(slots_));
  Value* slots = slots_ > usual ? far.data() : near.data();
  std::copy(arguments.begin(), arguments.end(), slots);
  for (size_t n = 0; n < steps_.size();) {
    const Step& step = steps_[n++];
    if (step.opcode < Opcode::jump) {
      slots[step.to] = execute(step, slots);
    } else if (step.opcode == Opcode::jump || slots[step.a].bits == 0) {
      n = static_cast<size_t>(step.c);
    }
  }
  for (size_t i = 0; i < results_.size(); ++i) results[i] = slots[results_[i]];
}

}  // namespace mdh::scalar
