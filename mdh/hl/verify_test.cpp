#include "mdh/hl/verify.h"

#include <gtest/gtest.h>

#include "mdh/hl/parse.h"
#include "mdh/support/testing.h"

namespace mdh::hl::verify_test {
namespace {

/// A concrete program of three pieces; every piece has a line of its own.
Diagnostic error_of(const std::string& out, const std::string& hom, const std::string& inp) {
  return diagnostic_of([&] {
    parse("mdh 1 program p = out_view(\n" + out + ")\n* md_hom(" + hom + "\n* inp_view(\n" + inp +
              ")",
          "t");
  });
}

Diagnostic error_of_dimensions(const std::string& dimensions, const std::string& type = "f32") {
  return error_of("y: " + type + " = [i]", dimensions + ") { y = x; }", "x: " + type + " = [i]");
}

Diagnostic error_of_body(const std::string& body) {
  return error_of("y: f32 = [i]; z: f32 = [i]", "i: 4 by cc, k: 3 by pw(add)) {\n" + body + " }",
                  "x: f32 = [k]");
}

Diagnostic error_of_input(const std::string& view) {
  return error_of("y: f32 = [i]", "i: 4 by cc, k: 3 by pw(add)) { y = x; }", view);
}

TEST(Verify, size_must_be_a_number) {
  const Diagnostic d = error_of_dimensions("i: 4 / 0 by cc");
  EXPECT_EQ(d.code, "E214");
  EXPECT_EQ(d.message, "the size of dimension 'i' is not a number: 4 / 0");
  EXPECT_EQ(error_of_dimensions("i: i by cc").code, "E214");
}

TEST(Verify, size_is_at_least_1) {
  const Diagnostic d = error_of_dimensions("i: 3 - 3 by cc");
  EXPECT_EQ(d.code, "E215");
  EXPECT_EQ(d.message, "the size of dimension 'i' is 0, but sizes are at least 1");
  EXPECT_EQ(error_of_dimensions("i: 1 by cc").message, "(no error was raised)");
}

TEST(Verify, index_set_fits_64_bits) {
  const Diagnostic d = error_of_dimensions("i: 4294967296 by cc, j: 4294967296 by pw(add)");
  EXPECT_EQ(d.code, "E216");
  EXPECT_EQ(d.message, "the index set is too large for 64-bit indices");
}

TEST(Verify, buffers_fit_64_bits) {
  const Diagnostic d = error_of_input("x: f32 = [i * 1099511627776, k * 1099511627776]");
  EXPECT_EQ(d.code, "E216");
  EXPECT_EQ(d.message, "buffer 'x' is too large for 64-bit addresses");
  EXPECT_EQ(to_string(d.where), "t:5:1");
}

// 2^62 times 3 does not fit 64 bits, and is not a small negative number either.
TEST(Verify, index_that_overflows_is_too_large) {
  EXPECT_EQ(error_of_input("x: f32 = [4611686018427387904 * i]").code, "E216");
  EXPECT_EQ(error_of_input("x: f32 = [4611686018427387904 * i - 4611686018427387904 * k]").code,
            "E223");
}

TEST(Verify, every_output_is_assigned_exactly_once) {
  const Diagnostic none = error_of_body("y = x;");
  EXPECT_EQ(none.code, "E217");
  EXPECT_EQ(none.message, "output 'z' is assigned 0 times in the scalar function");
  EXPECT_EQ(none.hint, "write exactly one 'z = ...;'");
  EXPECT_EQ(to_string(none.where), "t:2:24") << "at the access that gets no value";
  const Diagnostic twice = error_of_body("y = x;\ny = x;\nz = x;");
  EXPECT_EQ(twice.message, "output 'y' is assigned 2 times in the scalar function");
  EXPECT_EQ(to_string(twice.where), "t:5:1") << "at the second assignment";
}

TEST(Verify, names_have_a_value_where_they_stand) {
  const Diagnostic output = error_of_body("y = x; z = y;");
  EXPECT_EQ(output.code, "E218");
  EXPECT_EQ(output.message, "'y' has no value in the scalar function");
  EXPECT_EQ(output.hint, "usable here: i, k, x");
  EXPECT_EQ(to_string(output.where), "t:4:12");
  EXPECT_EQ(error_of_input("x: f32[i + 1] = [i]").message, "'i' has no value in an extent");
  EXPECT_EQ(error_of_input("x: f32 = [n]; n: i64 = []").message,
            "'n' has no value in an index function");
}

TEST(Verify, accesses_of_a_buffer_have_one_rank) {
  const Diagnostic d = error_of_input("x: f32 = x: [i], second: [i, k]");
  EXPECT_EQ(d.code, "E221");
  EXPECT_EQ(d.message, "buffer 'x' has 1 dimension, but this access has 2");
  EXPECT_EQ(to_string(d.where), "t:5:18");
}

TEST(Verify, declared_extents_have_the_rank_of_the_accesses) {
  const Diagnostic d = error_of_input("x: f32[9] = [i, k]");
  EXPECT_EQ(d.code, "E222");
  EXPECT_EQ(d.message, "buffer 'x' is declared with 1 extents, but accessed with 2 indices");
}

TEST(Verify, indices_begin_at_0) {
  const Diagnostic d = error_of_input("x: f32 = [i, k - i - 1 - 1]");
  EXPECT_EQ(d.code, "E223");
  EXPECT_EQ(d.message, "index 2 of buffer 'x' reaches -5 at i = 3, k = 0");
  EXPECT_EQ(d.where.line, 5) << "also after simplification";
  EXPECT_EQ(error_of_input("x: f32 = [3 - i]").message, "(no error was raised)");
  EXPECT_EQ(error_of_input("x: f32 = [2 - i]").message,
            "index 1 of buffer 'x' reaches -1 at i = 3, k = 0");
}

TEST(Verify, indices_end_before_the_declared_extent) {
  const Diagnostic d = error_of_input("x: f32[4, 5] = [i, 2 * k + 1]");
  EXPECT_EQ(d.code, "E224");
  EXPECT_EQ(d.message, "index 2 of buffer 'x' reaches 5 at i = 0, k = 2, but its extent is 5");
  EXPECT_EQ(d.hint, "declare at least 6, or leave the extents out");
  EXPECT_EQ(error_of_input("x: f32[4, 6] = [i, 2 * k + 1]").message, "(no error was raised)");
}

TEST(Verify, outputs_range_over_the_result_only) {
  EXPECT_EQ(
      error_of("y: f32[4] = [i + k]", "i: 4 by cc, k: 3 by pw(add)) { y = x; }", "x: f32 = [i]")
          .message,
      "(no error was raised)")
      << "a reduced dimension has the index 0 in the result";
}

TEST(Verify, operators_fit_the_number_of_outputs) {
  const Diagnostic d =
      error_of("y: f32 = [i]; z: f32 = [i]; w: f32 = [i]",
               "i: 4 by cc, k: 3 by pw(add, mul)) { y = x; z = x; w = x; }", "x: f32 = [k]");
  EXPECT_EQ(d.code, "E225");
  EXPECT_EQ(d.message, "pw(add, mul) names 2 operators for 3 outputs");
}

TEST(Verify, all_reductions_use_one_operator) {
  const Diagnostic d = error_of_dimensions("i: 4 by pw(add), k: 3 by pw(mul)");
  EXPECT_EQ(d.code, "E226");
  EXPECT_EQ(d.message, "dimensions 'i' by pw(add) and 'k' by pw(mul) do not fit together");
  // The counterexample of the hint, by hand: 1 * 2 + 3 * 4 and (1 + 3) * (2 + 4).
  EXPECT_NE(d.hint.find("14"), std::string::npos);
  EXPECT_NE(d.hint.find("24"), std::string::npos);
  EXPECT_EQ(error_of_dimensions("i: 4 by pw(add), j: 2 by cc, k: 3 by pw(add)").message,
            "(no error was raised)");
}

TEST(Verify, operator_has_a_meaning_for_the_type) {
  EXPECT_EQ(error_of_dimensions("i: 4 by pw(xor)").code, "E227");
  EXPECT_EQ(error_of_dimensions("i: 4 by pw(xor)").message,
            "pw(xor) does not combine values of type f32");
  EXPECT_EQ(error_of_dimensions("i: 4 by pw(add)", "bool").message,
            "pw(add) does not combine values of type bool");
  EXPECT_EQ(error_of_dimensions("i: 4 by pw(max)", "bool").hint, "use and, or, xor");
  EXPECT_EQ(error_of_dimensions("i: 4 by pw(or)", "bool").message, "(no error was raised)");
  EXPECT_EQ(error_of_dimensions("i: 4 by pw(and)", "u16").message, "(no error was raised)");
}

TEST(Verify, program_has_an_output) {
  const Diagnostic d = error_of("", "i: 4 by cc) { }", "x: f32 = [i]");
  EXPECT_EQ(d.code, "E228");
  EXPECT_EQ(d.message, "program 'p' has no output");
}

TEST(Verify, only_concrete_programs_can_be_verified) {
  const Program p = parse(
      "mdh 1 program p<N: size = 3> = out_view( y: f32 = [i] ) * md_hom( i: N by cc ) { y = x; } * "
      "inp_view( x: f32 = [i] )");
  EXPECT_EQ(diagnostic_of([&] { verify(p); }).kind, DiagnosticKind::internal);
}

}  // namespace
}  // namespace mdh::hl::verify_test
