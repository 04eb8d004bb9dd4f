#include "mdh/backend/c/record.h"

#include <fmt/format.h>

#include "mdh/support/diagnostic.h"

namespace mdh::backend {
namespace {

using scalar::ArrayType;
using scalar::Record;

std::string defined(Helpers& helpers, const std::string& name, const std::string& members) {
  return "struct " + helpers.define(name, "struct ", fmt::format(" {{{} }};", members));
}

std::string array_structure(Helpers& helpers, const ArrayType& array) {
  const std::string name = fmt::format("array_{}", to_string(array.element));
  const std::string member =
      fmt::format(" {} at[{}];", helpers.storage_type(array.element), array.count);
  return defined(helpers, name, member);
}

}  // namespace

std::string c_structure(Helpers& helpers, const scalar::Type& type) {
  if (const ArrayType* array = type.array()) return array_structure(helpers, *array);
  const Record* record = type.record();
  internal_check(record != nullptr, "{} has no structure", to_string(type));
  std::string members;
  for (const scalar::Field& field : record->fields) {
    const std::string field_type =
        field.count == 0 ? helpers.storage_type(field.type) : c_structure(helpers, type_of(field));
    members += fmt::format(" {} {};", field_type, c_name(field.name));
  }
  return defined(helpers, record->name, members);
}

}  // namespace mdh::backend
