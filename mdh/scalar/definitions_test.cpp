// Records and functions as text: read, checked, printed.
#include <gtest/gtest.h>

#include "mdh/scalar/define.h"
#include "mdh/scalar/parse_definitions.h"
#include "mdh/scalar/print_definitions.h"
#include "mdh/support/testing.h"

namespace mdh::scalar::definitions_test {
namespace {

/// "code message" of reading definitions, one after the other; or what they are printed as.
std::string printed(const std::string& text) {
  std::string result;
  const Diagnostic d = diagnostic_of([&] {
    TokenStream tokens(text, "<text>");
    Scope scope;
    while (tokens.peek().kind != Token::Kind::end) {
      const bool is_record = tokens.accept("record");
      if (!is_record) tokens.expect("fun", "here");
      result += is_record ? print_definition(parse_record(tokens, scope))
                          : print_definition(parse_function(tokens, scope));
    }
  });
  return d.code.empty() ? result : d.code + " " + d.message;
}

TEST(Definitions, what_is_printed_is_what_is_read) {
  const std::string text =
      "record person { id: i64; born: i16[3]; }\n"
      "fun age(p: person, now: i16): i16 { year = p.born[2]; return now - year; }\n"
      "fun half(x: f32): f32 { h = f32(0.5); return h * x; }\n"
      "fun same(p: person): person { return person{ id = p.id, born = p.born }; }\n"
      "fun nobody(): i64 { return 7; }\n";
  EXPECT_EQ(printed(text), text);
}

TEST(Definitions, a_body_may_be_one_expression) {
  EXPECT_EQ(printed("fun twice(x: i32): i32 = x + x;"),
            "fun twice(x: i32): i32 { return x + x; }\n");
}

TEST(Definitions, functions_call_those_before_them) {
  const std::string one = "fun one(): i64 { return 1; }\n";
  const std::string two = "fun two(): i64 { return one() + 1; }\n";
  EXPECT_EQ(printed(one + two), one + two);
  EXPECT_EQ(printed(two + one).substr(0, 4), "E113");
}

TEST(Definitions, records_have_fields_that_are_scalars_with_different_names) {
  EXPECT_EQ(printed("record r { }"), "E250 record 'r' has no fields");
  EXPECT_EQ(printed("record r { a: i32; a: f32; }"), "E251 record 'r' has two fields 'a'");
  EXPECT_EQ(printed("record r { a: i32; } record s { r: r; }").substr(0, 4), "E252");
  EXPECT_EQ(printed("record r { a: i32[0]; }"), "E253 an array field cannot have 0 elements");
}

TEST(Definitions, functions_return_once) {
  EXPECT_EQ(printed("fun f(): i64 { a = 1; }"), "E254 function 'f' returns 0 times");
  EXPECT_EQ(printed("fun f(): i64 { return 1; return 2; }"), "E254 function 'f' returns 2 times");
}

}  // namespace
}  // namespace mdh::scalar::definitions_test
