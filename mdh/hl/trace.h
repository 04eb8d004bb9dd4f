// From traced terms to what the text form is parsed to: bodies with their lets, and the
// definitions they need.
#pragma once

#include "mdh/hl/term.h"
#include "mdh/scalar/resolve.h"

namespace mdh::hl::edsl {

Location location(const char* file, int line);

/// A term that mentions a name, to be resolved later.
Term mention(const std::string& name);

/// Traced expressions have no place of their own; they get that of what they are part of.
Expr located(const Expr& e, const Location& where);

/// The lets of both, each once.
Term::Lets joined(Term::Lets lets, const Term::Lets& more);

/// The lets of all values, then the values.
std::vector<scalar::Assignment> body_of(const NamedTerms& values, const Location& where);

/// Where only expressions can stand, a let is a user error.
Expr without_lets(const Term& term, const std::string& place, const Location& where);

/// A lambda takes one term per parameter.
void check_arity(size_t taken, size_t given, const std::string& whose, const Location& where);

/// Definitions, in the order in which they are first mentioned; what they need is before them.
class Needs {
 public:
  void add(const Type& type);
  void add(const Expr& e);
  void add(const Definitions& more);
  void add(const std::vector<scalar::Assignment>& body);

  const Definitions& definitions() const { return all_; }

  /// A scope that knows them; two definitions of one name are a user error.
  scalar::Scope scope(const Location& where) const;

 private:
  void add(const scalar::Function& function);
  Definitions all_;
};

}  // namespace mdh::hl::edsl
