#include "mdh/loop/parse_pieces.h"

#include "mdh/loop/parse_buffer.h"
#include "mdh/loop/parse_function.h"
#include "mdh/scalar/elaborate.h"
#include "mdh/scalar/parse.h"

namespace mdh::loop {

using scalar::Scalar;

std::vector<Symbol> PieceParser::names_until(const char* end) { return parse_names(tokens_, end); }

std::string PieceParser::level_name() {
  std::string level = tokens_.expect_name("of a layer").text;
  tokens_.expect(".", "after the layer");
  return level + "." + tokens_.expect_name("of a dimension").text;
}

std::vector<Symbol> PieceParser::names_in_parentheses() {
  tokens_.expect("(", "to begin the names");
  return names_until(")");
}

std::vector<Counter> PieceParser::counters() {
  std::vector<Counter> all;
  tokens_.expect("(", "to begin the counters");
  if (tokens_.accept(")")) return all;
  do {
    const Symbol var = named(tokens_.expect_name("of a counter").text);
    tokens_.expect("<", "after the counter");
    all.push_back({var, tokens_.expect_integer("(how often it counts)")});
  } while (tokens_.accept(","));
  tokens_.expect(")", "after the counters");
  return all;
}

std::vector<Element> PieceParser::elements() {
  std::vector<Element> all;
  tokens_.expect("(", "to begin the elements");
  if (tokens_.accept(")")) return all;
  do {
    all.push_back(element());
  } while (tokens_.accept(","));
  tokens_.expect(")", "after the elements");
  return all;
}

Element PieceParser::element() {
  Element e;
  e.buffer = named(tokens_.expect_name("of a buffer").text);
  tokens_.expect("[", "to begin the index");
  if (tokens_.accept("]")) return e;
  do {
    e.index.push_back(index_expression());
  } while (tokens_.accept(","));
  tokens_.expect("]", "after the index");
  return e;
}

Target PieceParser::target() {
  Target t;
  t.elements = elements();
  tokens_.expect("first", "after the target's elements");
  tokens_.expect("(", "after 'first'");
  t.first = names_until(")");
  return t;
}

Expr PieceParser::index_expression() { return typed(scalar::parse_sum(tokens_), Scalar::i64); }

Expr PieceParser::typed(const Expr& e, Scalar type) {
  const Expr resolved = substitute(e, [](const scalar::Variable& v, const Expr& at) {
    return std::optional(scalar::variable(named(v.symbol.name), Scalar::i64, at.where()));
  });
  return without_negation(elaborate(resolve_calls(resolved), type));
}

Symbol PieceParser::assigned() {
  const Symbol symbol = named(tokens_.expect_name("of a value").text);
  tokens_.expect("=", "after the name");
  return symbol;
}

std::pair<Element, Element> PieceParser::assignment() {
  Element to = element();
  tokens_.expect("=", "after the element");
  return {std::move(to), element()};
}

}  // namespace mdh::loop
