#include "mdh/codegen/c_expr.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "mdh/scalar/elaborate.h"
#include "mdh/scalar/parse.h"
#include "mdh/scalar/resolve.h"
#include "mdh/support/testing.h"

namespace mdh::codegen {
namespace {

using scalar::Expr;
using scalar::Scalar;
using scalar::Value;

/// An expression over a, b and c of one type, and the bool t.
Expr expression(const std::string& text, Scalar type, const scalar::Type& expected) {
  scalar::Scope scope;
  for (const char* name : {"a", "b", "c"}) scope.declare(name, type, "value", {});
  scope.declare("t", Scalar::boolean, "value", {});
  return elaborate(resolve(scalar::parse_expression(text), scope), expected);
}

std::string in_c(const std::string& text, Scalar type) {
  return ExprPrinter().print(expression(text, type, type));
}

std::string condition(const std::string& text, Scalar type) {
  return ExprPrinter().print(expression(text, type, Scalar::boolean));
}

std::string cast_to(Scalar to, Scalar from) {
  return ExprPrinter().print(cast(to, expression("a + b", from, from)));
}

std::string literal_of(Scalar type, Value value) {
  return ExprPrinter().print(scalar::literal(type, value));
}

std::string helpers_of(const std::string& text, Scalar type) {
  ExprPrinter printer;
  printer.print(expression(text, type, type));
  return printer.helpers();
}

std::string index(const std::string& text, Scalar expected = Scalar::i64) {
  return ExprPrinter().print_index(expression(text, Scalar::i64, expected));
}

const std::vector<Scalar> integers = {Scalar::i8, Scalar::i16, Scalar::i32, Scalar::i64,
                                      Scalar::u8, Scalar::u16, Scalar::u32, Scalar::u64};

// ---- types and names

TEST(CType, every_type_has_its_name_in_c) {
  const std::vector<std::pair<Scalar, std::string>> names = {
      {Scalar::boolean, "_Bool"},      {Scalar::i8, "signed char"},
      {Scalar::i16, "short"},          {Scalar::i32, "int"},
      {Scalar::i64, "long"},           {Scalar::u8, "unsigned char"},
      {Scalar::u16, "unsigned short"}, {Scalar::u32, "unsigned"},
      {Scalar::u64, "unsigned long"},  {Scalar::f32, "float"},
      {Scalar::f64, "double"}};
  for (const auto& [type, name] : names) EXPECT_EQ(c_type(type), name);
}

TEST(CName, ordinary_names_stay) {
  for (const char* name : {"x", "M", "cor_k", "i64", "in", "forward", "x_1"}) {
    EXPECT_EQ(c_name(name), name);
  }
}

TEST(CName, keywords_and_names_of_printed_code_are_prefixed) {
  for (const std::string name :
       {"int", "for", "restrict", "register", "long", "typeof", "core", "cores", "part", "threads",
        "workspace", "buffers", "main", "linux", "omp_get_thread_num", "mdh_min_i64", "_Bool",
        "__func__"}) {
    EXPECT_EQ(c_name(name), "mdh_" + name);
  }
}

TEST(CName, different_names_stay_different) {
  std::set<std::string> names;
  const std::vector<std::string> given = {"int", "mdh_int", "mdh_mdh_int", "_int", "mdh__int"};
  for (const std::string& name : given) names.insert(c_name(name));
  EXPECT_EQ(names.size(), given.size());
}

// ---- literals

TEST(CLiteral, integers_have_the_suffix_of_their_type) {
  EXPECT_EQ(literal_of(Scalar::i8, Value::integer(5)), "5");
  EXPECT_EQ(literal_of(Scalar::i16, Value::integer(300)), "300");
  EXPECT_EQ(literal_of(Scalar::i32, Value::integer(7)), "7");
  EXPECT_EQ(literal_of(Scalar::i64, Value::integer(7)), "7L");
  EXPECT_EQ(literal_of(Scalar::u8, Value::integer(255)), "255");
  EXPECT_EQ(literal_of(Scalar::u16, Value::integer(65535)), "65535");
  EXPECT_EQ(literal_of(Scalar::u32, Value::integer(4294967295)), "4294967295U");
  EXPECT_EQ(literal_of(Scalar::u64, Value{~uint64_t{0}}), "18446744073709551615UL");
}

TEST(CLiteral, negative_integers_are_in_parentheses) {
  EXPECT_EQ(literal_of(Scalar::i8, Value::integer(-128)), "(-128)");
  EXPECT_EQ(literal_of(Scalar::i32, Value::integer(-7)), "(-7)");
  EXPECT_EQ(literal_of(Scalar::i64, Value::integer(-7)), "(-7L)");
  EXPECT_EQ(in_c("a - -7", Scalar::f32), "(a - (-7.0f))");
}

TEST(CLiteral, the_least_integers_are_differences) {
  // C has no negative literals, and the magnitude does not fit the type.
  EXPECT_EQ(literal_of(Scalar::i32, Value::integer(std::numeric_limits<int32_t>::min())),
            "(-2147483647 - 1)");
  EXPECT_EQ(literal_of(Scalar::i64, Value::integer(std::numeric_limits<int64_t>::min())),
            "(-9223372036854775807L - 1)");
}

TEST(CLiteral, bools_are_numbers) {
  EXPECT_EQ(literal_of(Scalar::boolean, Value::integer(1)), "1");
  EXPECT_EQ(literal_of(Scalar::boolean, Value::integer(0)), "0");
}

TEST(CLiteral, floats_show_a_point_or_an_exponent_and_their_type) {
  EXPECT_EQ(literal_of(Scalar::f64, Value::floating(1)), "1.0");
  EXPECT_EQ(literal_of(Scalar::f32, Value::floating(1)), "1.0f");
  EXPECT_EQ(literal_of(Scalar::f64, Value::floating(0.1)), "0.1");
  EXPECT_EQ(literal_of(Scalar::f32, Value::floating(0.1F)), "0.1f");
  EXPECT_EQ(literal_of(Scalar::f64, Value::floating(1e300)), "1e+300");
  EXPECT_EQ(literal_of(Scalar::f32, Value::floating(-2.5)), "(-2.5f)");
  EXPECT_EQ(literal_of(Scalar::f64, Value::floating(-0.0)), "(-0.0)");
}

TEST(CLiteral, floats_without_digits_are_quotients) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(literal_of(Scalar::f64, Value::floating(infinity)), "(1.0 / 0.0)");
  EXPECT_EQ(literal_of(Scalar::f32, Value::floating(-infinity)), "(-1.0f / 0.0f)");
  EXPECT_EQ(literal_of(Scalar::f32, Value::floating(std::nan(""))), "(0.0f / 0.0f)");
}

// ---- operations

TEST(CExpr, integers_are_computed_unsigned_and_at_least_as_wide_as_int) {
  EXPECT_EQ(in_c("a + b", Scalar::i8), "(signed char)((unsigned)a + (unsigned)b)");
  EXPECT_EQ(in_c("a - b", Scalar::i16), "(short)((unsigned)a - (unsigned)b)");
  EXPECT_EQ(in_c("a * b", Scalar::i32), "(int)((unsigned)a * (unsigned)b)");
  EXPECT_EQ(in_c("a + 1", Scalar::i64), "(long)((unsigned long)a + (unsigned long)1L)");
  EXPECT_EQ(in_c("a + b", Scalar::u8), "(unsigned char)((unsigned)a + (unsigned)b)");
  // 65535 * 65535 overflows int, to which the operands would be promoted.
  EXPECT_EQ(in_c("a * b", Scalar::u16), "(unsigned short)((unsigned)a * (unsigned)b)");
  EXPECT_EQ(in_c("a * b", Scalar::u32), "(a * b)");
  EXPECT_EQ(in_c("a - b", Scalar::u64), "(a - b)");
}

TEST(CExpr, floats_are_computed_plainly) {
  for (const Scalar type : {Scalar::f32, Scalar::f64}) {
    EXPECT_EQ(in_c("a + b * c", type), "(a + (b * c))");
    EXPECT_EQ(in_c("(a - b) / c", type), "((a - b) / c)");
  }
}

TEST(CExpr, negation_wraps_for_integers_and_never_becomes_a_decrement) {
  EXPECT_EQ(in_c("-a", Scalar::i32), "(int)((unsigned)0 - (unsigned)a)");
  EXPECT_EQ(in_c("-a", Scalar::u64), "(0 - a)");
  EXPECT_EQ(in_c("-a", Scalar::f32), "(-a)");
  EXPECT_EQ(in_c("-(-a)", Scalar::f64), "(-(-a))");
  EXPECT_EQ(in_c("b - -a", Scalar::f64), "(b - (-a))");
}

TEST(CExpr, comparisons_and_truth_are_those_of_c) {
  for (const Scalar type : {Scalar::i8, Scalar::u64, Scalar::f32}) {
    EXPECT_EQ(condition("a < b && !(b >= c) || t", type), "(((a < b) && !(b >= c)) || t)");
    EXPECT_EQ(condition("a == b", type), "(a == b)");
    EXPECT_EQ(condition("a != b", type), "(a != b)");
    EXPECT_EQ(condition("a <= b || a > b", type), "((a <= b) || (a > b))");
  }
  EXPECT_EQ(condition("!t", Scalar::i8), "!t");
}

TEST(CExpr, bits_and_choices_are_those_of_c) {
  for (const Scalar type : integers) EXPECT_EQ(in_c("a & b | c ^ b", type), "((a & b) | (c ^ b))");
  EXPECT_EQ(in_c("if a < b then a else c", Scalar::f64), "((a < b) ? a : c)");
}

TEST(CExpr, conversions_are_casts) {
  EXPECT_EQ(cast_to(Scalar::f32, Scalar::f64), "(float)((a + b))");
  EXPECT_EQ(cast_to(Scalar::i8, Scalar::u32), "(signed char)((a + b))");
  EXPECT_EQ(cast_to(Scalar::f64, Scalar::u64), "(double)((a + b))");
  EXPECT_EQ(cast_to(Scalar::boolean, Scalar::f64), "(_Bool)((a + b))");
}

TEST(CExpr, floats_to_integers_truncate_and_saturate_by_helpers) {
  for (const Scalar to : integers) {
    const std::string name = "mdh_truncate_" + to_string(to);
    EXPECT_EQ(cast_to(to, Scalar::f32), name + "((a + b))");
  }
  ExprPrinter printer;
  printer.print(cast(Scalar::i32, expression("a", Scalar::f32, Scalar::f32)));
  EXPECT_EQ(printer.helpers(), R"(#ifndef mdh_truncate_i32_defined
#define mdh_truncate_i32_defined
static inline int mdh_truncate_i32(double a) { return a != a ? 0 : a >= 0x1p31 ? 2147483647 : a <= -0x1p31 ? (-2147483647 - 1) : (int)a; }
#endif
)");
  printer = {};
  printer.print(cast(Scalar::u64, expression("a", Scalar::f64, Scalar::f64)));
  EXPECT_NE(printer.helpers().find("a >= 0x1p64 ? 18446744073709551615UL : a <= 0 ? 0UL : "
                                   "(unsigned long)a;"),
            std::string::npos)
      << printer.helpers();
}

TEST(CExpr, division_of_integers_is_a_helper_that_c_defines_everywhere) {
  for (const Scalar type : integers) {
    EXPECT_EQ(in_c("a / b", type), "mdh_div_" + to_string(type) + "(a, b)");
    EXPECT_EQ(in_c("a % b", type), "mdh_rem_" + to_string(type) + "(a, b)");
  }
  EXPECT_EQ(helpers_of("a / b", Scalar::i32), R"(#ifndef mdh_div_i32_defined
#define mdh_div_i32_defined
static inline int mdh_div_i32(int a, int b) { return b == 0 ? 0 : b == -1 ? (int)(0 - (unsigned)a) : a / b; }
#endif
)");
  EXPECT_EQ(helpers_of("a % b", Scalar::i64), R"(#ifndef mdh_rem_i64_defined
#define mdh_rem_i64_defined
static inline long mdh_rem_i64(long a, long b) { return b == 0 ? 0 : b == -1 ? 0 : a % b; }
#endif
)");
  EXPECT_EQ(helpers_of("a % b", Scalar::u8), R"(#ifndef mdh_rem_u8_defined
#define mdh_rem_u8_defined
static inline unsigned char mdh_rem_u8(unsigned char a, unsigned char b) { return b == 0 ? 0 : a % b; }
#endif
)");
}

TEST(CExpr, extremes_are_helpers_and_those_of_floats_prefer_numbers) {
  EXPECT_EQ(in_c("min(a, max(b, c))", Scalar::i16), "mdh_min_i16(a, mdh_max_i16(b, c))");
  EXPECT_EQ(helpers_of("min(a, b)", Scalar::u32), R"(#ifndef mdh_min_u32_defined
#define mdh_min_u32_defined
static inline unsigned mdh_min_u32(unsigned a, unsigned b) { return a < b ? a : b; }
#endif
)");
  EXPECT_EQ(helpers_of("max(a, b)", Scalar::f32), R"(#ifndef mdh_max_f32_defined
#define mdh_max_f32_defined
static inline float mdh_max_f32(float a, float b) { return a > b || b != b ? a : b; }
#endif
)");
}

TEST(CExpr, every_helper_is_defined_once_and_only_if_used) {
  EXPECT_EQ(helpers_of("a + b", Scalar::i32), "");
  const std::string twice = helpers_of("min(a, min(b, c)) / min(a, b)", Scalar::i64);
  EXPECT_EQ(twice, helpers_of("min(a, b) / c", Scalar::i64));
  EXPECT_NE(twice.find("mdh_div_i64"), std::string::npos);
}

TEST(CExpr, variables_take_names_that_c_accepts) {
  EXPECT_EQ(ExprPrinter().print(scalar::variable({"double", 0}, Scalar::f64)), "mdh_double");
}

// ---- indices

TEST(CIndex, index_arithmetic_is_printed_plainly_with_the_parentheses_it_needs) {
  EXPECT_EQ(index("a * 4 + b"), "a * 4 + b");
  EXPECT_EQ(index("a * (4 + b)"), "a * (4 + b)");
  EXPECT_EQ(index("a - (b + 1)"), "a - (b + 1)");
  EXPECT_EQ(index("a - b + 1"), "a - b + 1");
  EXPECT_EQ(index("a / (b * 2) % 3"), "a / (b * 2) % 3");
  EXPECT_EQ(index("-1 * a + 3"), "-1 * a + 3");
  EXPECT_EQ(index("7"), "7");
}

TEST(CIndex, extremes_of_indices_are_helpers) {
  ExprPrinter printer;
  EXPECT_EQ(printer.print_index(expression("min(3, 10 - a * 3) + 1", Scalar::i64, Scalar::i64)),
            "mdh_min_i64(3, 10 - a * 3) + 1");
  EXPECT_NE(printer.helpers().find("static inline long mdh_min_i64(long a, long b)"),
            std::string::npos);
}

TEST(CIndex, conditions_are_printed_plainly) {
  EXPECT_EQ(index("a == 0 && b * 2 < 7", Scalar::boolean), "a == 0 && b * 2 < 7");
  EXPECT_EQ(index("(a == 0 || b == 0) && c < 7", Scalar::boolean), "(a == 0 || b == 0) && c < 7");
  EXPECT_EQ(index("true", Scalar::boolean), "1");
}

TEST(CIndex, bit_operations_are_in_parentheses_because_c_ranks_them_below_comparisons) {
  EXPECT_EQ(index("a & 1 == 0", Scalar::boolean), "(a & 1) == 0");
}

TEST(CIndex, other_expressions_are_refused) {
  const Diagnostic d = diagnostic_of([] { index("-a"); });
  EXPECT_EQ(d.kind, DiagnosticKind::internal);
  EXPECT_EQ(d.message.substr(0, d.message.rfind(" (")), "not an index expression");
}

}  // namespace
}  // namespace mdh::codegen
