// One lexer for every text form of mdh: .mdh, .ll.mdh, .loop.mdh.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mdh/support/diagnostic.h"

namespace mdh::scalar {

struct Token {
  enum class Kind { name, integer, decimal, symbol, end };
  Kind kind = Kind::end;
  std::string text;
  Location where;
};

/// The tokens of a text and a position in them. Comments run from // to the end of the line.
class TokenStream {
 public:
  TokenStream(std::string_view text, const std::string& file);

  const Token& peek(int ahead = 0) const;
  Token next();
  bool at(std::string_view text) const { return peek().text == text && is_word(peek()); }
  bool accept(std::string_view text);

  /// The next token, which must be `text`. `context` says in the message what was being read.
  Token expect(std::string_view text, std::string_view context);
  Token expect_name(std::string_view context);
  int64_t expect_integer(std::string_view context);

  /// A syntax error at the next token: "expected WHAT CONTEXT, found 'x'".
  [[noreturn]] void fail(std::string_view what, std::string_view context) const;

 private:
  static bool is_word(const Token& token) { return token.kind != Token::Kind::end; }

  std::vector<Token> tokens_;
  size_t position_ = 0;
};

}  // namespace mdh::scalar
