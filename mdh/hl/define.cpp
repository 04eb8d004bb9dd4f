#include "mdh/hl/define.h"

#include "mdh/scalar/combiner.h"

namespace mdh::hl {
namespace {

using scalar::Scalar;
using scalar::Undecided;

/// Stands for a question about an index set until the operator is compiled.
scalar::Function question_of(const std::string& name) {
  const Type type = name[0] == 'i' ? Scalar::boolean : Scalar::i64;
  const scalar::Value none;
  return {name,
          {{scalar::local("x"), Scalar::i64}},
          {{scalar::local(returned), scalar::literal(type, none), {}}},
          {}};
}

}  // namespace

void declare_operands(scalar::Scope& inside, const Location& where) {
  for (const char* side : {"lhs", "rhs"}) {
    inside.declare_local(side, Undecided::name, "operand", where);
    for (const char* question : {"in_", "last_"}) {
      inside.declare_function(question_of(std::string(question) + side), where);
    }
  }
}

void declare_operator(const std::string& name, scalar::Scope& scope, const Location& where) {
  const bool is_shape = name == "cc" || name == "pw" || name == "ps";
  if (is_shape || scalar::find_combiner(name)) {
    user_error("E110", where, fmt::format("the name '{}' is built in", name),
               "choose another name");
  }
  scope.declare_local(name, scalar::Undecided::name, "operator", where);
}

}  // namespace mdh::hl
