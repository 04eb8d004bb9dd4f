#include "mdh/backend/c/vector_text.h"

#include <fmt/format.h>

#include "mdh/backend/c/extreme.h"
#include "mdh/backend/c/operation.h"
#include "mdh/scalar/free.h"
#include "mdh/scalar/operator_table.h"

namespace mdh::backend {
namespace {

using scalar::BinaryOp;
using scalar::Expr;
using scalar::Scalar;

Scalar mask_type(Scalar type) { return mask_of_width(scalar::bytes_of(type)); }

/// Integers are computed without sign, so that wrap-around is defined.
Scalar computed_in(Scalar type) {
  switch (type) {
    case Scalar::i8:
      return Scalar::u8;
    case Scalar::i16:
      return Scalar::u16;
    case Scalar::i32:
      return Scalar::u32;
    case Scalar::i64:
      return Scalar::u64;
    default:
      return type;
  }
}

}  // namespace

Scalar mask_of_width(int bytes) {
  switch (bytes) {
    case 1:
      return Scalar::i8;
    case 2:
      return Scalar::i16;
    case 4:
      return Scalar::i32;
    default:
      return Scalar::i64;
  }
}

LaneValue VectorText::value(const Expr& e) {
  if (const auto* v = e.as<scalar::Variable>()) return values_.at(v->symbol);
  if (const auto* u = e.as<scalar::Unary>()) return unary(*u, e);
  if (const auto* b = e.as<scalar::Binary>()) return binary(*b);
  if (const auto* c = e.as<scalar::Cast>()) return cast(*c, e);
  if (const auto* s = e.as<scalar::Select>()) return chosen(*s, e);
  if (const auto* l = e.as<scalar::Loop>()) return looped(*l, e);
  internal_check(e.as<scalar::Literal>() != nullptr, "this expression has no lanes");
  return {printer_.print(e), false};
}

std::string VectorText::type_of(const LaneValue& value, const scalar::Type& type) {
  if (!value.is_vector) return helpers_.value_type(scalar_of(type));
  return this->type(value.mask_bytes > 0 ? mask_of_width(value.mask_bytes) : scalar_of(type));
}

LaneValue VectorText::named(const LaneValue& value, const scalar::Type& type,
                            const std::string& wish) {
  const std::string name = names_.fresh(wish);
  statements_ += fmt::format("const {} {} = {};\n", type_of(value, type), name, value.text);
  return {name, value.is_vector, value.mask_bytes};
}

// ---- numbers

/// In the type that it is computed in. C widens small integers, and a vector of small elements
/// takes no wider scalar.
std::string VectorText::operand(Scalar scalar, const LaneValue& v) {
  const Scalar wide = computed_in(scalar);
  const bool widened = !v.is_vector && scalar::bytes_of(scalar) < 4;
  if (wide == scalar && !widened) return v.text;
  return fmt::format("({}){}", v.is_vector ? type(wide) : c_type(wide), v.text);
}

LaneValue VectorText::result(Scalar scalar, const std::string& text) {
  if (computed_in(scalar) == scalar) return {"(" + text + ")", true};
  return {fmt::format("(({})({}))", type(scalar), text), true};
}

LaneValue VectorText::unary(const scalar::Unary& u, const Expr& e) {
  const LaneValue v = value(u.operand);
  if (u.op == scalar::UnaryOp::logical_not) return inverted(v);
  const Scalar scalar = scalar_of(e.type());
  if (!v.is_vector) return {c_unary(helpers_, u.op, scalar, v.text), false};
  internal_check(u.op == scalar::UnaryOp::negate, "an operator that has no lanes");
  return result(scalar, "-" + operand(scalar, v));
}

LaneValue VectorText::binary(const scalar::Binary& b) {
  if (scalar::is_comparison(b.op)) return compared(b);
  const LaneValue left = value(b.left);
  if (scalar::is_logical(b.op)) {
    if (!scalar::has_loop(b.right)) return logical(b.op, left, value(b.right));
    const LaneValue known = named(left, Scalar::boolean, "holds");
    const bool is_and = b.op == BinaryOp::logical_and;
    return logical(b.op, known, value_where(is_and ? known : inverted(known), b.right));
  }
  const LaneValue right = value(b.right);
  const Scalar scalar = scalar_of(b.left.type());
  if (!left.is_vector && !right.is_vector) {
    return {c_binary(helpers_, b.op, scalar, left.text, right.text), false};
  }
  if (is_extreme(b.op)) return extreme(b, left, right);
  return result(scalar, fmt::format("{} {} {}", operand(scalar, left),
                                    scalar::operator_row(b.op).text, operand(scalar, right)));
}

LaneValue VectorText::extreme(const scalar::Binary& b, const LaneValue& left,
                              const LaneValue& right) {
  const Scalar scalar = scalar_of(b.left.type());
  const auto limited = find_limit(b);
  const bool swapped = limited && limited->value == &b.right;
  const std::string helper =
      limited ? vector_limited(helpers_, b.op, scalar, lanes_, limited->comparison)
              : vector_extreme(helpers_, b.op, scalar, lanes_);
  return {fmt::format("{}({}, {})", helper, vector(scalar, swapped ? right : left),
                      vector(scalar, swapped ? left : right)),
          true};
}

LaneValue VectorText::cast(const scalar::Cast& c, const Expr& e) {
  const LaneValue v = value(c.operand);
  const Scalar from = scalar_of(c.operand.type()), to = scalar_of(e.type());
  if (!v.is_vector) return {c_cast(helpers_, from, to, v.text), false};
  if (scalar::is_floating(from) == scalar::is_floating(to) &&
      scalar::bytes_of(from) == scalar::bytes_of(to)) {
    return {fmt::format("(({}){})", type(to), v.text), true};
  }
  return {fmt::format("__builtin_convertvector({}, {})", v.text, type(to)), true};
}

std::string VectorText::choice(Scalar scalar) {
  const std::string mask = type(mask_type(scalar)), mine = type(scalar);
  const std::string name = "mdh_choose_" + mine;
  helpers_.define_operation(name, fmt::format("static inline {0} {1}({2} m, {0} a, {0} b) {{\n"
                                              "  return ({0})((({2})a & m) | (({2})b & ~m));\n}}",
                                              mine, name, mask));
  return name;
}

// ---- truth

LaneValue VectorText::compared(const scalar::Binary& b) {
  const LaneValue left = value(b.left), right = value(b.right);
  const Scalar scalar = scalar_of(b.left.type());
  if (!left.is_vector && !right.is_vector) {
    return {c_binary(helpers_, b.op, scalar, left.text, right.text), false};
  }
  return {fmt::format("({} {} {})", vector(scalar, left), scalar::operator_row(b.op).text,
                      vector(scalar, right)),
          true, scalar::bytes_of(scalar)};
}

std::string VectorText::mask(const LaneValue& v, int bytes) {
  const Scalar scalar = mask_of_width(bytes);
  if (!v.is_vector) return vector(scalar, {fmt::format("-({}){}", c_type(scalar), v.text), false});
  if (v.mask_bytes == bytes) return v.text;
  return fmt::format("__builtin_convertvector({}, {})", v.text, type(scalar));
}

LaneValue VectorText::logical(BinaryOp op, const LaneValue& a, const LaneValue& b) {
  if (!a.is_vector && !b.is_vector) {
    return {c_binary(helpers_, op, Scalar::boolean, a.text, b.text), false};
  }
  const int bytes = std::max(a.mask_bytes, b.mask_bytes);
  return {fmt::format("({} {} {})", mask(a, bytes), op == BinaryOp::logical_and ? "&" : "|",
                      mask(b, bytes)),
          true, bytes};
}

LaneValue VectorText::inverted(const LaneValue& v) {
  if (!v.is_vector) return {"(!" + v.text + ")", false};
  return {"(~" + v.text + ")", true, v.mask_bytes};
}

LaneValue VectorText::value_where(const LaneValue& holds, const Expr& e) {
  const std::optional<LaneValue> outside = where_;
  where_ = outside ? logical(BinaryOp::logical_and, *outside, holds) : holds;
  const LaneValue result = value(e);
  where_ = outside;
  return result;
}

LaneValue VectorText::chosen(const scalar::Select& s, const Expr& e) {
  const bool runs = scalar::has_loop(s.then) || scalar::has_loop(s.otherwise);
  const LaneValue known = value(s.condition);
  const LaneValue c = runs ? named(known, Scalar::boolean, "holds") : known;
  const LaneValue then = runs ? value_where(c, s.then) : value(s.then);
  const LaneValue other = runs ? value_where(inverted(c), s.otherwise) : value(s.otherwise);
  const bool is_truth = e.type() == scalar::Type(Scalar::boolean);
  if (!c.is_vector && !then.is_vector && !other.is_vector) {
    return {fmt::format("({} ? {} : {})", c.text, then.text, other.text), false};
  }
  if (is_truth) {
    const int bytes = std::max({c.mask_bytes, then.mask_bytes, other.mask_bytes});
    return {fmt::format("{}({}, {}, {})", choice(mask_of_width(bytes)), mask(c, bytes),
                        mask(then, bytes), mask(other, bytes)),
            true, bytes};
  }
  const Scalar scalar = scalar_of(e.type());
  const std::string a = vector(scalar, then), b = vector(scalar, other);
  // What is loaded has the type of vectors in memory, and gcc wants arms of one type.
  if (!c.is_vector) {
    return {fmt::format("({0} ? ({1}){2} : ({1}){3})", c.text, type(scalar), a, b), true};
  }
  return {fmt::format("{}({}, {}, {})", choice(scalar), mask(c, scalar::bytes_of(scalar)), a, b),
          true};
}

}  // namespace mdh::backend
