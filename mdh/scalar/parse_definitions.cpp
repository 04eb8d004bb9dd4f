#include "mdh/scalar/parse_definitions.h"

#include "mdh/scalar/define.h"
#include "mdh/scalar/parse.h"

namespace mdh::scalar {
namespace {

Type named_type(TokenStream& tokens, const Scope& scope) {
  const Token name = tokens.expect_name("of a type");
  return resolve_type(name.text, name.where, scope);
}

void parse_field(TokenStream& tokens, const Scope& scope, Record& so_far) {
  const Token name = tokens.expect_name("of a field");
  tokens.expect(":", fmt::format("after field '{}'", name.text));
  const Token type = tokens.expect_name("of a type");
  const Type resolved = resolve_type(type.text, type.where, scope);
  if (!resolved.is_scalar()) {
    unsupported("E252", type.where, fmt::format("field '{}' of type {}", name.text, type.text),
                "fields are scalars or arrays of scalars");
  }
  Field result{name.text, scalar_of(resolved), 0};
  if (tokens.accept("[")) {
    const Location where = tokens.peek().where;
    result.count = array_length(tokens.expect_integer("(the length of the array)"), where);
    tokens.expect("]", "after the length");
  }
  tokens.expect(";", "after the field");
  add_field(so_far, std::move(result), name.where);
}

}  // namespace

Record parse_record(TokenStream& tokens, Scope& scope) {
  const Token name = tokens.expect_name("of a record");
  Record result{name.text, {}};
  tokens.expect("{", "to begin the fields");
  while (!tokens.accept("}")) parse_field(tokens, scope, result);
  declare_record(result, scope, name.where);
  return result;
}

Function parse_function(TokenStream& tokens, Scope& scope) {
  const Token name = tokens.expect_name("of a function");
  Function f{name.text, {}, {}, {}};
  Scope inside = scope;
  tokens.expect("(", "to begin the parameters");
  if (!tokens.accept(")")) {
    do {
      const Token parameter = tokens.expect_name("of a parameter");
      tokens.expect(":", fmt::format("and a type after '{}'", parameter.text));
      const Type type = named_type(tokens, scope);
      f.parameters.push_back(
          {inside.declare_local(parameter.text, type, "parameter", parameter.where), type});
    } while (tokens.accept(","));
    tokens.expect(")", "after the parameters");
  }
  tokens.expect(":", "and the type of the result");
  const Type type = named_type(tokens, scope);
  f = typed_function(std::move(f), type, parse_body(tokens), inside, name.where);
  scope.declare_function(f, name.where);
  return f;
}

Assignment parse_assignment(TokenStream& tokens) {
  const Token name = tokens.expect_name("of a value or 'return'");
  std::string target = name.text;
  if (target != returned) {
    if (tokens.accept(".")) target += fmt::format(".{}", tokens.expect_integer("after '.'"));
    tokens.expect("=", fmt::format("after '{}'", target));
  }
  Expr value = parse_expression(tokens);
  tokens.expect(";", "after the assignment");
  return {local(target), std::move(value), name.where};
}

std::vector<Assignment> parse_body(TokenStream& tokens) {
  std::vector<Assignment> body;
  const Location where = tokens.peek().where;
  if (tokens.accept("=")) {
    body.push_back({local(returned), parse_expression(tokens), where});
    tokens.expect(";", "after the expression");
    return body;
  }
  tokens.expect("{", "or '=' to begin the body");
  while (!tokens.accept("}")) body.push_back(parse_assignment(tokens));
  return body;
}

}  // namespace mdh::scalar
