#include "mdh/codegen/c_vector.h"

#include <fmt/format.h>

#include <map>

#include "mdh/codegen/c_operation.h"
#include "mdh/scalar/operator_table.h"
#include "mdh/support/text.h"

namespace mdh::codegen {
namespace {

using scalar::BinaryOp;
using scalar::Expr;
using scalar::Scalar;

/// Comparisons give vectors of such integers: 0, or all bits.
Scalar mask_type(Scalar type) {
  switch (scalar::bytes_of(type)) {
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

class VectorText {
 public:
  VectorText(ExprPrinter& printer, const scalar::Function& f,
             const std::vector<LaneValue>& arguments, int64_t lanes)
      : helpers_(printer.definitions()), lanes_(lanes) {
    for (size_t n = 0; n < arguments.size(); ++n) {
      values_[f.parameters[n].symbol] = arguments[n];
    }
  }

  LaneValue value(const Expr& e) {
    if (const auto* v = e.as<scalar::Variable>()) return values_.at(v->symbol);
    if (const auto* u = e.as<scalar::Unary>()) return negated(*u, e);
    if (const auto* b = e.as<scalar::Binary>()) return binary(*b);
    if (const auto* c = e.as<scalar::Cast>()) return cast(*c, e);
    if (const auto* s = e.as<scalar::Select>()) return chosen(*s, e);
    ExprPrinter literal(helpers_.dialect());
    helpers_.value_type(scalar_of(e.type()));
    return {literal.print(e), false};
  }

 private:
  std::string type(Scalar scalar) { return vector_type(helpers_, scalar, lanes_); }
  std::string vector(Scalar scalar, const LaneValue& v) {
    return as_vector(helpers_, scalar, lanes_, v);
  }

  /// In the type that it is computed in.
  std::string operand(Scalar scalar, const LaneValue& v) {
    const Scalar wide = computed_in(scalar);
    if (wide == scalar) return v.text;
    return fmt::format("({}){}", v.is_vector ? type(wide) : c_type(wide), v.text);
  }
  LaneValue result(Scalar scalar, const std::string& text) {
    if (computed_in(scalar) == scalar) return {"(" + text + ")", true};
    return {fmt::format("(({})({}))", type(scalar), text), true};
  }

  LaneValue negated(const scalar::Unary& u, const Expr& e) {
    const LaneValue v = value(u.operand);
    const Scalar scalar = scalar_of(e.type());
    if (!v.is_vector) return {c_unary(helpers_, u.op, scalar, v.text), false};
    return result(scalar, "-" + operand(scalar, v));
  }

  LaneValue binary(const scalar::Binary& b) {
    const LaneValue left = value(b.left), right = value(b.right);
    const Scalar scalar = scalar_of(b.left.type());
    if (!left.is_vector && !right.is_vector) {
      return {c_binary(helpers_, b.op, scalar, left.text, right.text), false};
    }
    if (b.op == BinaryOp::minimum || b.op == BinaryOp::maximum) {
      return {fmt::format("{}({}, {})", extreme(b.op, scalar), vector(scalar, left),
                          vector(scalar, right)),
              true};
    }
    return result(scalar, fmt::format("{} {} {}", operand(scalar, left),
                                      scalar::operator_row(b.op).text, operand(scalar, right)));
  }

  LaneValue cast(const scalar::Cast& c, const Expr& e) {
    const LaneValue v = value(c.operand);
    const Scalar from = scalar_of(c.operand.type()), to = scalar_of(e.type());
    if (!v.is_vector) return {c_cast(helpers_, from, to, v.text), false};
    if (scalar::is_floating(from) == scalar::is_floating(to)) {
      return {fmt::format("(({}){})", type(to), v.text), true};
    }
    return {fmt::format("__builtin_convertvector({}, {})", v.text, type(to)), true};
  }

  LaneValue chosen(const scalar::Select& s, const Expr& e) {
    const auto* c = s.condition.as<scalar::Binary>();
    const Scalar compared = scalar_of(c->left.type()), scalar = scalar_of(e.type());
    const LaneValue left = value(c->left), right = value(c->right), then = value(s.then),
                    otherwise = value(s.otherwise);
    if (!left.is_vector && !right.is_vector && !then.is_vector && !otherwise.is_vector) {
      return {
          fmt::format("({} ? {} : {})", c_binary(helpers_, c->op, compared, left.text, right.text),
                      then.text, otherwise.text),
          false};
    }
    const std::string mask = fmt::format("{} {} {}", vector(compared, left),
                                         scalar::operator_row(c->op).text, vector(compared, right));
    return {fmt::format("{}({}, {}, {})", choice(scalar), mask, vector(scalar, then),
                        vector(scalar, otherwise)),
            true};
  }

  std::string choice(Scalar scalar) {
    const std::string mask = type(mask_type(scalar)), mine = type(scalar);
    const std::string name = "mdh_choose_" + mine;
    helpers_.define_operation(name, fmt::format("static inline {0} {1}({2} m, {0} a, {0} b) {{\n"
                                                "  return ({0})((({2})a & m) | (({2})b & ~m));\n}}",
                                                mine, name, mask));
    return name;
  }

  /// Of two numbers one of which is not a number, the other one.
  std::string extreme(BinaryOp op, Scalar scalar) {
    const std::string mask = type(mask_type(scalar)), mine = type(scalar);
    const bool is_minimum = op == BinaryOp::minimum;
    const std::string name = fmt::format("mdh_{}_{}", is_minimum ? "min" : "max", mine);
    helpers_.define_operation(
        name, fmt::format("static inline {0} {1}({0} a, {0} b) {{\n"
                          "  const {2} m = ({2})(a {3} b){4};\n"
                          "  return ({0})((({2})a & m) | (({2})b & ~m));\n}}",
                          mine, name, mask, is_minimum ? "<" : ">",
                          scalar::is_floating(scalar) ? fmt::format(" | ({})(b != b)", mask) : ""));
    return name;
  }

  Helpers& helpers_;
  int64_t lanes_;
  std::map<Symbol, LaneValue> values_;
};

}  // namespace

std::string vector_type(Helpers& helpers, Scalar type, int64_t lanes) {
  const std::string name = fmt::format("{}x{}", to_string(type), lanes);
  helpers.define_type(
      name, fmt::format("typedef {} {} __attribute__((vector_size({})));", helpers.value_type(type),
                        name, lanes * scalar::bytes_of(type)));
  return name;
}

std::string unaligned_vector_type(Helpers& helpers, Scalar type, int64_t lanes) {
  const std::string name = fmt::format("{}x{}_at", to_string(type), lanes);
  helpers.define_type(
      name, fmt::format("typedef {} {} __attribute__((vector_size({}), aligned({}), may_alias));",
                        helpers.value_type(type), name, lanes * scalar::bytes_of(type),
                        scalar::bytes_of(type)));
  return name;
}

std::string as_vector(Helpers& helpers, Scalar type, int64_t lanes, const LaneValue& value) {
  if (value.is_vector) return value.text;
  const std::vector<std::string> all(static_cast<size_t>(lanes), value.text);
  return fmt::format("(({}){{{}}})", vector_type(helpers, type, lanes), join(all, ", "));
}

std::vector<LaneValue> vector_call(ExprPrinter& printer, const scalar::Function& f,
                                   const std::vector<LaneValue>& arguments, int64_t lanes) {
  VectorText text(printer, f, arguments, lanes);
  std::vector<LaneValue> results;
  for (const scalar::Assignment& result : f.results) results.push_back(text.value(result.value));
  return results;
}

}  // namespace mdh::codegen
