// The high-level representation: what to compute, and nothing about how.
//
//   program   = name < parameters > = out_view * md_hom * inp_view
//   out_view  = buffer views          where each component of a result goes
//   md_hom    = dimensions, f         ⊛1 over i1 ( ... ⊛D over iD ( f(inputs at the point) ) )
//   inp_view  = buffer views          what f sees at a point
//   view      = buffer name, type, declared extents, accesses
//   access    = name, one index function per buffer dimension
//
// Before the program a file may define records, functions, operators on scalars (op) and combine
// operators on whole MDAs (combine).
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
  bool dynamic = false;       // a size that is known only at run time, written *
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
  scan,         // ps(⊕): every result is combined with those before it
  custom,       // an operator of the user on whole MDAs
};

struct CombineOperator {
  Shape shape = Shape::concatenate;
  std::vector<std::string> operators;  // ⊕: one name for all components, or one for each; the
                                       // name of a custom operator
  bool to_zero = false;                // custom: the results of all parts have the index 0
  friend bool operator==(const CombineOperator&, const CombineOperator&) = default;
};

struct Dimension {
  Symbol symbol;
  Expr size;
  CombineOperator combine;
  Location where;
  friend bool operator==(const Dimension&, const Dimension&) = default;
};

/// op NAME(l, r) { ... }: ⊕ on scalars, records, or (l.s, r.s) on several outputs. Types are those
/// of the outputs it is used for.
struct UserOperator {
  std::string name;
  Symbol left, right;
  std::vector<scalar::Assignment> body;  // lets, then "return" or one assignment per output
  Location where;
  friend bool operator==(const UserOperator&, const UserOperator&) = default;
};

/// combine NAME(x): same { ... }: the element at index x of the combination of lhs and rhs, written
/// with lhs[..], rhs[..], in_lhs(x), in_rhs(x), and last_lhs(x), last_rhs(x), the greatest index of
/// a side that is not above x, or -1.
struct UserCombine {
  std::string name;
  Symbol index;
  bool to_zero = false;  // "zero": the only index is 0; "same": the indices of both sides
  std::vector<scalar::Assignment> body;  // lets, then "return"
  Location where;
  friend bool operator==(const UserCombine&, const UserCombine&) = default;
};

/// What a file defines before its program.
struct Definitions {
  std::vector<scalar::Record> records;
  std::vector<scalar::Function> functions;
  std::vector<UserOperator> operators;
  std::vector<UserCombine> combines;
  friend bool operator==(const Definitions&, const Definitions&) = default;
};

struct Program {
  std::string name;
  Definitions definitions;
  std::vector<Parameter> parameters;
  std::vector<BufferView> outputs;
  std::vector<Dimension> dimensions;
  std::vector<scalar::Assignment> body;  // one assignment per output access; other names are lets
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
