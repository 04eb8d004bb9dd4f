// Names to symbols: parsed expressions mention bare names; a scope says what they mean.
#pragma once

#include <string>
#include <vector>

#include "mdh/scalar/expr.h"

namespace mdh::scalar {

/// The names visible at one place. Kinds are for messages: "dimension", "size", "access of M".
class Scope {
 public:
  struct Entry {
    Symbol symbol;
    Type type;
    std::string kind;
  };

  /// Declares a name; a user error if it is taken (names are distinct within a program).
  Symbol declare(const std::string& name, Type type, const std::string& kind,
                 const Location& where);
  const Entry* find(const std::string& name) const;
  std::vector<std::string> names() const;

  /// The next free number: symbols are numbered in declaration order.
  int next_id() const { return next_; }

 private:
  std::vector<Entry> entries_;
  int next_ = 0;
};

/// Variables become symbols of the scope; calls become casts (a type's name) or operators written
/// as calls. An unknown name is an error with the nearest known one.
Expr resolve(const Expr& e, const Scope& scope);

/// One call, its arguments resolved already: a cast or an operator written as a call.
Expr resolve_call(const Expr& call, const Scope& scope);

/// A type's name: a scalar type or a type parameter of the scope.
Type resolve_type(const std::string& name, const Location& where, const Scope& scope);

}  // namespace mdh::scalar
