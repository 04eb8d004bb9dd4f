#include "mdh/hl/print.h"

#include <gtest/gtest.h>

#include "mdh/hl/instantiate.h"
#include "mdh/hl/parse.h"
#include "mdh/hl/testing.h"

namespace mdh::hl::print_test {
namespace {

const char* const canonical_matvec = R"(mdh 1
program matvec<T: type = f32, I: size = 512, K: size = 4096> =
  out_view( w: T = [i] )
* md_hom( i: I by cc, k: K by pw(add) ) { w = M * v; }
* inp_view( M: T = [i, k];
            v: T = [k] )
)";

/// Every construct of the text form, in programs that have a value for every parameter.
const std::vector<std::string>& generic_programs() {
  static const std::vector<std::string> all = {canonical_matvec,
                                               R"(mdh 1
program jacobi1d<T: type = f32, I: size = 510, c: T = 1.0 / 3.0> =
  out_view( y: T = [i] ) * md_hom( i: I by cc ) { y = c * (left + mid + right); }
* inp_view( x: T = left: [i], mid: [i + 1], right: [i + 2] ))",
                                               R"(mdh 1
program dot<T: type = f64, K: size = 100> =
  out_view( d: T = [] ) * md_hom( k: K by pw(add) ) { d = x * y; } * inp_view( x: T = [k]; y: T = [k] ))",
                                               R"(mdh 1
program two<N: size = 4, M: size = 2 * N + 1> =
  out_view( s: i32 = [i]; p: i32[N, 7] = [i, 3] )
* md_hom( i: N by cc, k: M by pw(add, mul) ) { p = x.1 - -3; s = x.2 % 7; }
* inp_view( x: i32[N + M] = [i + k], [N - 1 - i] ))",
                                               R"(mdh 1
program defaults<a: f32 = 0.1, b: f64 = -1e-3, n: i8 = -128, q: bool = (1 < 2), r: bool = true,
                 w: u64 = 18446744073709551615, m: i64 = (if q then 3 else 4)> =
  out_view( y: f64 = [i] )
* md_hom( i: m by cc ) { y = if q && r || n < 3 then f64(a) * x else b + f64(w) + f64(max(n, 3)); }
* inp_view( x: f64 = [i] ))",
                                               R"(mdh 1
program types<T: type = i16, U: type = T, c: U = 7> =
  out_view( y: U = [2 * i] ) * md_hom( i: 3 by cc ) { y = U(T(x) & c) ^ U(i32(c) | 1); }
* inp_view( x: u8 = [i] ))",
                                               R"(mdh 1
program nothing = out_view( y: i32 = [] ) * md_hom() { y = 42; } * inp_view())",
                                               R"(mdh 1
program several<N: size = 3> =
  out_view( y: bool = [i, 0], second: [i, 1] )
* md_hom( i: N by cc ) { y.1 = x > 0; second = !(x < 1.0) == (i > 2) && x != x || 0 >= i; }
* inp_view( x: f32 = [i] ))"};
  return all;
}

TEST(Print, canonical_text_is_printed_as_it_was_read) {
  EXPECT_EQ(print(parse(canonical_matvec)), canonical_matvec);
}

TEST(Print, generic_programs_are_read_back_equal) {
  for (const std::string& text : generic_programs()) {
    const Program p = parse(text);
    EXPECT_TRUE(parse(print(p)) == p) << print(p);
  }
}

TEST(Print, concrete_programs_are_read_back_equal) {
  for (const std::string& text : generic_programs()) {
    const Program p = instantiate(parse(text), {});
    EXPECT_TRUE(parse(print(p)) == p) << print(p) << print(parse(print(p)));
  }
}

TEST(Print, random_programs_are_read_back_equal) {
  Random random(21);
  for (int n = 0; n < 300; ++n) {
    const Program p = random_program(random);
    ASSERT_TRUE(parse(print(p)) == p) << print(p);
  }
}

// An f32 constant keeps its value in a place where a literal would be read as f64.
TEST(Print, constants_keep_their_type) {
  const Program p = instantiate(parse(R"(mdh 1
program p<c: f32 = 0.1, n: i32 = 3> =
  out_view( y: f64 = [i] ) * md_hom( i: 4 by cc ) { y = if n < 4 then f64(c) * x else f64(c + c); }
* inp_view( x: f64 = [i] ))"),
                                {});
  EXPECT_NE(print(p).find("f64(f32(0.1)) * x"), std::string::npos) << print(p);
  EXPECT_TRUE(parse(print(p)) == p) << print(p);
}

TEST(Print, accesses_are_named_only_where_the_name_is_their_own) {
  const Program p = parse(R"(mdh 1
program p<N: size = 3> = out_view( y: f32 = y: [i] ) * md_hom( i: N by cc ) { y = x.1 + own; }
* inp_view( x: f32 = [i], own: [i + 1] ))");
  EXPECT_NE(print(p).find("out_view( y: f32 = [i] )"), std::string::npos) << print(p);
  EXPECT_NE(print(p).find("x: f32 = [i], own: [i + 1]"), std::string::npos) << print(p);
}

TEST(Print, combine_operators_are_written_as_in_programs) {
  EXPECT_EQ(print(CombineOperator{Shape::concatenate, {}}), "cc");
  EXPECT_EQ(print(CombineOperator{Shape::pointwise, {"add"}}), "pw(add)");
  EXPECT_EQ(print(CombineOperator{Shape::pointwise, {"add", "max"}}), "pw(add, max)");
}

TEST(Print, declaration_is_the_program_without_the_first_line) {
  EXPECT_EQ("mdh 1\n" + print_declaration(parse(canonical_matvec)), canonical_matvec);
}

}  // namespace
}  // namespace mdh::hl::print_test
