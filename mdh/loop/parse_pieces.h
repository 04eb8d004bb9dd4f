// What statements of the text form of loops are made of.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mdh/loop/program.h"
#include "mdh/scalar/lexer.h"

namespace mdh::loop {

class PieceParser {
 protected:
  PieceParser(std::string_view text, const std::string& file) : tokens_(text, file) {}

  Symbol name(const char* what) { return named(tokens_.expect_name(what).text); }
  Symbol assigned();  // a name and "="
  std::string level_name();
  std::vector<Symbol> names_until(const char* end);
  std::vector<Symbol> names_in_parentheses();
  std::vector<Counter> counters();
  std::vector<Element> elements();
  Element element();
  Target target();

  /// Two elements and "=" between them.
  std::pair<Element, Element> assignment();

  Expr index_expression();
  static Expr typed(const Expr& e, scalar::Scalar type);

  scalar::TokenStream tokens_;
};

}  // namespace mdh::loop
