#include "mdh/scalar/lexer.h"

#include <gtest/gtest.h>

#include "mdh/support/testing.h"

namespace mdh::scalar::lexer_test {
namespace {

using Kind = Token::Kind;
using Tokens = std::vector<std::pair<Kind, std::string>>;

Tokens tokens_of(const std::string& text) {
  TokenStream stream(text, "t.mdh");
  Tokens tokens;
  while (stream.peek().kind != Kind::end) {
    const Token token = stream.next();
    tokens.emplace_back(token.kind, token.text);
  }
  return tokens;
}

Diagnostic error_in(const std::string& text) {
  return diagnostic_of([&] { TokenStream(text, "t.mdh"); });
}

TEST(Lexer, names_begin_with_a_letter_or_underscore) {
  EXPECT_EQ(tokens_of("a _b1 md_hom"),
            (Tokens{{Kind::name, "a"}, {Kind::name, "_b1"}, {Kind::name, "md_hom"}}));
}

TEST(Lexer, numbers_are_integers_or_decimals) {
  EXPECT_EQ(tokens_of("0 12 1.5 1e5 2E-3 1.25e+10"), (Tokens{{Kind::integer, "0"},
                                                             {Kind::integer, "12"},
                                                             {Kind::decimal, "1.5"},
                                                             {Kind::decimal, "1e5"},
                                                             {Kind::decimal, "2E-3"},
                                                             {Kind::decimal, "1.25e+10"}}));
}

TEST(Lexer, point_without_a_digit_behind_it_ends_the_number) {
  EXPECT_EQ(tokens_of("1.x"),
            (Tokens{{Kind::integer, "1"}, {Kind::symbol, "."}, {Kind::name, "x"}}));
  EXPECT_EQ(tokens_of("x.2"),
            (Tokens{{Kind::name, "x"}, {Kind::symbol, "."}, {Kind::integer, "2"}}));
}

TEST(Lexer, number_running_into_a_name_is_refused) {
  for (const char* text : {"3x", "1.5f", "1e", "2e+", "1e5x", "7_"}) {
    const Diagnostic d = error_in(text);
    EXPECT_EQ(d.code, "E102") << text;
    EXPECT_EQ(d.message, "a number must not run into a name") << text;
    EXPECT_EQ(d.hint, "put a blank or an operator between them") << text;
  }
}

TEST(Lexer, two_characters_are_one_symbol_where_they_can_be) {
  EXPECT_EQ(tokens_of("<=>= ==!=&&||"), (Tokens{{Kind::symbol, "<="},
                                                {Kind::symbol, ">="},
                                                {Kind::symbol, "=="},
                                                {Kind::symbol, "!="},
                                                {Kind::symbol, "&&"},
                                                {Kind::symbol, "||"}}));
  EXPECT_EQ(tokens_of("< = & |").size(), 4u);
  EXPECT_EQ(tokens_of("===").size(), 2u);
}

TEST(Lexer, comments_and_blanks_separate_and_vanish) {
  EXPECT_EQ(tokens_of("a// b c\n\t d //\n//e"), (Tokens{{Kind::name, "a"}, {Kind::name, "d"}}));
  EXPECT_EQ(tokens_of("a / b").size(), 3u);
  EXPECT_EQ(tokens_of("").size(), 0u);
}

TEST(Lexer, tokens_know_their_line_and_column) {
  TokenStream stream("ab\n  c // x\n\n d", "t.mdh");
  const auto place = [&] { return to_string(stream.next().where); };
  EXPECT_EQ(place(), "t.mdh:1:1");
  EXPECT_EQ(place(), "t.mdh:2:3");
  EXPECT_EQ(place(), "t.mdh:4:2");
  EXPECT_EQ(place(), "t.mdh:4:3") << "the end is behind the last token";
}

TEST(Lexer, character_of_no_token_is_refused_where_it_stands) {
  const Diagnostic d = error_in("a\n b # c");
  EXPECT_EQ(d.code, "E101");
  EXPECT_EQ(d.message, "unexpected character '#'");
  EXPECT_EQ(to_string(d.where), "t.mdh:2:4");
  EXPECT_EQ(error_in("\x01").message, "unexpected character '\\x01'");
  EXPECT_EQ(error_in("\xc3\xa4").message, "unexpected character '\\xc3'");
}

TEST(TokenStream, looks_ahead_and_never_runs_past_the_end) {
  TokenStream stream("a b", "t.mdh");
  EXPECT_EQ(stream.peek().text, "a");
  EXPECT_EQ(stream.peek(1).text, "b");
  EXPECT_EQ(stream.peek(9).kind, Kind::end);
  stream.next();
  stream.next();
  EXPECT_EQ(stream.next().kind, Kind::end);
  EXPECT_EQ(stream.next().kind, Kind::end);
}

TEST(TokenStream, accept_moves_on_only_over_what_was_asked_for) {
  TokenStream stream("a b", "t.mdh");
  EXPECT_FALSE(stream.accept("b"));
  EXPECT_TRUE(stream.accept("a"));
  EXPECT_TRUE(stream.at("b"));
  stream.next();
  EXPECT_FALSE(stream.accept("end of text")) << "the end is no word";
}

TEST(TokenStream, expect_says_what_was_expected_and_what_was_found) {
  TokenStream stream("a )", "t.mdh");
  stream.expect("a", "to begin");
  const Diagnostic d = diagnostic_of([&] { stream.expect("(", "after 'a'"); });
  EXPECT_EQ(d.code, "E103");
  EXPECT_EQ(d.message, "expected '(' after 'a', found ')'");
  EXPECT_EQ(to_string(d.where), "t.mdh:1:3");
  EXPECT_EQ(diagnostic_of([&] { stream.expect_name("of a buffer"); }).message,
            "expected a name of a buffer, found ')'");
}

TEST(TokenStream, end_of_the_text_is_named) {
  TokenStream stream("", "t.mdh");
  const Diagnostic d = diagnostic_of([&] { stream.expect("(", "here"); });
  EXPECT_EQ(d.message, "expected '(' here, found end of text");
  EXPECT_EQ(d.hint, "the text ends too early");
}

TEST(TokenStream, expect_integer_reads_64_bits) {
  TokenStream stream("9223372036854775807 9223372036854775808", "t.mdh");
  EXPECT_EQ(stream.expect_integer("here"), 9223372036854775807);
  EXPECT_EQ(diagnostic_of([&] { stream.expect_integer("here"); }).message,
            "expected an integer here, found '9223372036854775808'");
}

}  // namespace
}  // namespace mdh::scalar::lexer_test
