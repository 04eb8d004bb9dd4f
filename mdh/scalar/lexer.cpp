#include "mdh/scalar/lexer.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "mdh/support/text.h"

namespace mdh::scalar {
namespace {

bool is_name_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_name_part(char c) { return is_name_start(c) || is_digit(c); }

/// Cuts a text into tokens, keeping track of line and column.
class Lexer {
 public:
  Lexer(std::string_view text, const std::string& file)
      : rest_(text), file_(std::make_shared<const std::string>(file)) {}

  std::vector<Token> run() {
    std::vector<Token> tokens;
    for (skip_blanks(); !rest_.empty(); skip_blanks()) tokens.push_back(token());
    tokens.push_back({Token::Kind::end, "end of text", here()});
    return tokens;
  }

 private:
  Location here() const { return {file_, line_, column_}; }

  void advance(size_t count) {
    for (const char c : rest_.substr(0, count)) {
      column_ = c == '\n' ? 1 : column_ + 1;
      line_ += c == '\n' ? 1 : 0;
    }
    rest_.remove_prefix(count);
  }

  void skip_blanks() {
    while (!rest_.empty()) {
      if (std::isspace(static_cast<unsigned char>(rest_.front())) != 0) {
        advance(1);
      } else if (rest_.substr(0, 2) == "//") {
        advance(std::min(rest_.find('\n'), rest_.size()));
      } else {
        return;
      }
    }
  }

  Token cut(Token::Kind kind, size_t length) {
    Token token{kind, std::string(rest_.substr(0, length)), here()};
    advance(length);
    return token;
  }

  Token token() {
    if (is_name_start(rest_.front())) return cut(Token::Kind::name, length_of(is_name_part));
    if (is_digit(rest_.front())) return number();
    for (const char* pair : {"<=", ">=", "==", "!=", "&&", "||", "<<", ">>"}) {
      if (rest_.substr(0, 2) == pair) return cut(Token::Kind::symbol, 2);
    }
    if (std::string_view("()[]{}<>=+-*/%,;:.!~&|^@").find(rest_.front()) ==
        std::string_view::npos) {
      user_error("E101", here(), fmt::format("unexpected character '{}'", printable(rest_.front())),
                 "remove it; comments begin with //");
    }
    return cut(Token::Kind::symbol, 1);
  }

  static std::string printable(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return std::isprint(byte) != 0 ? std::string(1, c) : fmt::format("\\x{:02x}", byte);
  }

  size_t length_of(bool (*belongs)(char), size_t from = 0) const {
    size_t length = from;
    while (length < rest_.size() && belongs(rest_[length])) ++length;
    return length;
  }

  /// digits [ "." digits ] [ ("e" | "E") [ "+" | "-" ] digits ]; "1.x" is the integer 1 followed by
  /// ".x".
  Token number() {
    size_t length = length_of(is_digit);
    bool is_decimal = false;
    if (length + 1 < rest_.size() && rest_[length] == '.' && is_digit(rest_[length + 1])) {
      length = length_of(is_digit, length + 1);
      is_decimal = true;
    }
    if (length < rest_.size() && (rest_[length] == 'e' || rest_[length] == 'E')) {
      size_t digits = length + 1;
      if (digits < rest_.size() && (rest_[digits] == '+' || rest_[digits] == '-')) ++digits;
      if (digits < rest_.size() && is_digit(rest_[digits])) {
        length = length_of(is_digit, digits);
        is_decimal = true;
      }
    }
    if (length < rest_.size() && is_name_start(rest_[length])) {
      user_error("E102", here(), "a number must not run into a name",
                 "put a blank or an operator between them");
    }
    return cut(is_decimal ? Token::Kind::decimal : Token::Kind::integer, length);
  }

  std::string_view rest_;
  std::shared_ptr<const std::string> file_;
  int line_ = 1;
  int column_ = 1;
};

}  // namespace

TokenStream::TokenStream(std::string_view text, const std::string& file)
    : tokens_(Lexer(text, file).run()) {}

const Token& TokenStream::peek(int ahead) const {
  return tokens_[std::min(position_ + static_cast<size_t>(ahead), tokens_.size() - 1)];
}

Token TokenStream::next() {
  Token token = peek();
  if (position_ + 1 < tokens_.size()) ++position_;
  return token;
}

bool TokenStream::accept(std::string_view text) {
  if (!at(text)) return false;
  next();
  return true;
}

Token TokenStream::expect(std::string_view text, std::string_view context) {
  if (!at(text)) fail(fmt::format("'{}'", text), context);
  return next();
}

Token TokenStream::expect_name(std::string_view context) {
  if (peek().kind != Token::Kind::name) fail("a name", context);
  return next();
}

int64_t TokenStream::expect_integer(std::string_view context) {
  long long value = 0;
  if (peek().kind != Token::Kind::integer || !to_integer(peek().text, value)) {
    fail("an integer", context);
  }
  next();
  return value;
}

void TokenStream::fail(std::string_view what, std::string_view context) const {
  const bool end = peek().kind == Token::Kind::end;
  const std::string found = end ? peek().text : fmt::format("'{}'", peek().text);
  user_error("E103", peek().where, fmt::format("expected {} {}, found {}", what, context, found),
             end ? "the text ends too early" : "see the grammar in docs/ir/high_level.md");
}

}  // namespace mdh::scalar
