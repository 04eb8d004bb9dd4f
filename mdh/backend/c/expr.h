// Scalar expressions and functions in C and in OpenCL C, with the meaning they have in mdh.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "mdh/backend/c/helpers.h"
#include "mdh/backend/c/names.h"
#include "mdh/backend/c/type.h"
#include "mdh/scalar/expr.h"
#include "mdh/scalar/function.h"

namespace mdh::backend {

/// Prints expressions; the interpreter (scalar::Tape) says what they mean. Integers are computed
/// unsigned, so that wrap-around is defined; operations that C leaves undefined or evaluates twice
/// (division, floats to integers, min, max) become calls of helper functions, which the printer
/// collects. So do functions of the user and loops: a loop is a function of what it mentions, thus
/// an expression, and a branch that is not taken is not evaluated. What the interpreter reports as
/// an error has a value here: an index outside of an array field reads the first element.
///
///   in mdh       in memory          in variables
///   bool         unsigned char      _Bool, bool in OpenCL C
///   f16, bf16    unsigned short     float, rounded after every operation
///   record       struct             the same struct; passed to functions by address
///   others       as c_type() says   the same
class ExprPrinter {
 public:
  /// Functions may be called by so many statements; indices are computed in a type that is wide
  /// enough.
  explicit ExprPrinter(Dialect dialect = Dialect::c, int64_t calls = 1,
                       scalar::Scalar index = scalar::Scalar::i64)
      : helpers_(dialect), calls_(calls), index_(index) {}

  /// Variables have their names (c_name) and value types; those of records are structs.
  std::string print(const scalar::Expr& e) { return text(e, {}); }

  /// The same, with names of their own.
  std::string print(const scalar::Expr& e, const Names& names) { return text(e, names); }

  /// Index arithmetic: never overflows or divides by zero, so it is printed plainly.
  std::string print_index(const scalar::Expr& e);

  /// The type of indices, and an index as f wants it.
  std::string index_type() const { return c_type(index_); }
  std::string index_argument(const scalar::Expr& e);

  /// Of an element in memory, and of a value in a variable.
  std::string storage_type(const scalar::Type& type);
  std::string value_type(const scalar::Type& type);

  /// The value of an element in memory, as an expression.
  std::string load(const scalar::Type& type, const std::string& lvalue);

  /// The statement that stores a value.
  std::string store(const scalar::Type& type, const std::string& lvalue, const std::string& value);

  /// Statements that define variables of the given names, of value types, as the results of f.
  /// Arguments are words or expressions in C; those for records are names of variables. A plain
  /// function is printed in place, others become helper functions.
  std::string call(const scalar::Function& f, const std::vector<std::string>& arguments,
                   const std::vector<std::string>& results);

  /// The same for a plain function, as expressions: words, or texts in parentheses.
  std::vector<std::string> values(const scalar::Function& f,
                                  const std::vector<std::string>& arguments);

  /// Definitions of all that was used so far, in an order in which C accepts them.
  std::string helpers() const { return helpers_.text(); }
  Helpers& definitions() { return helpers_; }
  int64_t calls() const { return calls_; }

 private:
  // ---- expressions (expr.cpp)
  std::string text(const scalar::Expr& e, const Names& names);
  std::string node(const scalar::Literal& n, const scalar::Expr& e, const Names& names);
  std::string node(const scalar::Variable& n, const scalar::Expr& e, const Names& names);
  std::string node(const scalar::Unary& n, const scalar::Expr& e, const Names& names);
  std::string node(const scalar::Binary& n, const scalar::Expr& e, const Names& names);
  std::string node(const scalar::Select& n, const scalar::Expr& e, const Names& names);
  std::string node(const scalar::Cast& n, const scalar::Expr& e, const Names& names);
  std::string node(const scalar::FieldOf& n, const scalar::Expr& e, const Names& names);
  std::string node(const scalar::ElementOf& n, const scalar::Expr& e, const Names& names);
  std::string node(const scalar::Make& n, const scalar::Expr& e, const Names& names);
  std::string made_by_name(const scalar::Make& n, const scalar::Expr& e, const Names& names);
  std::string node(const scalar::Loop& n, const scalar::Expr& e, const Names& names);
  std::string node(const scalar::Call& n, const scalar::Expr& e, const Names& names);

  // ---- functions and loops (function.cpp)
  std::string called_in_place(const scalar::Function& f, const std::vector<std::string>& arguments,
                              const std::vector<std::string>& results);
  std::string function(const scalar::Function& f, int64_t calls);
  std::string define_function(const scalar::Function& defined, int64_t calls);
  std::string returned(const scalar::Function& f, const Names& names);
  std::string function_of_values(const scalar::Call& c, const scalar::Expr& e,
                                 const std::string& name);
  std::string loop_body(const scalar::Loop& l, Names& names);
  std::string parameter(const Symbol& symbol, const scalar::Type& type, Names& names);
  std::string argument(const scalar::Expr& e, const Names& names);

  Helpers helpers_;
  int64_t calls_;
  scalar::Scalar index_;
  std::vector<std::pair<scalar::Function, std::string>> functions_;  // and what they are called
};

}  // namespace mdh::backend
