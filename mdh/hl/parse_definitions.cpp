#include "mdh/hl/parse_definitions.h"

#include "mdh/hl/define.h"
#include "mdh/scalar/parse.h"
#include "mdh/support/text.h"

namespace mdh::hl {
namespace {

using scalar::Scalar;
using scalar::Scope;
using scalar::Token;
using scalar::TokenStream;
using scalar::Undecided;

class Parser {
 public:
  Parser(TokenStream& tokens, Scope& scope) : tokens_(tokens), scope_(scope) {}

  Definitions run() {
    for (;;) {
      if (tokens_.accept("record")) {
        record();
      } else if (tokens_.accept("fun")) {
        function();
      } else if (tokens_.accept("op")) {
        scalar_operator();
      } else if (tokens_.accept("combine")) {
        combine();
      } else {
        return definitions_;
      }
    }
  }

 private:
  void record() {
    const Token name = tokens_.expect_name("of a record");
    scalar::Record result{name.text, {}};
    tokens_.expect("{", "to begin the fields");
    while (!tokens_.accept("}")) field(result);
    declare_record(result, scope_, name.where);
    definitions_.records.push_back(std::move(result));
  }

  void field(scalar::Record& so_far) {
    const Token name = tokens_.expect_name("of a field");
    tokens_.expect(":", fmt::format("after field '{}'", name.text));
    const Token type = tokens_.expect_name("of a type");
    const Type resolved = resolve_type(type.text, type.where, scope_);
    if (!resolved.is_scalar()) {
      unsupported("E252", type.where, fmt::format("field '{}' of type {}", name.text, type.text),
                  "fields are scalars or arrays of scalars");
    }
    scalar::Field result{name.text, scalar_of(resolved), 0};
    if (tokens_.accept("[")) {
      const Location where = tokens_.peek().where;
      result.count = array_length(tokens_.expect_integer("(the length of the array)"), where);
      tokens_.expect("]", "after the length");
    }
    tokens_.expect(";", "after the field");
    add_field(so_far, std::move(result), name.where);
  }

  void function() {
    const Token name = tokens_.expect_name("of a function");
    scalar::Function f{name.text, {}, {}, {}};
    Scope inside = scope_;
    tokens_.expect("(", "to begin the parameters");
    if (!tokens_.accept(")")) {
      do {
        const Token parameter = tokens_.expect_name("of a parameter");
        tokens_.expect(":", fmt::format("and a type after '{}'", parameter.text));
        const Type type = named_type();
        f.parameters.push_back(
            {inside.declare_local(parameter.text, type, "parameter", parameter.where), type});
      } while (tokens_.accept(","));
      tokens_.expect(")", "after the parameters");
    }
    tokens_.expect(":", "and the type of the result");
    const Type type = named_type();
    f = typed_function(std::move(f), type, parse_body(tokens_), inside, name.where);
    scope_.declare_function(f, name.where);
    definitions_.functions.push_back(std::move(f));
  }

  Type named_type() {
    const Token name = tokens_.expect_name("of a type");
    return resolve_type(name.text, name.where, scope_);
  }

  void scalar_operator() {
    const Token name = tokens_.expect_name("of an operator");
    declare_operator(name.text, scope_, name.where);
    Scope inside = scope_;
    tokens_.expect("(", "to begin the parameters");
    UserOperator op{name.text, operand(inside), {}, {}, name.where};
    tokens_.expect(",", "between the operands");
    op.right = operand(inside);
    tokens_.expect(")", "after the operands");
    op.body = resolved_body(parse_body(tokens_), inside);
    definitions_.operators.push_back(std::move(op));
  }

  Symbol operand(Scope& scope) {
    const Token name = tokens_.expect_name("of an operand");
    return scope.declare_local(name.text, Undecided::name, "operand", name.where);
  }

  void combine() {
    const Token name = tokens_.expect_name("of a combine operator");
    declare_operator(name.text, scope_, name.where);
    Scope inside = scope_;
    tokens_.expect("(", "before the index");
    const Token index = tokens_.expect_name("of the index");
    tokens_.expect(")", "after the index");
    tokens_.expect(":", "and 'same' or 'zero'");
    const bool to_zero = tokens_.accept("zero");
    if (!to_zero) tokens_.expect("same", "or 'zero'");
    UserCombine result{name.text,
                       inside.declare_local(index.text, Scalar::i64, "index", index.where),
                       to_zero,
                       {},
                       name.where};
    declare_operands(inside, name.where);
    result.body = resolved_body(parse_body(tokens_), inside);
    definitions_.combines.push_back(std::move(result));
  }

  TokenStream& tokens_;
  Scope& scope_;
  Definitions definitions_;
};

}  // namespace

Definitions parse_definitions(TokenStream& tokens, Scope& scope) {
  return Parser(tokens, scope).run();
}

scalar::Assignment parse_assignment(TokenStream& tokens) {
  const Token name = tokens.expect_name("of a value or 'return'");
  std::string target = name.text;
  if (target != returned) {
    if (tokens.accept(".")) target += fmt::format(".{}", tokens.expect_integer("after '.'"));
    tokens.expect("=", fmt::format("after '{}'", target));
  }
  Expr value = scalar::parse_expression(tokens);
  tokens.expect(";", "after the assignment");
  return {scalar::local(target), std::move(value), name.where};
}

std::vector<scalar::Assignment> parse_body(TokenStream& tokens) {
  std::vector<scalar::Assignment> body;
  const Location where = tokens.peek().where;
  if (tokens.accept("=")) {
    body.push_back({scalar::local(returned), scalar::parse_expression(tokens), where});
    tokens.expect(";", "after the expression");
    return body;
  }
  tokens.expect("{", "or '=' to begin the body");
  while (!tokens.accept("}")) body.push_back(parse_assignment(tokens));
  return body;
}

}  // namespace mdh::hl
