#include "mdh/scalar/elaborate.h"

#include <algorithm>
#include <cmath>

#include "mdh/scalar/function.h"
#include "mdh/scalar/mathematics.h"
#include "mdh/scalar/operator_table.h"
#include "mdh/scalar/print.h"
#include "mdh/support/text.h"

namespace mdh::scalar {
namespace {

Type decided(const Type& type, const Type& expected) {
  if (!type.is_undecided()) return type;
  const bool whole = type == Type(Undecided::integer);
  if (expected.is_scalar() && scalar_of(expected) != Scalar::boolean) return expected;
  return whole ? Scalar::i64 : Scalar::f64;
}

[[noreturn]] void does_not_fit(const Expr& e, Scalar type) {
  const char* hint = !is_floating(type)                     ? "use an integer in range, or cast"
                     : e.type() == Type(Undecided::integer) ? "write it with a decimal point"
                                                            : "use f64, or a smaller number";
  user_error("E121", e.where(),
             fmt::format("the literal {} has no exact value of type {}", print(e), to_string(type)),
             hint);
}

/// The value that a whole or decimal literal has in a type, or nothing if it has none.
std::optional<Value> fitted(const Expr& e, Scalar type) {
  const Value value = e.as<Literal>()->value;
  if (e.type() == Type(Undecided::decimal) || e.type() == Type(Scalar::f64)) {
    const Value rounded = from_floating(type, value.as_floating());
    const bool fits = is_floating(type) && std::isfinite(rounded.as_floating());
    return fits ? std::optional(rounded) : std::nullopt;
  }
  // The bits of a negative number would make sense as a u64, but they are another number.
  const bool negative_u64 = type == Scalar::u64 && value.as_integer() < 0;
  if (type == Scalar::boolean || negative_u64) return std::nullopt;
  const Value whole = from_integer(type, value.as_integer());
  const bool exact = is_floating(type)
                         ? std::abs(whole.as_floating()) <= 0x1p53 &&
                               static_cast<int64_t>(whole.as_floating()) == value.as_integer()
                         : whole == value;
  return exact ? std::optional(whole) : std::nullopt;
}

Expr typed_literal(const Expr& e, Scalar type) {
  const std::optional<Value> value = fitted(e, type);
  if (!value) does_not_fit(e, type);
  return literal(type, *value, e.where());
}

void demand(bool holds, const Expr& e, const std::string& what) {
  if (!holds) user_error("E122", e.where(), what);
}

Expr typed(const Expr& e, const Type& expected);

/// f32(0.1) is a literal that says its type; a cast of a number the type does not have converts it.
/// Literals that were i64 or f64 before are no different, because they are printed the same.
Expr elaborate_cast(const Expr& operand, const Expr& e) {
  Expr inner = typed(operand, Type());
  demand(inner.type().is_scalar() && e.type().is_scalar(), e, "only scalars can be cast");
  const bool plain = inner.type() == Type(Scalar::i64) || inner.type() == Type(Scalar::f64);
  if (inner.as<Literal>() && plain) {
    const std::optional<Value> value = fitted(inner, scalar_of(e.type()));
    if (value) return literal(e.type(), *value, e.where());
  }
  return cast(e.type(), std::move(inner), e.where());
}

Expr elaborate_binary(const Binary& b, const Expr& e, const Type& expected) {
  const std::string_view text = operator_row(b.op).text;
  const bool compares = is_comparison(b.op), combines_truth = is_logical(b.op);
  const Type shared =
      combines_truth ? Type(Scalar::boolean)
                     : decided(joined(b.left.type(), b.right.type()), compares ? Type() : expected);
  demand(shared.is_scalar(), e, fmt::format("'{}' needs scalars, got {}", text, to_string(shared)));
  Expr left = typed(b.left, shared), right = typed(b.right, shared);
  const Scalar type = scalar_of(shared);
  const bool bits = b.op >= BinaryOp::bit_or && b.op <= BinaryOp::bit_and;
  const bool shifts = b.op == BinaryOp::shift_left || b.op == BinaryOp::shift_right;
  const bool arithmetic = b.op >= BinaryOp::add;
  demand(!bits || !is_floating(type), e,
         fmt::format("'{}' needs integers or bool, got {}", text, to_string(type)));
  demand(!arithmetic || type != Scalar::boolean, e,
         fmt::format("'{}' needs numbers, got bool", text));
  demand((b.op != BinaryOp::remainder && !shifts) || is_integer(type), e,
         fmt::format("'{}' needs integers, got {}", text, to_string(type)));
  return binary(b.op, std::move(left), std::move(right), e.where());
}

Expr elaborate_field(const FieldOf& f, const Expr& e) {
  Expr operand = typed(f.operand, Type());
  const Record* record = operand.type().record();
  if (!record || !record->find(f.field)) {
    std::vector<std::string> names;
    for (size_t n = 0; record && n < record->fields.size(); ++n) {
      names.push_back(record->fields[n].name);
    }
    user_error("E123", e.where(),
               fmt::format("'{}' of type {} has no field '{}'", print(f.operand),
                           to_string(operand.type()), f.field),
               record ? suggestion(f.field, names) : "only records have fields");
  }
  return field_of(std::move(operand), f.field, e.where());
}

Expr elaborate_element(const ElementOf& at, const Expr& e) {
  Expr operand = typed(at.operand, Type());
  if (!operand.type().array()) {
    user_error("E124", e.where(),
               fmt::format("'{}' of type {} cannot be indexed", print(at.operand),
                           to_string(operand.type())),
               "only array fields of records have elements");
  }
  return element_of(std::move(operand), typed(at.index, Scalar::i64), e.where());
}

Expr elaborate_record(const Make& m, const Expr& e) {
  const Record& record = *e.type().record();
  Make result{m.record, {}};
  for (const Binding& binding : m.fields) {
    const Field* field = record.find(binding.symbol.name);
    const bool twice = std::any_of(result.fields.begin(), result.fields.end(),
                                   [&](const Binding& b) { return b.symbol == binding.symbol; });
    if (!field || twice) {
      user_error("E125", binding.value.where(),
                 fmt::format("record {} has no field '{}', or it is given twice", m.record,
                             binding.symbol.name),
                 "give every field once");
    }
    result.fields.push_back({binding.symbol, typed(binding.value, type_of(*field))});
  }
  if (result.fields.size() != record.fields.size()) {
    user_error("E125", e.where(),
               fmt::format("{} of {} fields of record {} are given", result.fields.size(),
                           record.fields.size(), m.record),
               "give every field once");
  }
  return make(e.type(), std::move(result), e.where());
}

Expr elaborate_loop(const Loop& l, const Expr& e, const Type& expected) {
  Loop result = l;
  result.condition = typed(l.condition, Scalar::boolean);
  for (Binding& update : result.updates) {
    for (const Binding& binding : result.initial) {
      if (binding.symbol == update.symbol) update.value = typed(update.value, binding.value.type());
    }
  }
  result.result = typed(l.result, expected);
  return loop(std::move(result), e.where());
}

Expr elaborate_call(const Call& c, const Expr& e, const Type& expected) {
  Call result = c;
  if (c.callee) {
    for (size_t n = 0; n < c.arguments.size(); ++n) {
      result.arguments[n] = typed(c.arguments[n], c.callee->parameters[n].type);
    }
    return call(std::move(result), e.type(), e.where());
  }
  const Type shared = decided(e.type(), expected);
  const MathFunction* math = find_math(c.name);
  const bool fits = shared.is_scalar() && (is_floating(scalar_of(shared)) ||
                                           (math->for_integers && is_integer(scalar_of(shared))));
  demand(fits, e,
         fmt::format("'{}' needs {}, got {}", c.name,
                     math->for_integers ? "numbers" : "floating-point numbers", to_string(shared)));
  for (Expr& argument : result.arguments) argument = typed(argument, shared);
  return call(std::move(result), shared, e.where());
}

Expr elaborate_children(const Expr& e, const Type& expected) {
  if (e.as<Literal>()) {
    if (!e.type().is_undecided()) return e;
    return typed_literal(e, scalar_of(decided(e.type(), expected)));
  }
  if (const auto* u = e.as<Unary>()) {
    const bool is_not = u->op == UnaryOp::logical_not;
    const Type inner = is_not ? Type(Scalar::boolean) : decided(u->operand.type(), expected);
    const bool is_number = inner.is_scalar() && inner != Type(Scalar::boolean);
    demand(u->op != UnaryOp::negate || is_number, e,
           fmt::format("'-' needs a number, got {}", to_string(inner)));
    demand(u->op != UnaryOp::bit_not || (is_number && is_integer(scalar_of(inner))), e,
           fmt::format("'~' needs an integer, got {}", to_string(inner)));
    return unary(u->op, typed(u->operand, inner), e.where());
  }
  if (const auto* b = e.as<Binary>()) return elaborate_binary(*b, e, expected);
  if (const auto* s = e.as<Select>()) {
    const Type shared = decided(joined(s->then.type(), s->otherwise.type()), expected);
    return select(typed(s->condition, Scalar::boolean), typed(s->then, shared),
                  typed(s->otherwise, shared), e.where());
  }
  if (const auto* c = e.as<Cast>()) return elaborate_cast(c->operand, e);
  if (const auto* f = e.as<FieldOf>()) return elaborate_field(*f, e);
  if (const auto* at = e.as<ElementOf>()) return elaborate_element(*at, e);
  if (const auto* m = e.as<Make>()) return elaborate_record(*m, e);
  if (const auto* l = e.as<Loop>()) return elaborate_loop(*l, e, expected);
  if (const auto* c = e.as<Call>()) return elaborate_call(*c, e, expected);
  return e;
}

Expr typed(const Expr& e, const Type& expected) {
  Expr result = elaborate_children(e, expected);
  if (!expected.is_undecided() && result.type() != expected) {
    user_error("E120", e.where(),
               fmt::format("'{}' has type {}, but {} is needed here", print(e),
                           to_string(result.type()), to_string(expected)),
               expected.is_scalar() && result.type().is_scalar()
                   ? fmt::format("convert it explicitly: {}({})", to_string(expected), print(e))
                   : "");
  }
  return result;
}

/// Gives names their types from the inside out, so that every node knows its own. A loop's initial
/// values decide the types of its variables.
Expr annotated(const Expr& e, const LocalTypes& locals) {
  if (const auto* v = e.as<Variable>()) {
    const auto found = locals.find(v->symbol.name);
    if (e.type() != Type(Undecided::name) || found == locals.end()) return e;
    return variable(v->symbol, found->second, e.where());
  }
  if (const auto* l = e.as<Loop>()) {
    Loop result = *l;
    LocalTypes inside = locals;
    for (Binding& binding : result.initial) {
      binding.value = typed(annotated(binding.value, locals), Type());
      inside[binding.symbol.name] = binding.value.type();
    }
    result.condition = annotated(l->condition, inside);
    for (Binding& binding : result.updates) binding.value = annotated(binding.value, inside);
    result.result = annotated(l->result, inside);
    return loop(std::move(result), e.where());
  }
  return map_children(e, [&](const Expr& child) { return annotated(child, locals); });
}

}  // namespace

Expr elaborate(const Expr& e, const Type& expected, const LocalTypes& locals) {
  return typed(annotated(e, locals), expected);
}

}  // namespace mdh::scalar
