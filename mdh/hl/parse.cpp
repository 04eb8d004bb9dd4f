#include "mdh/hl/parse.h"

#include <algorithm>

#include "mdh/hl/instantiate.h"
#include "mdh/hl/parse_definitions.h"
#include "mdh/hl/resolve.h"
#include "mdh/scalar/combiner.h"
#include "mdh/scalar/parse.h"
#include "mdh/support/text.h"

namespace mdh::hl {
namespace {

using scalar::Scalar;
using scalar::Scope;
using scalar::Token;
using scalar::TokenStream;
using scalar::Undecided;

/// Reads the three functions in the order in which they are written; names are resolved at the end.
class Parser {
 public:
  explicit Parser(TokenStream& tokens) : tokens_(tokens) {}

  Program program() {
    p_.definitions = parse_definitions(tokens_, scope_);
    p_.where = tokens_.expect("program", "to begin the program").where;
    p_.name = tokens_.expect_name("of the program").text;
    if (tokens_.accept("<")) parameters();
    tokens_.expect("=", "before out_view");
    p_.outputs = views("out_view");
    tokens_.expect("*", "between out_view and md_hom");
    md_hom();
    tokens_.expect("*", "between md_hom and inp_view");
    p_.inputs = views("inp_view");
    return resolve(p_, scope_);
  }

 private:
  // ---- reading

  void parameters() {
    do {
      const Token name = tokens_.expect_name("of a parameter");
      tokens_.expect(":", fmt::format("after parameter '{}'", name.text));
      p_.parameters.push_back(parameter(name, tokens_.expect_name("of the parameter's kind")));
    } while (tokens_.accept(","));
    tokens_.expect(">", "after the parameters");
  }

  Parameter parameter(const Token& name, const Token& kind) {
    Parameter parameter;
    parameter.where = name.where;
    if (kind.text == "type") {
      parameter.kind = Parameter::Kind::type;
      // The default first: it mentions earlier types, not the one it belongs to.
      if (tokens_.accept("=")) parameter.type = named_type();
      parameter.symbol = scope_.declare(name.text, Undecided::name, "type", name.where);
      return parameter;
    }
    const bool is_size = kind.text == "size";
    parameter.kind = is_size ? Parameter::Kind::size : Parameter::Kind::value;
    parameter.type = is_size ? Type(Scalar::i64) : resolve_type(kind.text, kind.where, scope_);
    parameter.symbol =
        scope_.declare(name.text, parameter.type, is_size ? "size" : "constant", name.where);
    if (!tokens_.accept("=")) return parameter;
    if (is_size && tokens_.accept("*")) {
      parameter.dynamic = true;
      return parameter;
    }
    parameter.value = scalar::parse_sum(tokens_);
    return parameter;
  }

  Type named_type() {
    const Token name = tokens_.expect_name("of a type");
    return resolve_type(name.text, name.where, scope_);
  }

  std::vector<BufferView> views(const char* keyword) {
    tokens_.expect(keyword, "here");
    tokens_.expect("(", fmt::format("after {}", keyword));
    std::vector<BufferView> views;
    if (tokens_.accept(")")) return views;
    do {
      views.push_back(view());
    } while (tokens_.accept(";"));
    tokens_.expect(")", fmt::format("after the buffers of {}", keyword));
    return views;
  }

  BufferView view() {
    const Token name = tokens_.expect_name("of a buffer");
    BufferView view;
    view.symbol.name = name.text;
    view.where = name.where;
    tokens_.expect(":", fmt::format("and a type after buffer '{}'", name.text));
    view.type = named_type();
    if (tokens_.at("[")) view.declared = bracketed("declared extents");
    tokens_.expect("=", fmt::format("before the accesses of '{}'", name.text));
    do {
      view.accesses.push_back(access());
    } while (tokens_.accept(","));
    name_accesses(view);
    return view;
  }

