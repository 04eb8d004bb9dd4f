#include "mdh/scalar/define.h"

#include "mdh/scalar/elaborate.h"

namespace mdh::scalar {

void add_field(Record& record, Field field, const Location& where) {
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

void declare_record(const Record& record, Scope& scope, const Location& where) {
  if (record.fields.empty()) {
    user_error("E250", where, fmt::format("record '{}' has no fields", record.name),
               "a record has at least one field");
  }
  scope.declare_record(record, where);
}

std::vector<Assignment> resolved_body(std::vector<Assignment> body, Scope& scope) {
  for (Assignment& a : body) {
    a.value = resolve(a.value, scope);
    if (a.target.name != returned) {
      scope.declare_local(a.target.name, Undecided::name, "let", a.where);
    }
  }
  return body;
}

Function typed_function(Function header, const Type& type, std::vector<Assignment> body,
                        Scope inside, const Location& where) {
  LocalTypes types;
  for (Assignment& a : resolved_body(std::move(body), inside)) {
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

}  // namespace mdh::scalar
