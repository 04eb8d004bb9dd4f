#include "mdh/backend/c/expr.h"

#include <gtest/gtest.h>

#include "mdh/scalar/elaborate.h"
#include "mdh/scalar/parse.h"
#include "mdh/scalar/resolve.h"
#include "mdh/support/testing.h"

namespace mdh::backend::expr_test {
namespace {

using scalar::Expr;
using scalar::Scalar;

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
  EXPECT_EQ(in_c("a - -7", Scalar::f32), "(a - (-7.0f))");
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

/// Where threads run in lockstep a branch costs more than what it saves. What takes long, or has
/// another value than 0 and 1 in memory, is not computed in vain.
TEST(CExpr, cheap_truth_of_threads_in_lockstep_has_no_branches) {
  const auto cuda = [](const std::string& text) {
    return ExprPrinter(Dialect::cuda).print(expression(text, Scalar::i32, Scalar::boolean));
  };
  EXPECT_EQ(cuda("a < b && !(b >= c) || t"), "(((a < b) & !(b >= c)) | t)");
  EXPECT_EQ(cuda("a < b && a / c == 1").find(" & "), std::string::npos);
  EXPECT_EQ(cuda("a < b && (if t then a else b) == c").find(" & "), std::string::npos);
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
    const std::string name = "mdh_truncate_f32_" + to_string(to);
    EXPECT_EQ(cast_to(to, Scalar::f32), name + "((a + b))");
  }
  ExprPrinter single;
  single.print(cast(Scalar::i32, expression("a", Scalar::f32, Scalar::f32)));
  EXPECT_EQ(single.helpers(), R"(#ifndef mdh_truncate_f32_i32_defined
#define mdh_truncate_f32_i32_defined
static inline int mdh_truncate_f32_i32(float a) { return a != a ? 0 : a >= 0x1p31f ? 2147483647 : a <= -0x1p31f ? (-2147483647 - 1) : (int)a; }
#endif
)");
  ExprPrinter twofold;
  twofold.print(cast(Scalar::u64, expression("a", Scalar::f64, Scalar::f64)));
  EXPECT_NE(twofold.helpers().find("a >= 0x1p64 ? 18446744073709551615UL : a <= 0 ? 0UL : "
                                   "(unsigned long)a;"),
            std::string::npos)
      << twofold.helpers();
}

TEST(CExpr, shifts_take_the_distance_modulo_the_number_of_bits) {
  EXPECT_EQ(in_c("a << b", Scalar::i8), "(signed char)((unsigned)a << (b & 7))");
  EXPECT_EQ(in_c("a << b", Scalar::u64), "(unsigned long)((unsigned long)a << (b & 63))");
  EXPECT_EQ(in_c("a >> b", Scalar::i32), "(a >> (b & 31))");
  EXPECT_EQ(in_c("~a", Scalar::u16), "(unsigned short)(~a)");
}

TEST(CExpr, mathematics_is_computed_in_double_unless_float_is_exact) {
  EXPECT_EQ(in_c("sqrt(exp(a))", Scalar::f32), "mdh_sqrt_f32(mdh_exp_f32(a))");
  EXPECT_EQ(in_c("abs(a)", Scalar::i16), "mdh_abs_i16(a)");
  EXPECT_EQ(in_c("abs(a)", Scalar::u16), "a");
  const std::string helpers = helpers_of("sqrt(exp(a))", Scalar::f32);
  EXPECT_NE(helpers.find("{ return (float)__builtin_exp(a); }"), std::string::npos) << helpers;
  EXPECT_NE(helpers.find("{ return (float)__builtin_sqrtf(a); }"), std::string::npos) << helpers;
  EXPECT_NE(helpers_of("pow(a, b)", Scalar::f64)
                .find("(double a, double b) { return (double)"
                      "__builtin_pow(a, b); }"),
            std::string::npos);
}

TEST(CExpr, sixteen_bit_floats_are_rounded_after_each_operation) {
  EXPECT_EQ(in_c("a + b * c", Scalar::f16), "mdh_round_f16((a + mdh_round_f16((b * c))))");
  EXPECT_EQ(in_c("-min(a, b)", Scalar::bf16), "(-mdh_min_bf16(a, b))");
  EXPECT_EQ(in_c("exp(a)", Scalar::bf16), "mdh_round_bf16(mdh_exp_f32(a))");
  EXPECT_EQ(in_c("a + 0.5", Scalar::f16), "mdh_round_f16((a + 0.5f))");
  EXPECT_EQ(condition("a < b", Scalar::f16), "(a < b)");
  EXPECT_EQ(cast_to(Scalar::f16, Scalar::f64), "mdh_round_f16((float)((a + b)))");
}

TEST(CExpr, division_of_integers_is_a_helper_that_c_defines_everywhere) {
  for (const Scalar type : integers) {
    EXPECT_EQ(in_c("a / b", type), "mdh_div_" + to_string(type) + "(a, b)");
    EXPECT_EQ(in_c("a % b", type), "mdh_rem_" + to_string(type) + "(a, b)");
  }
  EXPECT_EQ(helpers_of("a / b", Scalar::i32), R"(#ifndef mdh_div_i32_defined
#define mdh_div_i32_defined
static inline int mdh_div_i32(int a, int b) { return b == 0 ? 0 : b == -1 ? (int)((unsigned)0 - (unsigned)a) : a / b; }
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

TEST(CExpr, extremes_are_helpers_and_those_of_floats_know_zeros_and_nan) {
  EXPECT_EQ(in_c("min(a, max(b, c))", Scalar::i16), "mdh_min_i16(a, mdh_max_i16(b, c))");
  EXPECT_EQ(helpers_of("min(a, b)", Scalar::u32), R"(#ifndef mdh_min_u32_defined
#define mdh_min_u32_defined
static inline unsigned mdh_min_u32(unsigned a, unsigned b) { return a < b ? a : b; }
#endif
)");
  EXPECT_EQ(helpers_of("max(a, b)", Scalar::f32), R"(#ifndef mdh_max_f32_defined
#define mdh_max_f32_defined
static inline float mdh_max_f32(float a, float b) {
  union { float value; unsigned bits; } x, y;
  x.value = a;
  y.value = b;
  x.bits &= y.bits;
  return a == b ? x.value : (a > b || b != b ? a : b);
}
#endif
)");
}

TEST(CExpr, limits_that_are_written_down_cost_one_comparison) {
  const auto of = [](const std::string& text) { return in_c(text, Scalar::f32); };
  EXPECT_EQ(of("max(a, 0.0)"), "mdh_at_least_f32(a, 0.0f)");
  EXPECT_EQ(of("min(1.5, a)"), "mdh_at_most_f32(a, 1.5f)");
  EXPECT_EQ(of("min(a, -0.0)"), "mdh_at_most_f32(a, (-0.0f))");
  EXPECT_EQ(of("min(a, 0.0)"), "mdh_below_f32(a, 0.0f)") << "-0 has to win";
  EXPECT_EQ(of("max(-0.0, a)"), "mdh_above_f32(a, (-0.0f))") << "0 has to win";
  EXPECT_NE(helpers_of("min(a, 0.0)", Scalar::f32).find("return a <= limit ? a : limit;"),
            std::string::npos);
  EXPECT_EQ(in_c("max(a, 0)", Scalar::i32), "mdh_max_i32(a, 0)");
  EXPECT_EQ(helpers_of("max(a, 0.0)", Scalar::f64), R"(#ifndef mdh_at_least_f64_defined
#define mdh_at_least_f64_defined
static inline double mdh_at_least_f64(double a, double limit) { return a > limit ? a : limit; }
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

// ---- memory

TEST(CMemory, bools_are_bytes_and_sixteen_bit_floats_are_bits) {
  ExprPrinter c, opencl(Dialect::opencl);
  EXPECT_EQ(c.storage_type(Scalar::boolean), "unsigned char");
  EXPECT_EQ(c.value_type(Scalar::boolean), "_Bool");
  EXPECT_EQ(opencl.value_type(Scalar::boolean), "bool");
  EXPECT_EQ(c.load(Scalar::boolean, "x[0]"), "(x[0] != 0)");
  EXPECT_EQ(c.store(Scalar::boolean, "x[0]", "v"), "x[0] = v;\n");
  EXPECT_EQ(c.storage_type(Scalar::bf16), "unsigned short");
  EXPECT_EQ(c.value_type(Scalar::bf16), "float");
  EXPECT_EQ(c.load(Scalar::bf16, "x[0]"), "mdh_from_bf16(x[0])");
  EXPECT_EQ(c.store(Scalar::f16, "x[0]", "v"), "x[0] = mdh_to_f16(v);\n");
}

TEST(CMemory, other_scalars_are_what_they_are) {
  ExprPrinter printer;
  EXPECT_EQ(printer.storage_type(Scalar::i64), "long");
  EXPECT_EQ(printer.value_type(Scalar::f64), "double");
  EXPECT_EQ(printer.load(Scalar::u8, "x[0]"), "x[0]");
  EXPECT_EQ(printer.store(Scalar::f32, "x[0]", "v"), "x[0] = v;\n");
  EXPECT_EQ(printer.helpers(), "");
}

// ---- OpenCL C

TEST(OpenCLExpr, doubles_are_an_extension) {
  const std::string pragma = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n";
  ExprPrinter doubles(Dialect::opencl), floats(Dialect::opencl);
  doubles.print(expression("a + 0.1", Scalar::f64, Scalar::f64));
  EXPECT_EQ(doubles.helpers(), pragma);
  floats.print(cast(Scalar::i32, expression("exp(a) + 0.5", Scalar::f32, Scalar::f32)));
  EXPECT_EQ(floats.helpers().find("double"), std::string::npos) << floats.helpers();
  EXPECT_EQ(floats.helpers().find("fp64"), std::string::npos) << floats.helpers();
}

TEST(OpenCLExpr, differences_are_hidden_from_an_assembler_that_loses_signs) {
  ExprPrinter printer(Dialect::opencl);
  const auto in_opencl = [&](const std::string& text, Scalar type) {
    return printer.print(expression(text, type, type));
  };
  EXPECT_EQ(in_opencl("-a", Scalar::i16),
            "(short)((unsigned)0 + (unsigned)a * (unsigned)mdh_minus_one)");
  EXPECT_EQ(in_opencl("a - b", Scalar::u32),
            "(unsigned)((unsigned)a + (unsigned)b * (unsigned)mdh_minus_one)");
  EXPECT_EQ(in_opencl("a - b", Scalar::i64),
            "(long)((unsigned long)a + (unsigned long)b * (unsigned long)mdh_minus_one)");
  EXPECT_EQ(in_opencl("a - b", Scalar::f32), "(a - b)");
  // These are differences in disguise.
  EXPECT_EQ(in_opencl("~a", Scalar::i16), "(short)((unsigned)a ^ (unsigned)mdh_minus_one)");
  EXPECT_EQ(in_opencl("a & -3", Scalar::i32),
            "(a & (int)((unsigned)3UL * (unsigned)mdh_minus_one))");
  EXPECT_EQ(in_opencl("a & 65535", Scalar::u16),
            "(a & (unsigned short)((unsigned)1UL * (unsigned)mdh_minus_one))");
  EXPECT_EQ(in_opencl("a & 65534", Scalar::u16), "(a & 65534)");
  EXPECT_EQ(printer.helpers(), R"(#ifndef mdh_minus_one_defined
#define mdh_minus_one_defined
#ifdef __NV_CL_C_VERSION  /* its assembler loses minus signs */
#define mdh_minus_one ((int)~(get_work_dim() >> 2))
#else
#define mdh_minus_one (-1)
#endif
#endif
)");
}

TEST(OpenCLExpr, mathematics_and_extremes_are_built_in) {
  ExprPrinter printer(Dialect::opencl);
  EXPECT_EQ(printer.print(expression("min(abs(a), b)", Scalar::f32, Scalar::f32)),
            "mdh_min_f32(mdh_abs_f32(a), b)");
  EXPECT_EQ(printer.helpers(), R"(#ifndef mdh_abs_f32_defined
#define mdh_abs_f32_defined
static inline float mdh_abs_f32(float a) { return (float)fabs(a); }
#endif
#ifndef mdh_min_f32_defined
#define mdh_min_f32_defined
static inline float mdh_min_f32(float a, float b) {
  union { float value; unsigned bits; } x, y;
  x.value = a;
  y.value = b;
  x.bits |= y.bits;
  return a == b ? x.value : (fmin(a, b));
}
#endif
)");
}

TEST(CudaExpr, extremes_of_f32_are_one_instruction) {
  const auto helpers = [](const std::string& text, Scalar type) {
    ExprPrinter printer(Dialect::cuda);
    printer.print(expression(text, type, type));
    return printer.helpers();
  };
  const std::string max = helpers("max(a, b)", Scalar::f32);
  EXPECT_NE(max.find("asm(\"max.f32 %0, %1, %2;\" : \"=f\"(both) : \"f\"(a), \"f\"(b));"),
            std::string::npos)
      << max;
  EXPECT_NE(max.find("#else\n  union {"), std::string::npos) << "elsewhere as in C" << max;
  EXPECT_NE(helpers("min(a, b)", Scalar::f16).find("asm(\"min.f32 "), std::string::npos);
  for (const Scalar type : {Scalar::f64, Scalar::i32, Scalar::u64}) {
    EXPECT_EQ(helpers("max(a, b)", type).find("asm("), std::string::npos) << to_string(type);
  }
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

TEST(CIndex, choices_are_in_parentheses) {
  EXPECT_EQ(index("(if a % 4 == 0 then b / 2 else c) * 3"), "(a % 4 == 0 ? b / 2 : c) * 3");
}

TEST(CIndex, other_expressions_are_refused) {
  const Diagnostic d = diagnostic_of([] { index("-a"); });
  EXPECT_EQ(d.kind, DiagnosticKind::internal);
  EXPECT_EQ(d.message.substr(0, d.message.rfind(" (")), "not an index expression");
}

}  // namespace
}  // namespace mdh::backend::expr_test