  Access access() {
    Access access;
    access.where = tokens_.peek().where;
    if (tokens_.peek().kind == Token::Kind::name) {
      access.symbol.name = tokens_.next().text;
      tokens_.expect(":", fmt::format("after the access name '{}'", access.symbol.name));
    }
    access.index = bracketed("index functions");
    return access;
  }

  std::vector<Expr> bracketed(const char* what) {
    std::vector<Expr> items;
    tokens_.expect("[", fmt::format("to begin the {}", what));
    if (tokens_.accept("]")) return items;
    do {
      items.push_back(scalar::parse_sum(tokens_));
    } while (tokens_.accept(","));
    tokens_.expect("]", fmt::format("after the {}", what));
    return items;
  }

  void md_hom() {
    tokens_.expect("md_hom", "here");
    tokens_.expect("(", "after md_hom");
    if (!tokens_.accept(")")) {
      do {
        p_.dimensions.push_back(dimension());
      } while (tokens_.accept(","));
      tokens_.expect(")", "after the dimensions");
    }
    tokens_.expect("{", "to begin the scalar function");
    while (!tokens_.accept("}")) p_.body.push_back(parse_assignment(tokens_));
  }

  Dimension dimension() {
    const Token name = tokens_.expect_name("of a dimension");
    tokens_.expect(":", fmt::format("and a size after dimension '{}'", name.text));
    Expr size = scalar::parse_sum(tokens_);
    tokens_.expect("by", fmt::format("and a combine operator after the size of '{}'", name.text));
    // Not in the braces: g++ 12 frees what stands before it twice if it throws.
    CombineOperator by = combine();
    return {{name.text, -1}, std::move(size), std::move(by), name.where};
  }

  CombineOperator combine() {
    const Token name = tokens_.expect_name("of a combine operator");
    if (name.text == "cc") return {Shape::concatenate, {}};
    for (const UserCombine& combine : p_.definitions.combines) {
      if (combine.name == name.text) return {Shape::custom, {name.text}, combine.to_zero};
    }
    if (name.text != "pw" && name.text != "ps") {
      std::vector<std::string> known = {"cc", "pw", "ps"};
      for (const UserCombine& combine : p_.definitions.combines) known.push_back(combine.name);
      user_error("E203", name.where, fmt::format("unknown combine operator '{}'", name.text),
                 suggestion(name.text, known));
    }
    CombineOperator op{name.text == "pw" ? Shape::pointwise : Shape::scan, {}};
    tokens_.expect("(", fmt::format("after {}", name.text));
    do {
      const Token scalar_operator = tokens_.expect_name("of an operator");
      check_operator(scalar_operator);
      op.operators.push_back(scalar_operator.text);
    } while (tokens_.accept(","));
    tokens_.expect(")", fmt::format("after the operators of {}", name.text));
    return op;
  }

  void check_operator(const Token& name) const {
    std::vector<std::string> known = scalar::combiner_names();
    for (const UserOperator& op : p_.definitions.operators) known.push_back(op.name);
    if (std::find(known.begin(), known.end(), name.text) != known.end()) return;
    user_error("E204", name.where, fmt::format("unknown operator '{}'", name.text),
               suggestion(name.text, known));
  }

  TokenStream& tokens_;
  Scope scope_;
  Program p_;
};

}  // namespace

Program parse_declaration(TokenStream& tokens) {
  Program p = Parser(tokens).program();
  return is_concrete(p) ? instantiate(p, {}) : p;
}

Program parse(std::string_view text, const std::string& file) {
  TokenStream tokens(text, file);
  tokens.expect("mdh", "in the first line ('mdh 1')");
  const Location where = tokens.peek().where;
  if (const int64_t version = tokens.expect_integer("after 'mdh'"); version != 1) {
    user_error("E206", where, fmt::format("version {} of the text form is unknown", version),
               "this mdh reads 'mdh 1'");
  }
  Program p = parse_declaration(tokens);
  if (tokens.peek().kind != Token::Kind::end) tokens.fail("the end", "after the program");
  return p;
}

}  // namespace mdh::hl
