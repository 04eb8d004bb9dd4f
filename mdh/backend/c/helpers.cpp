#include "mdh/backend/c/helpers.h"

#include <fmt/format.h>

#include "mdh/support/hash.h"

namespace mdh::backend {

std::string guarded(const std::string& name, const std::string& definition) {
  return fmt::format("#ifndef {0}_defined\n#define {0}_defined\n{1}\n#endif\n", name, definition);
}

void Helpers::use(scalar::Scalar type) { doubles_ = doubles_ || type == scalar::Scalar::f64; }

std::string Helpers::value_type(scalar::Scalar type) {
  use(type);
  return backend::value_type(dialect_, type);
}

std::string Helpers::storage_type(scalar::Scalar type) {
  use(type);
  return backend::storage_type(type);
}

void Helpers::define_type(const std::string& name, const std::string& definition) {
  types_[name] = guarded("mdh_" + name, definition);
}

void Helpers::define_operation(const std::string& name, const std::string& definition) {
  operations_[name] = guarded(name, in_dialect(definition));
}

/// Functions are written down as C begins them.
std::string Helpers::in_dialect(std::string definition) const {
  const std::string in_c = "static inline", &mine = facts_of(dialect_).function;
  if (mine == in_c) return definition;
  for (size_t at = definition.find(in_c); at != std::string::npos;
       at = definition.find(in_c, at + mine.size())) {
    definition.replace(at, in_c.size(), mine);
  }
  return definition;
}

std::string Helpers::define(const std::string& name, const std::string& before,
                            const std::string& after) {
  const std::string full =
      fmt::format("mdh_{}_{}", identifier(name), hash_name(name + before + after));
  if (names_.insert(full).second) {
    others_.push_back(guarded(full, in_dialect(before) + full + after));
  }
  return full;
}

std::string Helpers::text() const {
  std::string text = doubles_ ? facts_of(dialect_).doubles : "";
  for (const auto& [name, definition] : types_) text += definition;
  for (const auto& [name, definition] : operations_) text += definition;
  for (const std::string& definition : others_) text += definition;
  return text;
}

}  // namespace mdh::backend
