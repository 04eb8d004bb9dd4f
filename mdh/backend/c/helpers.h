// Definitions that printed expressions need: operations that C lacks, records, functions, loops.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "mdh/backend/c/type.h"

namespace mdh::backend {

/// A definition that may stand in one source several times.
std::string guarded(const std::string& name, const std::string& definition);

/// Collects definitions, each of them once. Every one is guarded, because several kernels may share
/// one translation unit; what is not the same in all of them has the hash of its text in its name.
class Helpers {
 public:
  explicit Helpers(Dialect dialect) : dialect_(dialect) {}

  Dialect dialect() const { return dialect_; }

  /// The type of a variable. Doubles are an extension of OpenCL C, which is then switched on.
  std::string value_type(scalar::Scalar type);
  std::string storage_type(scalar::Scalar type);

  /// A type or a constant that needs no other helper, and whose name says all.
  void define_type(const std::string& name, const std::string& definition);

  /// A function that stands for one operation on scalars: it needs types only, and its name says
  /// all.
  void define_operation(const std::string& name, const std::string& definition);

  /// `before` NAME `after`, for a name that begins as given. All that it mentions is defined
  /// already. The name.
  std::string define(const std::string& name, const std::string& before, const std::string& after);

  /// Types first, then operations, then the others in the order in which they were defined.
  std::string text() const;

 private:
  void use(scalar::Scalar type);
  std::string in_dialect(std::string definition) const;

  Dialect dialect_;
  bool doubles_ = false;
  std::map<std::string, std::string> types_, operations_;  // name -> definition
  std::vector<std::string> others_;
  std::set<std::string> names_;  // of the others
};

}  // namespace mdh::backend
