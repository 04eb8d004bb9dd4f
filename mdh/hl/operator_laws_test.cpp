// Many operators of the user: those that keep the laws are accepted at every size, those that break
// them are refused with values that show it.
#include <gtest/gtest.h>

#include <regex>

#include "mdh/hl/instantiate.h"
#include "mdh/hl/laws/laws.h"
#include "mdh/hl/laws/operator_forms.h"
#include "mdh/hl/parse.h"
#include "mdh/support/testing.h"
#include "mdh/support/text.h"

namespace mdh::hl::operator_laws_test {
namespace {

/// A reduction by the operator `o`.
struct Example {
  std::string name;
  std::string definitions;  // records, functions, o
  std::string outputs;      // "s: T; m: T"
  std::string body;         // what f assigns
  std::string inputs;       // "x: T"
  bool proven = false;      // by its form
};

std::string views(const std::string& buffers, const std::string& index) {
  std::vector<std::string> all;
  for (const std::string& buffer : mdh::split(buffers, ';')) all.push_back(buffer + " = " + index);
  return join(all, ";");
}

std::string with_type(std::string text, const std::string& type) {
  return std::regex_replace(text, std::regex("\\bT\\b"), type);
}

Program program_of(const Example& e, const std::string& type, int64_t size) {
  return parse(with_type(
      fmt::format("mdh 1\n{}\nprogram p = out_view( {} ) * md_hom( i: 3 by cc, k: {} by pw(o) ) "
                  "{{ {} }} * inp_view( {} )",
                  e.definitions, views(e.outputs, "[i]"), size, e.body, views(e.inputs, "[i, k]")),
      type));
}

Diagnostic verdict(const Example& e, const std::string& type, int64_t size) {
  return diagnostic_of([&] { instantiate(program_of(e, type, size), {}); });
}

std::string scalar_op(const std::string& body) { return "op o(l, r) = " + body + ";"; }

Example on_scalars(const std::string& name, const std::string& body, bool proven = false) {
  return {name, scalar_op(body), "y: T", "y = x;", "x: T", proven};
}

const std::string best = "record best { weight: T; id: i32; status: i8; }\n";
const std::string best_body =
    "y = best{ weight = x, id = i32(k), status = if x > 0 then 1 else 0 };";

Example choice(const std::string& name, const std::string& condition, bool proven = true) {
  return {name,      best + "op o(l, r) = if " + condition + " then l else r;",
          "y: best", best_body,
          "x: T",    proven};
}

void expect_accepted(const Example& e, const std::vector<std::string>& types) {
  for (const std::string& type : types) {
    for (const int64_t size : {2, 3, 7, 100'000}) {
      EXPECT_EQ(verdict(e, type, size).message, "(no error was raised)")
          << e.name << " " << type << " " << size;
    }
    const Program p = program_of(e, type, 100);
    EXPECT_EQ(is_lawful_by_form(p, p.dimensions[1].combine), e.proven) << e.name << " " << type;
    const auto found = broken_law(p, 2);
    EXPECT_FALSE(found) << e.name << " " << type << ": " << found->counterexample;
  }
}

const std::vector<std::string> floats = {"f16", "bf16", "f32", "f64"};
const std::vector<std::string> integers = {"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"};
const std::vector<std::string> numbers = {"i8",  "u8",  "i32",  "u32", "i64",
                                          "u64", "f16", "bf16", "f32", "f64"};

// ---- accepted

TEST(LawfulOperators, sums_products_and_extremes_are_proven) {
  for (const char* body :
       {"l + r", "r + l", "l * r", "min(l, r)", "max(r, l)", "if l < r then l else r",
        "if l <= r then r else l", "if !(l > r) then l else r"}) {
    expect_accepted(on_scalars(body, body, true), numbers);
  }
}

TEST(LawfulOperators, bits_and_truth_values_are_proven) {
  for (const char* body : {"l & r", "l | r", "l ^ r"}) {
    expect_accepted(on_scalars(body, body, true), integers);
  }
  for (const char* body : {"l && r", "r || l", "l != r", "l == r"}) {
    expect_accepted(on_scalars(body, body, true), {"bool"});
  }
}

TEST(LawfulOperators, sums_of_vectors_on_outputs_and_in_records_are_proven) {
  expect_accepted({"outputs", "op o(l, r) { a = l.a + r.a; b = l.b + r.b; c = l.c + r.c; }",
                   "a: T; b: T; c: T", "a = x; b = x * x; c = x / 3;", "x: T", true},
                  {"f16", "bf16", "f32", "f64", "i32", "u8"});
  expect_accepted({"record",
                   "record v { a: T; b: T; }\n"
                   "op o(l, r) = v{ b = r.b + l.b, a = l.a + r.a };",
                   "y: v", "y = v{ a = x, b = x / 7 };", "x: T", true},
                  floats);
  expect_accepted(
      {"mixed",
       "record v { n: i64; s: T; least: T; most: T; any: bool; }\n"
       "op o(l, r) { n = l.n + r.n; return v{ n = n, s = l.s + r.s, "
       "least = min(l.least, r.least), any = l.any || r.any, "
       "most = if l.most > r.most then l.most else r.most }; }",
       "y: v", "y = v{ n = 1, s = x, least = x, most = x, any = x > 3 };", "x: T", true},
      numbers);
}

TEST(LawfulOperators, vectors_of_floats_are_accepted_where_no_form_is_known) {
  // A call of a function in a loop hides the form.
  expect_accepted({"hidden",
                   "fun plus(a: T, b: T): T = loop (k = 0, s = a) while (k < 1) "
                   "{ s = s + b, k = k + 1 } yield s;\n"
                   "op o(l, r) { a = plus(l.a, r.a); b = plus(l.b, r.b); }",
                   "a: T; b: T", "a = x * 0.1; b = x / 3.0;", "x: T"},
                  floats);
}

TEST(LawfulOperators, lexicographic_choices_are_proven_however_they_are_written) {
  for (const char* condition :
       {"l.weight > r.weight || l.weight == r.weight && l.id <= r.id",
        "l.weight > r.weight || l.weight >= r.weight && l.id < r.id",
        "r.weight < l.weight || !(l.weight != r.weight) && r.id > l.id",
        "if l.weight == r.weight then l.id < r.id else l.weight < r.weight",
        "!(l.weight < r.weight || l.weight == r.weight && l.id > r.id)", "l.id < r.id",
        "l.status > r.status || l.status == r.status && (l.weight < r.weight || l.weight == "
        "r.weight && l.id < r.id)"}) {
    expect_accepted(choice(condition, condition), {"i32", "u8", "f32", "f64", "bf16"});
  }
}

TEST(LawfulOperators, fields_may_be_chosen_one_by_one) {
  expect_accepted({"argmax",
                   "op o(l, r) { w = max(l.w, r.w); "
                   "at = if l.w > r.w || l.w == r.w && l.at < r.at then l.at else r.at; }",
                   "w: T; at: i64", "w = x; at = k;", "x: T", true},
                  numbers);
  expect_accepted({"argmin",
                   "op o(l, r) { w = if l.w <= r.w then l.w else r.w; n = l.n + r.n; "
                   "at = if l.w < r.w then l.at else if r.w < l.w then r.at else "
                   "min(l.at, r.at); }",
                   "w: T; at: i64; n: i32", "w = x; at = k; n = 1;", "x: T"},
                  {"i32", "u16", "f32", "f64"});
  expect_accepted({"valid first",
                   "record v { valid: bool; w: T; }\n"
                   "op o(l, r) = if l.valid && !r.valid || l.valid == r.valid && "
                   "l.w < r.w then l else r;",
                   "y: v", "y = v{ valid = x > 1, w = x };", "x: T", true},
                  {"i32", "f32"});
}

TEST(LawfulOperators, statistics_merge) {
  const std::string merge =
      "op o(l, r) { n = l.n + r.n; d = r.m - l.m; m = l.m + d * r.n / (l.n + r.n); "
      "q = l.q + r.q + d * d * l.n * r.n / (l.n + r.n); }";
  for (const char* term : {"x * 0.1", "x", "x / 3.0 + 100.0", "x * x"}) {
    expect_accepted({"variance", merge, "n: T; m: T; q: T",
                     fmt::format("n = 1.0; m = {}; q = 0.0;", term), "x: T"},
                    floats);
  }
}

TEST(LawfulOperators, rotations_and_other_products_of_several_numbers) {
  const std::string turn = "op o(l, r) { c = l.c * r.c - l.s * r.s; s = l.s * r.c + l.c * r.s; }";
  expect_accepted({"rotation", turn, "c: T; s: T", "c = cos(x); s = sin(x);", "x: T"}, floats);
  expect_accepted({"complex", turn, "c: T; s: T", "c = x; s = x * 0.3;", "x: T"}, floats);
  expect_accepted({"fractions", "op o(l, r) { p = l.p * r.q + r.p * l.q; q = l.q * r.q; }",
                   "p: T; q: T", "p = x; q = 3;", "x: T"},
                  {"i32", "u8", "i64", "f32", "f64"});
}

TEST(LawfulOperators, other_forms_pass_the_falsifier) {
  expect_accepted(on_scalars("hypotenuse", "sqrt(l * l + r * r)"), {"f32", "f64"});
  expect_accepted(on_scalars("velocities", "l + r + l * r"), {"i32", "u8", "f32", "f64"});
  expect_accepted(on_scalars("sum and constant", "l + r + 5"), {"i32", "u64", "f64"});
  expect_accepted({"soft maximum", scalar_op("max(l, r) + log(1.0 + exp(min(l, r) - max(l, r)))"),
                   "y: T", "y = x * 0.01;", "x: T"},
                  {"f32", "f64"});
  expect_accepted({"saturating at the limit", scalar_op("if l + r < l then 255 else l + r"),
                   "y: u8", "y = x;", "x: u8"},
                  {"u8"});
  expect_accepted({"limit of what is not negative", scalar_op("min(l + r, 1000)"), "y: T",
                   "y = x % 10 * (x % 10);", "x: T"},
                  {"i32", "i64"});
  expect_accepted({"greatest common divisor",
                   scalar_op("loop (a = l, b = r) while (b != 0) { a = b, b = a % b } yield a"),
                   "y: T", "y = x;", "x: T"},
                  {"u8", "u32", "u64"});
  expect_accepted({"how often the least occurs",
                   "op o(l, r) { w = min(l.w, r.w); n = if l.w == r.w then l.n + r.n else "
                   "if l.w < r.w then l.n else r.n; }",
                   "w: T; n: i32", "w = x; n = 1;", "x: T"},
                  {"i32", "u8", "f32"});
}

TEST(LawfulOperators, data_that_have_no_value_are_no_counterexample) {
  expect_accepted({"quotient", scalar_op("l + r"), "y: T", "y = 100 / x;", "x: T", true}, {"i32"});
  expect_accepted({"hidden quotient", scalar_op("l + r + 0"), "y: T", "y = 100 / x;", "x: T"},
                  {"i32", "u8", "f32"});
  expect_accepted({"overflow", scalar_op("(l + r) * 1.0"), "y: T", "y = x * x * x;", "x: T"},
                  floats);
}

// ---- refused

void expect_refused(const Example& e, const std::vector<std::string>& types,
                    const std::string& law) {
  for (const std::string& type : types) {
    for (const int64_t size : {8, 1000}) {
      const Diagnostic d = verdict(e, type, size);
      EXPECT_EQ(d.code, "E229") << e.name << " " << type << " " << size << ": " << d.message;
      const std::regex message("the operator of dimension 'k' of 'p' is not " + law +
                               ": with x = .*, y = .* the value of .*");
      EXPECT_TRUE(std::regex_match(d.message, message)) << e.name << ": " << d.message;
      EXPECT_NE(d.hint.find("in any order and grouping"), std::string::npos) << d.hint;
    }
  }
}

TEST(UnlawfulOperators, limits_are_refused) {
  expect_refused(on_scalars("i8", "min(l + r, 100)"), {"i8", "u8", "i16", "i32", "i64"},
                 "associative");
  expect_refused(on_scalars("1000", "min(l + r, 1000)"), {"i16", "u16", "i32", "u32", "i64", "u64"},
                 "associative");
  expect_refused(on_scalars("written out", "if l + r > 100 then 100 else l + r"),
                 {"i32", "i64", "f16", "f32", "f64"}, "associative");
  expect_refused(on_scalars("floats", "min(max(l + r, -100.0), 100.0)"),
                 {"f16", "bf16", "f32", "f64"}, "associative");
  expect_refused(on_scalars("from below", "max(l + r, -100000)"), {"i32", "i64", "f32", "f64"},
                 "associative");
  expect_refused(on_scalars("products", "max(l * r, -1000000)"), {"i32", "i64"}, "associative");
  expect_refused({"one output of two", "op o(l, r) { s = l.s + r.s; m = min(l.m + r.m, 5000); }",
                  "s: T; m: T", "s = x; m = x;", "x: T"},
                 {"i32", "f32"}, "associative");
}

TEST(UnlawfulOperators, differences_means_and_rounding_are_refused) {
  const std::vector<std::string> some = {"i32", "i64", "f32", "f64"};
  expect_refused(on_scalars("difference", "l - r"), numbers, "associative");
  expect_refused(on_scalars("distance", "if l > r then l - r else r - l"), some, "associative");
  expect_refused(on_scalars("mean", "(l + r) / 2"), numbers, "associative");
  expect_refused(on_scalars("truncated", "l * r / 10"), {"i32", "i64", "u32"}, "associative");
  expect_refused(on_scalars("tenths", "T(i64((l + r) * 10.0)) / 10.0"), {"f32", "f64"},
                 "associative");
  expect_refused(on_scalars("whole", "floor(l + r)"), {"f16", "f32", "f64"}, "associative");
  expect_refused(on_scalars("shifted", "l ^ (r << 1)"), integers, "associative");
  expect_refused(on_scalars("squares", "l * l + r * r"), some, "associative");
  expect_refused(on_scalars("divided", "l / (r + 3)"), {"i32", "f32"}, "associative");
}

TEST(UnlawfulOperators, choices_without_an_order_are_refused) {
  expect_refused(on_scalars("first", "l"), numbers, "commutative");
  for (const char* condition :
       {"l.weight > r.weight", "l.weight >= r.weight",
        "l.weight > r.weight || l.weight == r.weight && l.status > r.status"}) {
    expect_refused(choice(condition, condition), {"i32", "u8", "f32", "f16"}, "commutative");
  }
  expect_refused(on_scalars("magnitudes", "if abs(l) >= abs(r) then l else r"),
                 {"i32", "f32", "f64"}, "commutative");
  expect_refused({"not an order",
                  best + "op o(l, r) = if l.weight > r.weight || l.id < r.id "
                         "then l else r;",
                  "y: best", best_body, "x: T"},
                 {"i32", "f32"}, "(associative|commutative)");
  expect_refused({"parity", scalar_op("if l % 2 == 0 then l else r"), "y: T", "y = x;", "x: T"},
                 {"i32", "u8"}, "(associative|commutative)");
  expect_refused(on_scalars("weighed", "l + 0.5 * r"), {"f32", "f64"}, "associative");
}

TEST(UnlawfulOperators, laws_hold_along_all_dimensions_together) {
  // Along each dimension the index breaks ties, along both it does not.
  const auto refused = [](const std::string& id) {
    return diagnostic_of([&] {
      parse(
          "mdh 1\nrecord best { w: i32; id: i64; at: i64; }\n"
          "op o(l, r) = if l.w > r.w || l.w == r.w && l.id < r.id then l else r;\n"
          "program p = out_view( y: best = [] ) * md_hom( i: 6 by pw(o), k: 9 by pw(o) ) "
          "{ y = best{ w = x, id = " +
          id + ", at = 10 * i + k }; } * inp_view( x: i32 = [i, k] )");
    });
  };
  EXPECT_EQ(refused("i + k").code, "E229");
  EXPECT_EQ(refused("9 * i + k").message, "(no error was raised)");
  EXPECT_EQ(refused("i + 6 * k").message, "(no error was raised)");
}

// ---- on data

Program almost_a_sum(int64_t size) {
  return parse(
      fmt::format("mdh 1\nop o(l, r) = if l + r == 777777 then 0 else l + r;\n"
                  "program p = out_view( y: i32 = [] ) * md_hom( k: {} by pw(o) ) {{ y = x; }} "
                  "* inp_view( x: i32 = [k] )",
                  size));
}

scalar::Array given(const std::vector<int32_t>& values) {
  return scalar::copy_from_memory(scalar::Scalar::i32, {static_cast<int64_t>(values.size())},
                                  values.data());
}

TEST(LawsOnData, a_rare_value_is_found_among_the_data) {
  const Program p = almost_a_sum(6);
  const auto harmless = [&] { check_laws_on(p, {given({1, 2, 3, 4, 5, 6})}); };
  EXPECT_EQ(diagnostic_of(harmless).message, "(no error was raised)");
  const Diagnostic d = diagnostic_of([&] { check_laws_on(p, {given({5, 777777, -5, 5, 9, -9})}); });
  EXPECT_EQ(d.code, "E229");
  EXPECT_EQ(d.kind, DiagnosticKind::user);
  EXPECT_NE(d.message.find("is not associative: with x = "), std::string::npos) << d.message;
}

TEST(LawsOnData, long_reductions_are_walked_through) {
  std::vector<int32_t> values(100'000, 10);
  values[0] = 7;  // 777777 is met after 77777 tens, and not by parts without the 7
  const Diagnostic d =
      diagnostic_of([&] { check_laws_on(almost_a_sum(100'000), std::vector{given(values)}); });
  EXPECT_EQ(d.code, "E229") << d.message;
}

TEST(LawsOnData, built_in_and_proven_operators_are_not_suspected) {
  for (const char* by : {"add", "plus"}) {
    const Program p = parse(std::string("mdh 1\nop plus(l, r) = l + r;\nprogram p = "
                                        "out_view( y: f32 = [] ) * md_hom( k: 3 by pw(") +
                            by + ") ) { y = x; } * inp_view( x: f32 = [k] )");
    const std::vector<float> values = {1e30f, 1, -1e30f};
    const scalar::Array x = scalar::copy_from_memory(scalar::Scalar::f32, {3}, values.data());
    EXPECT_EQ(diagnostic_of([&] { check_laws_on(p, std::vector{x}); }).message,
              "(no error was raised)");
  }
}

TEST(LawsOnData, combine_operators_are_tested_on_them_too) {
  const Program p = parse(
      "mdh 1\ncombine c(x): zero = if lhs[0] + rhs[0] == 777777 then 0 else lhs[0] + rhs[0];\n"
      "program p = out_view( y: i32 = [] ) * md_hom( k: 4 by c ) { y = x; } "
      "* inp_view( x: i32 = [k] )");
  const Diagnostic d = diagnostic_of([&] { check_laws_on(p, {given({5, 777777, -5, 1})}); });
  EXPECT_EQ(d.code, "E229") << d.message;
  EXPECT_NE(d.message.find("is not a homomorphism"), std::string::npos) << d.message;
}

TEST(LawsOfCombines, rounding_is_no_counterexample) {
  for (const char* type : {"f16", "bf16", "f32", "f64"}) {
    const auto make = [&] {
      parse(
          with_type("mdh 1\ncombine c(x): zero = lhs[0] + rhs[0];\n"
                    "program p = out_view( y: T = [] ) * md_hom( k: 40 by c ) { y = x * 0.1; } "
                    "* inp_view( x: T = [k] )",
                    type));
    };
    EXPECT_EQ(diagnostic_of(make).message, "(no error was raised)") << type;
  }
}

}  // namespace
}  // namespace mdh::hl::operator_laws_test
