#include "mdh/loop/parse_function.h"

#include "mdh/scalar/elaborate.h"
#include "mdh/scalar/parse.h"

namespace mdh::loop {
namespace {

using scalar::Token;
using scalar::TokenStream;

class FunctionParser {
 public:
  FunctionParser(TokenStream& tokens, const char* name, const scalar::Scope& scope)
      : tokens_(tokens), scope_(scope), f_{name, {}, {}, {}} {}

  scalar::Function run() {
    tokens_.expect("function", "here");
    tokens_.expect(f_.name, "after 'function'");
    tokens_.expect("(", "to begin the parameters");
    if (!tokens_.accept(")")) {
      do {
        parameter();
      } while (tokens_.accept(","));
      tokens_.expect(")", "after the parameters");
    }
    tokens_.expect("{", "to begin the results");
    while (!tokens_.accept("}")) assignment();
    return f_;
  }

 private:
  void parameter() {
    const Location where = tokens_.peek().where;
    const Symbol symbol = named(member_name(tokens_));
    tokens_.expect(":", "after the parameter");
    f_.parameters.push_back({symbol, parse_type(tokens_, scope_)});
    scope_.declare_local(symbol.name, f_.parameters.back().type, "parameter", where);
  }

  /// A result tells its type, a local takes that of its value.
  void assignment() {
    const Location where = tokens_.peek().where;
    const std::string name = member_name(tokens_);
    const bool is_result = !tokens_.accept("=");
    Type type;
    if (is_result) {
      tokens_.expect(":", "after the result");
      type = parse_type(tokens_, scope_);
      tokens_.expect("=", "after the type");
    }
    const Expr value = elaborate(resolved(scalar::parse_expression(tokens_)), type);
    tokens_.expect(";", "after the result");
    if (is_result) {
      f_.results.push_back({named(name), value, where});
    } else {
      f_.locals.push_back({scope_.declare_local(name, value.type(), "local", where), value, where});
    }
  }

  /// Parameters are symbols of the loop program.
  Expr resolved(const Expr& e) const {
    return substitute(resolve(e, scope_), [&](const scalar::Variable& v, const Expr& at) {
      for (const auto& parameter : f_.parameters) {
        if (parameter.symbol.name == v.symbol.name) {
          return std::optional(scalar::variable(parameter.symbol, parameter.type, at.where()));
        }
      }
      return std::optional<Expr>();
    });
  }

  TokenStream& tokens_;
  scalar::Scope scope_;
  scalar::Function f_;
};

}  // namespace

std::string member_name(scalar::TokenStream& tokens) {
  std::string name = tokens.expect_name("here").text;
  if (tokens.accept(".")) name += fmt::format(".{}", tokens.expect_integer("after '.'"));
  return name;
}

scalar::Function parse_function(TokenStream& tokens, const char* name, const scalar::Scope& scope) {
  return FunctionParser(tokens, name, scope).run();
}

Emission parse_emission(TokenStream& tokens) {
  Emission emission{Emission::Order::by_operand, {}};
  if (tokens.accept("serpentine")) {
    emission.order = Emission::Order::serpentine;
    if (!tokens.accept("by")) return emission;
  } else {
    tokens.expect("by", "after 'emit', or 'serpentine'");
  }
  tokens.expect("(", "to begin the parameters of f");
  do {
    emission.operands.push_back(named(member_name(tokens)));
  } while (tokens.accept(","));
  tokens.expect(")", "after the parameters of f");
  return emission;
}

scalar::Type parse_type(TokenStream& tokens, const scalar::Scope& scope) {
  const Token name = tokens.expect_name("of a type");
  return scalar::resolve_type(name.text, name.where, scope);
}

scalar::Expr resolve_calls(const scalar::Expr& e) {
  const Expr inner = map_children(e, resolve_calls);
  return inner.as<scalar::Call>() ? scalar::resolve_call(inner, {}) : inner;
}

}  // namespace mdh::loop
