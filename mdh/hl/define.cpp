#include "mdh/hl/define.h"

#include "mdh/scalar/combiner.h"
#include "mdh/scalar/elaborate.h"

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

void add_field(scalar::Record& record, scalar::Field field, const Location& where) {
  if (record.find(field.name)) {
    user_error("E251", where,
               fmt::format("record '{}' has two fields '{}'", record.name, field.name),
               "give every field a name of its own");
  }
  record.fields.push_back(std::move(field));
}

int array_length(int64_t count, const Location& where) {
  if (count < 1 || count > 4096) {
    user_error("E253", where, fmt::format("an array field cannot have {} elements", count),
               "lengths are from 1 to 4096");
  }
  return static_cast<int>(count);
}

void declare_record(const scalar::Record& record, scalar::Scope& scope, const Location& where) {
  if (record.fields.empty()) {
    user_error("E250", where, fmt::format("record '{}' has no fields", record.name),
               "a record has at least one field");
  }
  scope.declare_record(record, where);
}

std::vector<scalar::Assignment> resolved_body(std::vector<scalar::Assignment> body,
                                              scalar::Scope& scope) {
  for (scalar::Assignment& a : body) {
    a.value = resolve(a.value, scope);
    if (a.target.name != returned) {
      scope.declare_local(a.target.name, Undecided::name, "let", a.where);
    }
  }
  return body;
}

scalar::Function typed_function(scalar::Function header, const Type& type,
                                std::vector<scalar::Assignment> body, scalar::Scope inside,
                                const Location& where) {
  scalar::LocalTypes types;
  for (scalar::Assignment& a : resolved_body(std::move(body), inside)) {
    const bool is_result = a.target.name == returned;
    a.value = elaborate(a.value, is_result ? type : Type(), types);
    types[a.target.name] = a.value.type();
    (is_result ? header.results : header.locals).push_back(a);
  }
  if (header.results.size() != 1) {
    user_error("E254", where,
               fmt::format("function '{}' returns {} times", header.name, header.results.size()),
               "end it with exactly one 'return ...;'");
  }
  return header;
}

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
