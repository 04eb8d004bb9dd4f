// Names to symbols: parsed expressions mention bare names; a scope says what they mean.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mdh/scalar/expr.h"
#include "mdh/scalar/function.h"

namespace mdh::scalar {

/// The names visible at one place. Kinds are for messages: "dimension", "size", "access of M".
class Scope {
 public:
  struct Entry {
    Symbol symbol;
    Type type;
    std::string kind;
    std::shared_ptr<const Function> function;  // of kind "function"
  };

  /// Declares a name; a user error if it is taken (names are distinct within a program).
  Symbol declare(const std::string& name, Type type, const std::string& kind,
                 const Location& where);

  /// Names that have no number of their own: see local().
  Symbol declare_local(const std::string& name, Type type, const std::string& kind,
                       const Location& where);
  void declare_record(const Record& record, const Location& where);
  void declare_function(const Function& function, const Location& where);

  const Entry* find(const std::string& name) const;
  std::vector<std::string> names() const;
  std::vector<std::string> names_of_kind(const std::string& kind) const;

 private:
  void check_free(const std::string& name, const Location& where) const;

  std::vector<Entry> entries_;
  int next_ = 0;
};

/// Variables become symbols of the scope; calls become casts (a type's name), operators written as
/// calls, mathematics or functions of the user; records find their type. An unknown name is an
/// error with the nearest known one.
Expr resolve(const Expr& e, const Scope& scope);

/// One call, its arguments resolved already.
Expr resolve_call(const Expr& e, const Scope& scope);

/// A type's name: a scalar type, a record or a type parameter of the scope.
Type resolve_type(const std::string& name, const Location& where, const Scope& scope);

}  // namespace mdh::scalar
