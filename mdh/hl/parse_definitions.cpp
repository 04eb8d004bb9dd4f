#include "mdh/hl/parse_definitions.h"

#include "mdh/hl/define.h"

namespace mdh::hl {
namespace {

using scalar::Scalar;
using scalar::Scope;
using scalar::Token;
using scalar::TokenStream;
using scalar::Undecided;

class DefinitionParser {
 public:
  DefinitionParser(TokenStream& tokens, Scope& scope) : tokens_(tokens), scope_(scope) {}

  Definitions run() {
    for (;;) {
      if (tokens_.accept("record")) {
        definitions_.records.push_back(scalar::parse_record(tokens_, scope_));
      } else if (tokens_.accept("fun")) {
        definitions_.functions.push_back(scalar::parse_function(tokens_, scope_));
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
  return DefinitionParser(tokens, scope).run();
}

}  // namespace mdh::hl
