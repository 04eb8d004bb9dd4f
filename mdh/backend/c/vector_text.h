// Expressions on vectors.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mdh/backend/c/vector.h"

namespace mdh::backend {

/// Comparisons give vectors of such integers, which are as wide as what is compared: 0 or all bits.
scalar::Scalar mask_of_width(int bytes);

/// Prints expressions that have lanes (scalar::lanes_ok). All is computed in all lanes, also what a
/// choice does not take; expressions have no effects, and none of them traps. Only loops care who
/// needs them, since they have to end: they run while one of these lanes wants to. They are
/// statements, which stand before what mentions them.
class VectorText {
 public:
  VectorText(ExprPrinter& printer, int64_t lanes, Names names = {})
      : printer_(printer),
        helpers_(printer.definitions()),
        lanes_(lanes),
        names_(std::move(names)) {}

  void bind(const Symbol& symbol, const LaneValue& value) { values_[symbol] = value; }
  LaneValue value(const scalar::Expr& e);

  /// A variable of its own.
  LaneValue named(const LaneValue& value, const scalar::Type& type, const std::string& wish);

  /// What the values need, so far.
  const std::string& statements() const { return statements_; }
  Names& names() { return names_; }

  /// Of a value, as a variable or a parameter.
  std::string type_of(const LaneValue& value, const scalar::Type& type);

 private:
  // ---- expressions (vector_text.cpp)
  LaneValue unary(const scalar::Unary& u, const scalar::Expr& e);
  LaneValue binary(const scalar::Binary& b);
  LaneValue compared(const scalar::Binary& b);
  LaneValue cast(const scalar::Cast& c, const scalar::Expr& e);
  LaneValue chosen(const scalar::Select& s, const scalar::Expr& e);

  std::string type(scalar::Scalar scalar) { return vector_type(helpers_, scalar, lanes_); }
  std::string vector(scalar::Scalar scalar, const LaneValue& v) {
    return as_vector(helpers_, scalar, lanes_, v);
  }
  std::string operand(scalar::Scalar scalar, const LaneValue& v);
  LaneValue result(scalar::Scalar scalar, const std::string& text);
  std::string choice(scalar::Scalar scalar);
  LaneValue extreme(const scalar::Binary& b, const LaneValue& left, const LaneValue& right);

  // ---- truth
  std::string mask(const LaneValue& v, int bytes);
  LaneValue logical(scalar::BinaryOp op, const LaneValue& a, const LaneValue& b);
  LaneValue inverted(const LaneValue& v);
  std::string any(const LaneValue& v);

  /// What is computed by the lanes only in which something holds.
  LaneValue value_where(const LaneValue& holds, const scalar::Expr& e);

  // ---- loops (vector_loop.cpp)
  struct State;
  LaneValue looped(const scalar::Loop& l, const scalar::Expr& e);
  LaneValue looped_alike(const scalar::Expr& e);
  std::string printed_alike(const scalar::Expr& e);
  bool is_alike(const scalar::Expr& e) const;
  std::vector<State> states_of(const scalar::Loop& l);
  void find_alike(const scalar::Loop& l, std::vector<State>& states);
  std::string declared(const std::vector<State>& states);
  std::string updated(const scalar::Loop& l, const std::vector<State>& states,
                      const LaneValue* mask);
  std::string run_together(const scalar::Loop& l, const std::vector<State>& states);
  std::string run_apart(const scalar::Loop& l, const std::vector<State>& states);
  int width_of_truth(const scalar::Expr& e) const;

  ExprPrinter& printer_;
  Helpers& helpers_;
  int64_t lanes_;
  Names names_;
  std::map<Symbol, LaneValue> values_;
  std::string statements_;
  std::optional<LaneValue> where_;  // the lanes that need what is printed; all if nothing is said
};

}  // namespace mdh::backend
