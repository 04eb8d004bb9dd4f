#include "mdh/hl/ranges/check_index.h"

#include <gtest/gtest.h>

#include <chrono>

#include "mdh/hl/instantiate.h"
#include "mdh/hl/parse.h"
#include "mdh/support/testing.h"

namespace mdh::hl::check_index_test {
namespace {

const std::string nothing = "(no error was raised)";

/// i: I by cc, j: J by pw(add), with one input and one output.
Diagnostic error_of(int64_t I, int64_t J, const std::string& input,
                    const std::string& output = " = [i]", const std::string& type = "f32") {
  return diagnostic_of([&] {
    parse(
        fmt::format("mdh 1 program p = out_view( y: {4}{0} ) * md_hom( i: {1} by cc, j: {2} by "
                    "pw(add) ) {{ y = x; }} * inp_view( x: {4}{3} )",
                    output, I, J, input, type));
  });
}

std::string message(int64_t I, int64_t J, const std::string& input) {
  return error_of(I, J, input).message;
}

// ---- outside

TEST(CheckIndex, product_outside_of_the_buffer_names_the_point) {
  const Diagnostic d = error_of(7, 5, "[20] = [i * j]");
  EXPECT_EQ(d.kind, DiagnosticKind::user);
  EXPECT_EQ(d.code, "E235");
  EXPECT_EQ(d.message, "index 1 of buffer 'x' is 24 at i = 6, j = 4, outside of [0, 20)");
  EXPECT_EQ(message(7, 5, "[24] = [i * j]"),
            "index 1 of buffer 'x' is 24 at i = 6, j = 4, outside of [0, 24)");
  EXPECT_EQ(message(7, 5, "[25] = [i * j]"), nothing);
}

TEST(CheckIndex, any_element_type_is_checked) {
  for (const char* type : {"i8", "u64", "f16", "f64", "i32"}) {
    EXPECT_EQ(error_of(7, 5, "[20] = [i * j]", " = [i]", type).code, "E235") << type;
    EXPECT_EQ(error_of(7, 5, "[25] = [i * j]", " = [i]", type).message, nothing) << type;
  }
}

TEST(CheckIndex, point_in_the_middle_is_found) {
  EXPECT_EQ(message(9, 1, "[20] = [i * (8 - i) + 4]"),
            "index 1 of buffer 'x' is 20 at i = 4, j = 0, outside of [0, 20)");
  EXPECT_EQ(message(9, 1, "[21] = [i * (8 - i) + 4]"), nothing);
}

TEST(CheckIndex, negative_indices_are_outside) {
  EXPECT_EQ(message(7, 5, "[9] = [max(i, j) - i * j]"),
            "index 1 of buffer 'x' is -18 at i = 6, j = 4, outside of [0, 9)");
  EXPECT_EQ(message(7, 1, "[9] = [(i - 3) % 2]"),
            "index 1 of buffer 'x' is -1 at i = 0, j = 0, outside of [0, 9)");
}

TEST(CheckIndex, negative_index_of_an_inferred_extent_is_outside) {
  EXPECT_EQ(error_of(7, 5, " = [max(i - 2, 0 - j)]").code, "E235");
  EXPECT_EQ(message(7, 5, " = [max(i - 2, 0)]"), nothing);
}

TEST(CheckIndex, second_index_of_a_second_access_is_named) {
  const Diagnostic d = diagnostic_of([] {
    parse(
        "mdh 1 program p = out_view( y: f32 = [i] ) * md_hom( i: 5 by cc ) { y = a + b; } * "
        "inp_view( x: f32[5, 16] = a: [i, 0], b: [i, i * i] )");
  });
  EXPECT_EQ(d.message, "index 2 of buffer 'x' is 16 at i = 4, outside of [0, 16)");
}

TEST(CheckIndex, outputs_are_checked_on_the_points_that_have_results) {
  const Diagnostic d = error_of(5, 3, " = [i]", "[16] = [i * i]");
  EXPECT_EQ(d.code, "E235");
  EXPECT_EQ(d.message, "index 1 of buffer 'y' is 16 at i = 4, j = 0, outside of [0, 16)");
  EXPECT_EQ(error_of(5, 3, " = [i]", "[17] = [i * i + j * 100 / 3]").message, nothing)
      << "j is reduced, and 0 in the result";
}

TEST(CheckIndex, one_of_several_outputs_is_named) {
  const Diagnostic d = diagnostic_of([] {
    parse(
        "mdh 1 program p = out_view( y: f32 = [i]; z: f32[5] = [i * i / 3] ) * md_hom( i: 5 by "
        "cc ) { y = x; z = x; } * inp_view( x: f32 = [i] )");
  });
  EXPECT_EQ(d.message, "index 1 of buffer 'z' is 5 at i = 4, outside of [0, 5)");
}

TEST(CheckIndex, extents_of_size_one) {
  EXPECT_EQ(message(1, 1, "[1] = [i * j]"), nothing);
  EXPECT_EQ(message(9, 1, "[1] = [i * j]"), nothing) << "j is 0";
  EXPECT_EQ(message(2, 2, "[1] = [i * j]"),
            "index 1 of buffer 'x' is 1 at i = 1, j = 1, outside of [0, 1)");
}

// ---- choices, extremes, bits

TEST(CheckIndex, branch_that_is_not_taken_may_be_outside) {
  EXPECT_EQ(message(9, 9, "[9] = [(if i < j then j - i else i - j)]"), nothing);
  EXPECT_EQ(message(9, 9, "[8] = [(if i < j then j - i else i - j)]"),
            "index 1 of buffer 'x' is 8 at i = 8, j = 0, outside of [0, 8)");
  EXPECT_EQ(message(9, 9, "[3] = [(if i > 2 || !(j < 100) then 2 else i)]"), nothing);
}

TEST(CheckIndex, condition_guards_a_division) {
  EXPECT_EQ(message(1, 13, "[101] = [(if j == 0 then 0 else 100 / j)]"), nothing);
  EXPECT_EQ(message(1, 13, "[101] = [(if j != 0 && 100 / j > 20 then 1 else 0)]"), nothing);
  EXPECT_EQ(message(1, 13, "[101] = [(if 100 / j > 20 && j != 0 then 1 else 0)]"),
            "index 1 of buffer 'x' divides by zero at i = 0, j = 0");
}

TEST(CheckIndex, bits_and_shifts) {
  EXPECT_EQ(message(9, 9, "[16] = [(i ^ j)]"), nothing);
  EXPECT_EQ(error_of(9, 9, "[15] = [((i * 5) ^ j)]").code, "E235");
  EXPECT_EQ(message(9, 9, "[8] = [(i * 77 & 7)]"), nothing);
  EXPECT_EQ(message(9, 9, "[3] = [(i >> 2)]"), nothing);
  EXPECT_EQ(error_of(9, 9, "[2] = [(i >> 2)]").code, "E235");
  EXPECT_EQ(error_of(9, 2, "[99] = [((1 << (60 + i)) & 1)]").code, "E236");
  EXPECT_EQ(error_of(9, 2, "[99] = [(1 >> (j - 1))]").code, "E236");
}

TEST(CheckIndex, floats_loops_and_calls_are_interpreted) {
  EXPECT_EQ(message(26, 2, "[6] = [i64(sqrt(f64(i)))]"), nothing);
  EXPECT_EQ(message(26, 2, "[5] = [i64(sqrt(f64(i)))]"),
            "index 1 of buffer 'x' is 5 at i = 25, j = 0, outside of [0, 5)");
  const std::string halved = "(loop (n = i, k = 0) while (n > 0) { n = n / 2, k = k + 1 } yield k)";
  EXPECT_EQ(message(16, 2, "[5] = [" + halved + "]"), nothing);
  EXPECT_EQ(message(17, 2, "[5] = [" + halved + "]"),
            "index 1 of buffer 'x' is 5 at i = 16, j = 0, outside of [0, 5)");
  const Diagnostic d = error_of(3, 2, "[5] = [(loop (k = 0) while (k < 9) { k = k + j } yield 1)]");
  EXPECT_EQ(d.code, "E132");
  EXPECT_EQ(d.notes, std::vector<std::string>{"at i = 0, j = 0"});
}

TEST(CheckIndex, narrow_integers_wrap_around) {
  EXPECT_EQ(message(9, 1, "[256] = [i64(u8(i) * u8(250))]"), nothing);
  EXPECT_EQ(error_of(9, 1, "[256] = [i64(i8(i) * i8(50))]").code, "E235") << "3 * 50 is -106";
}

// ---- trouble on the way

TEST(CheckIndex, division_by_zero_names_the_point) {
  const Diagnostic d = error_of(7, 13, "[101] = [100 / j]");
  EXPECT_EQ(d.kind, DiagnosticKind::user);
  EXPECT_EQ(d.code, "E130");
  EXPECT_EQ(d.message, "index 1 of buffer 'x' divides by zero at i = 0, j = 0");
  EXPECT_EQ(message(7, 13, "[101] = [100 / (j + 1)]"), nothing);
  EXPECT_EQ(message(7, 13, "[101] = [50 + 40 % (j - 6)]"),
            "index 1 of buffer 'x' divides by zero at i = 0, j = 6");
  EXPECT_EQ(message(7, 13, "[101] = [50 + 40 / (5 * j - 7 * i - 1)]"),
            "index 1 of buffer 'x' divides by zero at i = 2, j = 3");
  EXPECT_EQ(error_of(7, 13, " = [i]", "[9] = [8 / (i - 3) + 1]").message,
            "index 1 of buffer 'y' is -1 at i = 0, j = 0, outside of [0, 9)");
}

TEST(CheckIndex, overflow_does_not_slip_through_as_a_small_number) {
  const Diagnostic d = error_of(8, 1, "[10] = [(i * 2305843009213693952) % 10]");
  EXPECT_EQ(d.code, "E236");
  EXPECT_EQ(d.message, "index 1 of buffer 'x' exceeds 64 bits on its way at i = 7, j = 0");
  EXPECT_EQ(message(4, 1, "[10] = [(i * 2305843009213693952) % 10]"), nothing) << "3 * 2^61 fits";
  EXPECT_EQ(error_of(9, 9, "[9] = [((i * 4294967296) * (j * 4294967296)) / 4294967296]").code,
            "E236");
  EXPECT_EQ(error_of(9, 9, "[9] = [min((i + 9223372036854775800), 5)]").code, "E236");
  EXPECT_EQ(error_of(9, 9, "[9] = [max(0 - i * 4611686018427387904, 0)]").code, "E236");
}

// A sum that is 0 in the end, as an affine form, but not on the way.
TEST(CheckIndex, affine_functions_must_not_overflow_either) {
  EXPECT_EQ(error_of(3, 3,
                     "[9] = [4611686018427387904 * i + 4611686018427387904 * j - "
                     "4611686018427387904 * i - 4611686018427387904 * j]")
                .code,
            "E236");
}

// ---- many points

double seconds_of(const std::function<void()>& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// All of them at once takes a fraction of a second; trying 10^12 points would take hours.
TEST(CheckIndex, large_index_sets_are_not_enumerated) {
  const double seconds = seconds_of([] {
    EXPECT_EQ(message(1000000, 1000000, "[999998000002] = [i * j]"), nothing);
    EXPECT_EQ(error_of(1000000, 1000000, "[999998000001] = [i * j]").code, "E235");
    EXPECT_EQ(message(1000000000, 1000, "[1000000001] = [i / (j + 1)]"), nothing);
    EXPECT_EQ(message(1000000000, 1000, "[1000] = [i % (j + 1)]"), nothing);
    EXPECT_EQ(message(1000000000, 1, "[1000] = [(i * i) % 1000]"), nothing);
    EXPECT_EQ(message(1000000, 1, "[250000000001] = [i * (1000000 - i)]"), nothing);
    EXPECT_EQ(error_of(1000000, 1, "[250000000000] = [i * (1000000 - i)]").message,
              "index 1 of buffer 'x' is 250000000000 at i = 500000, j = 0, outside of [0, "
              "250000000000)");
    EXPECT_EQ(error_of(1000000000, 1000000, "[9] = [8 / (i + j)]").code, "E130");
    EXPECT_EQ(message(1000000000, 1000000, "[9] = [(if i > 0 then 8 / (i + j) else 8)]"), nothing);
  });
  EXPECT_LT(seconds, 5);
}

// Only the dimension that the index mentions is looked at.
TEST(CheckIndex, dimensions_that_are_not_mentioned_do_not_count) {
  EXPECT_EQ(message(1000, 1000000000, "[997] = [(i * i) % 1000]"), nothing);
  const std::string outside = message(1000, 1000000000, "[996] = [(i * i) % 1000]");
  EXPECT_EQ(outside.find("index 1 of buffer 'x' is 996 at i = "), 0u) << outside;
  EXPECT_NE(outside.find(", j = 0, outside of [0, 996)"), std::string::npos) << outside;
}

TEST(CheckIndex, what_cannot_be_shown_is_not_supported) {
  std::vector<Diagnostic> all;
  const double seconds = seconds_of([&] {
    all.push_back(error_of(1000000000, 1, "[997] = [(i * i) % 1000]"));
    all.push_back(error_of(1000000000, 1, "[40000] = [i64(sqrt(f64(i)))]"));
  });
  for (const Diagnostic& d : all) {
    EXPECT_EQ(d.kind, DiagnosticKind::unsupported) << d.message;
    EXPECT_EQ(d.code, "E237");
  }
  EXPECT_EQ(all[0].message,
            "not supported: index 1 of buffer 'x', 'i * i % 1000', which could not be shown to "
            "stay inside of [0, 997)");
  EXPECT_LT(seconds, 20) << "two seconds on an idle machine";
}

}  // namespace
}  // namespace mdh::hl::check_index_test
