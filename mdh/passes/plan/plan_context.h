// What the parts of the planner share.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "mdh/ll/decomposition.h"
#include "mdh/loop/program.h"

namespace mdh::passes {

using scalar::Expr;

struct PlanContext {
  PlanContext(const ll::Program& low, const machine::Machine& machine);
  PlanContext(const PlanContext&) = delete;  // it refers to parts of itself

  ll::Decomposition decomposition;
  const ll::Program& low;
  const hl::Program& computation;
  const machine::Machine& machine;
  const ll::Code& code;
  const ll::Nest &inputs, &outputs;
  ll::Nest scalar;
  int fused;  // outer loops that all phases share
  loop::Program
      result;  // dimensions, digits, the user's buffers, f and ⊕; the planner adds the rest

  int depth() const { return outputs.depth(); }

  /// The digit of a loop, by its position in the scalar phase or in re-composition; the same one in
  /// the loops that all phases share.
  const Symbol& scalar_digit(int position) const { return scalar_digits_[position]; }
  const Symbol& output_digit(int position) const { return output_digits_[position]; }

  /// The digit that counts the parts of a loop of de-composition while f is computed.
  Symbol digit_of_input(int position) const;

  /// Digits of the loops on cores outside of a position, those in `without` left out.
  std::vector<Symbol> cores_around(int position, const std::set<int>& without = {}) const;

  /// A name that nothing else has, as close to the given one as possible.
  Symbol fresh(std::string name);

  /// Adds a temporary and returns its name.
  Symbol add_temporary(loop::Buffer buffer);

 private:
  void declare();
  loop::Emission emission() const;
  std::optional<int> axis_of(const ll::NestLoop& loop) const;
  Symbol add_digit(const ll::NestLoop& loop, const std::string& suffix);
  void add_to_cores(const machine::Layer& layer, const Symbol& digit);

  std::set<std::string> names_;
  std::vector<Symbol> scalar_digits_, output_digits_;
};

/// Index arithmetic of the computation, in the names of loops.
Expr index_of(const Expr& e);

/// "a.2" as a name of loops.
std::string plain_name(std::string name);

}  // namespace mdh::passes
