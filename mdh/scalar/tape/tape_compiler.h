// Expressions to tape steps.
#pragma once

#include <map>
#include <vector>

#include "mdh/scalar/tape/tape.h"

namespace mdh::scalar {

class TapeCompiler {
 public:
  explicit TapeCompiler(Precision precision) : precision_(precision) {}

  /// Where names have their values: the first of their slots.
  using Environment = std::map<Symbol, int>;

  /// Reserves slots for the parameters, first of all.
  Environment parameters(const Function& f);

  /// The slots of all leaves of all results.
  std::vector<int> function(const Function& f, Environment environment);

  int slots() const { return slots_; }
  std::vector<TapeStep> take_steps() { return std::move(steps_); }

 private:
  using Opcode = TapeStep::Opcode;

  int compile(const Expr& e, const Environment& environment);
  int node(const Literal& literal, const Expr& e, const Environment& environment);
  int node(const Variable& v, const Expr& e, const Environment& environment);
  int node(const Unary& u, const Expr& e, const Environment& environment);
  int node(const Binary& b, const Expr& e, const Environment& environment);
  int node(const Select& s, const Expr& e, const Environment& environment);
  int node(const Cast& c, const Expr& e, const Environment& environment);
  int node(const FieldOf& f, const Expr& e, const Environment& environment);
  int node(const ElementOf& at, const Expr& e, const Environment& environment);
  int node(const Make& m, const Expr& e, const Environment& environment);
  int node(const Loop& l, const Expr& e, const Environment& environment);
  int node(const Call& c, const Expr& e, const Environment& environment);

  int reserve(int width);
  int emit(TapeStep step);
  void copy(int from, int to, int width);
  size_t emit_jump(Opcode opcode, int condition);
  void land(size_t jump);
  Scalar effective(const Type& type) const;

  Precision precision_;
  int slots_ = 0;
  int depth_ = 0;   // of the expression that is being compiled
  Location whole_;  // the outermost one
  std::vector<TapeStep> steps_;
};

}  // namespace mdh::scalar
