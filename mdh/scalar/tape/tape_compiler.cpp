#include "mdh/scalar/tape/tape_compiler.h"

#include "mdh/scalar/apply.h"

namespace mdh::scalar {

TapeCompiler::Environment TapeCompiler::parameters(const Function& f) {
  Environment environment;
  for (const Parameter& p : f.parameters) environment[p.symbol] = reserve(width_of(p.type));
  return environment;
}

std::vector<int> TapeCompiler::function(const Function& f, Environment environment) {
  for (const Assignment& a : f.locals) environment[a.target] = compile(a.value, environment);
  std::vector<int> slots;
  for (const Assignment& a : f.results) {
    const int first = compile(a.value, environment);
    for (int leaf = 0; leaf < width_of(a.value.type()); ++leaf) slots.push_back(first + leaf);
  }
  return slots;
}

int TapeCompiler::compile(const Expr& e, const Environment& environment) {
  // Calls are expanded, so a chain of functions that call the one before twice grows exponentially.
  constexpr size_t most_steps = 1 << 17;
  constexpr int most_slots = 1 << 20;
  constexpr int deepest = 2000;
  if (depth_ == 0) whole_ = e.where();
  if (steps_.size() > most_steps || slots_ > most_slots || depth_ > deepest) {
    unsupported("E133", whole_, "so large a function, once its calls are expanded",
                "call functions fewer times, and keep the results in lets");
  }
  ++depth_;
  const int slot =
      std::visit([&](const auto& is) { return node(is, e, environment); }, e.node().is);
  --depth_;
  return slot;
}

int TapeCompiler::node(const Literal& literal, const Expr& e, const Environment&) {
  const Scalar type = e.type().is_scalar() ? effective(e.type()) : Scalar::i64;
  return emit({.opcode = Opcode::constant, .type = type, .value = literal.value});
}

int TapeCompiler::node(const Variable& v, const Expr&, const Environment& environment) {
  const auto found = environment.find(v.symbol);
  internal_check(found != environment.end(), "'{}' has no value", v.symbol.name);
  return found->second;
}

int TapeCompiler::node(const Unary& u, const Expr& e, const Environment& environment) {
  const int a = compile(u.operand, environment);
  return emit({.opcode = Opcode::unary, .unary = u.op, .type = effective(e.type()), .a = a});
}

int TapeCompiler::node(const Binary& b, const Expr& e, const Environment& environment) {
  if (is_logical(b.op)) {
    // As in C the left operand may decide alone: a && b is "if a then b else false".
    const Expr decided = literal(Scalar::boolean, truth(b.op == BinaryOp::logical_or));
    const bool is_and = b.op == BinaryOp::logical_and;
    return node(Select{b.left, is_and ? b.right : decided, is_and ? decided : b.right}, e,
                environment);
  }
  const int left = compile(b.left, environment), right = compile(b.right, environment);
  return emit({.opcode = Opcode::binary,
               .binary = b.op,
               .type = effective(b.left.type()),
               .a = left,
               .b = right});
}

/// Only the branch that is taken is computed, so that a condition can guard a division.
int TapeCompiler::node(const Select& s, const Expr& e, const Environment& environment) {
  const int width = width_of(e.type()), to = reserve(width);
  const size_t to_otherwise = emit_jump(Opcode::jump_unless, compile(s.condition, environment));
  copy(compile(s.then, environment), to, width);
  const size_t to_end = emit_jump(Opcode::jump, 0);
  land(to_otherwise);
  copy(compile(s.otherwise, environment), to, width);
  land(to_end);
  return to;
}

int TapeCompiler::node(const Cast& c, const Expr& e, const Environment& environment) {
  const int operand = compile(c.operand, environment);
  return emit({.opcode = Opcode::cast,
               .type = effective(c.operand.type()),
               .target = effective(e.type()),
               .a = operand});
}

int TapeCompiler::node(const FieldOf& f, const Expr&, const Environment& environment) {
  return compile(f.operand, environment) + leaf_offset(*f.operand.type().record(), f.field);
}

int TapeCompiler::node(const ElementOf& at, const Expr&, const Environment& environment) {
  const int array = compile(at.operand, environment), index = compile(at.index, environment);
  return emit(
      {.opcode = Opcode::element, .a = array, .b = index, .c = at.operand.type().array()->count});
}

int TapeCompiler::node(const Make& m, const Expr& e, const Environment& environment) {
  const int to = reserve(width_of(e.type()));
  for (const Binding& field : m.fields) {
    const int from = compile(field.value, environment);
    copy(from, to + leaf_offset(*e.type().record(), field.symbol.name),
         width_of(field.value.type()));
  }
  return to;
}

/// Updates are simultaneous: all new values are computed before any of them is assigned.
int TapeCompiler::node(const Loop& l, const Expr&, const Environment& environment) {
  Environment inside = environment;
  for (const Binding& binding : l.initial) {
    const int width = width_of(binding.value.type()), slot = reserve(width);
    copy(compile(binding.value, environment), slot, width);
    inside[binding.symbol] = slot;
  }
  const auto again = static_cast<int>(steps_.size());
  const size_t to_end = emit_jump(Opcode::jump_unless, compile(l.condition, inside));
  std::vector<int> fresh;
  for (const Binding& binding : l.updates) {
    const int width = width_of(binding.value.type()), slot = reserve(width);
    copy(compile(binding.value, inside), slot, width);
    fresh.push_back(slot);
  }
  for (size_t n = 0; n < l.updates.size(); ++n) {
    copy(fresh[n], inside.at(l.updates[n].symbol), width_of(l.updates[n].value.type()));
  }
  steps_[emit_jump(Opcode::jump, 0)].c = again;
  land(to_end);
  return compile(l.result, inside);
}

int TapeCompiler::node(const Call& c, const Expr& e, const Environment& environment) {
  std::vector<int> arguments;
  for (const Expr& argument : c.arguments) arguments.push_back(compile(argument, environment));
  if (!c.callee) {
    return emit({.opcode = Opcode::mathematics,
                 .type = effective(e.type()),
                 .a = arguments.front(),
                 .b = arguments.back(),
                 .c = static_cast<int>(arguments.size()),
                 .math = find_math(c.name)});
  }
  // Calls are expanded: the callee sees its parameters only.
  Environment inside;
  for (size_t n = 0; n < arguments.size(); ++n)
    inside[c.callee->parameters[n].symbol] = arguments[n];
  return function(*c.callee, std::move(inside)).front();
}

int TapeCompiler::reserve(int width) {
  slots_ += width;
  return slots_ - width;
}

int TapeCompiler::emit(TapeStep step) {
  step.to = reserve(1);
  steps_.push_back(step);
  return steps_.back().to;
}

void TapeCompiler::copy(int from, int to, int width) {
  for (int leaf = 0; leaf < width; ++leaf) {
    steps_.push_back({.opcode = Opcode::copy, .to = to + leaf, .a = from + leaf});
  }
}

size_t TapeCompiler::emit_jump(Opcode opcode, int condition) {
  steps_.push_back({.opcode = opcode, .a = condition});
  return steps_.size() - 1;
}

void TapeCompiler::land(size_t jump) { steps_[jump].c = static_cast<int>(steps_.size()); }

Scalar TapeCompiler::effective(const Type& type) const {
  const Scalar scalar = scalar_of(type);
  return precision_ == Precision::wide && is_floating(scalar) ? Scalar::f64 : scalar;
}

}  // namespace mdh::scalar
