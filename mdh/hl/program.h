// The high-level representation: what to compute, and nothing about how.
//
//   program   = name < parameters > = out_view * md_hom * inp_view
//   out_view  = buffer views          where each component of a result goes
//   md_hom    = dimensions, f         ⊛1 over i1 ( ... ⊛D over iD ( f(inputs at the point) ) )
//   inp_view  = buffer views          what f sees at a point
//   view      = buffer name, type, declared extents, accesses
//   access    = name, one index function per buffer dimension
//
// MatVec, w = M v, reads: for every point (i, k) of an I x K index set take M[i, k] and v[k],
// multiply, concatenate the results along i (cc), add them up along k (pw(add)), and store the
// value that remains for i at w[i].
//
//   out_view( w: T = [i] ) * md_hom( i: I by cc, k: K by pw(add) ) { w = M * v; } * inp_view( M: T
//   = [i, k]; v: T = [k] )
//
// A program may be generic: its parameters (types, sizes, constants) are bound by instantiate().
// What follows in the pipeline needs a concrete program, one without parameters.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mdh/scalar/expr.h"
#include "mdh/scalar/function.h"

namespace mdh::hl {

using scalar::Expr;
using scalar::Type;

struct Parameter {
  enum class Kind { type, size, value };
  Kind kind = Kind::size;
  Symbol symbol;
  Type type;  // of a value; i64 for a size; the default for a type (undecided: none)
  std::optional<Expr> value;  // default of a size or value
  Location where;
  friend bool operator==(const Parameter&, const Parameter&) = default;
};

/// One way in which f reads (or a result is written to) a buffer; f knows it by `symbol`.
struct Access {
  Symbol symbol;
  std::vector<Expr> index;
  Location where;
  friend bool operator==(const Access&, const Access&) = default;
};

struct BufferView {
  Symbol symbol;
  Type type;
  std::vector<Expr> declared;  // extents the user asks for; empty: inferred
  std::vector<Access> accesses;
  Location where;
  friend bool operator==(const BufferView&, const BufferView&) = default;
};

/// How the results along a dimension are combined (⊛).
enum class Shape {
  concatenate,  // cc: results stay side by side
  pointwise,    // pw(⊕): results are folded into one
};

struct CombineOperator {
  Shape shape = Shape::concatenate;
  std::vector<std::string> operators;  // ⊕: one name for all components, or one for each
  friend bool operator==(const CombineOperator&, const CombineOperator&) = default;
};

struct Dimension {
  Symbol symbol;
  Expr size;
  CombineOperator combine;
  Location where;
  friend bool operator==(const Dimension&, const Dimension&) = default;
};

struct Program {
  std::string name;
  std::vector<Parameter> parameters;
  std::vector<BufferView> outputs;
  std::vector<Dimension> dimensions;
  std::vector<scalar::Assignment> body;  // one assignment per output access
  std::vector<BufferView> inputs;
  Location where;
  friend bool operator==(const Program&, const Program&) = default;
};

bool is_concrete(const Program& p);

/// The program with every expression replaced; declarations stay.
Program map_expressions(const Program& p, const std::function<Expr(const Expr&)>& change);

/// Symbols numbered anew in declaration order: parameters, outputs, dimensions, inputs.
Program renumbered(const Program& p);

}  // namespace mdh::hl
