// Scalar expressions: the scalar function f, combine operators, index functions, sizes and loop
// bounds are all written in this one language.
//
//   expr = Literal                       3   0.5   true
//        | Variable                      x
//        | Unary(op, expr)               -x   !x
//        | Binary(op, expr, expr)        x + y   x < y   min(x, y)
//        | Select(expr, expr, expr)      if c then x else y
//        | Cast(type, expr)              f64(x)
//        | FieldOf(expr, name)           a.born
//        | ElementOf(expr, expr)         a.born[2]            of an array field
//        | Make(name, bindings)          best{ id = i, weight = w }
//        | Loop(initial, condition,      loop (k = 0, s = 1.0) while (k < 3)
//               updates, result)           { s = s * x, k = k + 1 } yield s    updates are simultaneous
//        | Call(name, expr*)             sqrt(x), weight(a, b): mathematics, functions of the user
//
// An expression is an immutable value; equal means structurally equal. Every node knows its type,
// bottom-up: literals stay undecided until elaborate() gives them the type their surroundings ask
// for.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "mdh/scalar/type.h"
#include "mdh/scalar/value.h"
#include "mdh/support/diagnostic.h"
#include "mdh/support/symbol.h"

namespace mdh::scalar {

struct ExprNode;

class Expr {
 public:
  Expr(ExprNode node);  // NOLINT(google-explicit-constructor): nodes are expressions

  const ExprNode& node() const { return *node_; }
  const Type& type() const;
  const Location& where() const;
  template <class T>
  const T* as() const;
  bool same_as(const Expr& other) const { return node_ == other.node_; }
  friend bool operator==(const Expr& a, const Expr& b);

 private:
  std::shared_ptr<const ExprNode> node_;
};

struct Literal {
  Value value;
  friend bool operator==(const Literal&, const Literal&) = default;
};

struct Variable {
  Symbol symbol;
  friend bool operator==(const Variable&, const Variable&) = default;
};

enum class UnaryOp : uint8_t { negate, logical_not, bit_not };

struct Unary {
  UnaryOp op;
  Expr operand;
  friend bool operator==(const Unary&, const Unary&) = default;
};

enum class BinaryOp : uint8_t {
  logical_or,
  logical_and,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  bit_or,
  bit_xor,
  bit_and,
  shift_left,
  shift_right,
  add,
  subtract,
  multiply,
  divide,
  remainder,
  minimum,
  maximum,
};

struct Binary {
  BinaryOp op;
  Expr left;
  Expr right;
  friend bool operator==(const Binary&, const Binary&) = default;
};

struct Select {
  Expr condition;
  Expr then;
  Expr otherwise;
  friend bool operator==(const Select&, const Select&) = default;
};

struct Cast {
  Expr operand;  // the target type is the node's type
  friend bool operator==(const Cast&, const Cast&) = default;
};

struct FieldOf {
  Expr operand;
  std::string field;
  friend bool operator==(const FieldOf&, const FieldOf&) = default;
};

struct ElementOf {
  Expr operand;  // of an array type
  Expr index;    // i64
  friend bool operator==(const ElementOf&, const ElementOf&) = default;
};

struct Binding {
  Symbol symbol;
  Expr value;
  friend bool operator==(const Binding&, const Binding&) = default;
};

struct Make {
  std::string record;
  std::vector<Binding> fields;  // in the order in which they are written
  friend bool operator==(const Make&, const Make&) = default;
};

struct Loop {
  std::vector<Binding> initial;
  Expr condition;
  std::vector<Binding> updates;
  Expr result;
  friend bool operator==(const Loop&, const Loop&) = default;
};

struct Function;

/// A function of the table of mathematics, or one that the user defined. What it means is not part
/// of comparisons: programs define their functions themselves.
struct Call {
  std::string name;
  std::vector<Expr> arguments;
  std::shared_ptr<const Function> callee;  // the user's; none for mathematics
  friend bool operator==(const Call& a, const Call& b) {
    return a.name == b.name && a.arguments == b.arguments;
  }
};

struct ExprNode {
  std::variant<Literal, Variable, Unary, Binary, Select, Cast, FieldOf, ElementOf, Make, Loop, Call>
      is;
  Type type;
  Location where;
  friend bool operator==(const ExprNode&, const ExprNode&) = default;
};

template <class T>
const T* Expr::as() const {
  return std::get_if<T>(&node().is);
}

// ---- construction

Expr literal(Type type, Value value, Location where = {});
Expr integer(int64_t value, Location where = {});  // an undecided integer literal
Expr decimal(double value, Location where = {});   // an undecided decimal literal
Expr index_literal(int64_t value);                 // an i64
Expr variable(Symbol symbol, Type type, Location where = {});
Expr unary(UnaryOp op, Expr operand, Location where = {});
Expr binary(BinaryOp op, Expr left, Expr right, Location where = {});
Expr select(Expr condition, Expr then, Expr otherwise, Location where = {});
Expr cast(Type type, Expr operand, Location where = {});
Expr field_of(Expr operand, std::string field, Location where = {});
Expr element_of(Expr operand, Expr index, Location where = {});
Expr make(Type record, Make fields, Location where = {});
Expr loop(Loop parts, Location where = {});
Expr call(Call parts, Type type, Location where = {});

/// Names that belong to a part of a program only (lets, loop variables, parameters of functions).
/// All of them have one number, because they are told apart by their names.
Symbol local(std::string name);

// ---- structure

bool is_comparison(BinaryOp op);
bool is_logical(BinaryOp op);

/// The type two operands agree on: a literal gives way to its partner; different decided types
/// agree on nothing, and the left one is taken until elaborate() reports it.
Type joined(const Type& left, const Type& right);
Type joined_type(const std::vector<Expr>& operands);

void for_each_child(const Expr& e, const std::function<void(const Expr&)>& visit);

/// The same expression with every direct child replaced; the same node if nothing changed.
Expr map_children(const Expr& e, const std::function<Expr(const Expr&)>& change);

/// Replaces variables bottom-up; a function that returns nothing leaves the variable as it is.
Expr substitute(const Expr& e,
                const std::function<std::optional<Expr>(const Variable&, const Expr&)>& change);

bool mentions(const Expr& e, const Symbol& symbol);

/// The number of a literal that is an integer, or nothing.
std::optional<int64_t> constant(const Expr& e);

}  // namespace mdh::scalar
