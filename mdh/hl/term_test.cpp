// Every piece of scalar code in C++ beside the text that says the same.
#include "mdh/hl/term.h"

#include <gtest/gtest.h>

#include "mdh/hl/edsl.h"
#include "mdh/hl/evaluate.h"
#include "mdh/hl/parse.h"
#include "mdh/hl/print.h"
#include "mdh/support/testing.h"

namespace mdh::hl::edsl::term_test {
namespace {

IndexTuple same(Index i) { return index(i); }
const auto at_i = [](Index i) { return same(i); };

/// y[i] = f(x[i]) for four elements.
Program map(Type to, Type from, ScalarFunction f) {
  return out_view(buffer("y", to).at(at_i)) * md_hom({{"i", 4}}, std::move(f), {cc()}) *
         inp_view(buffer("x", from).at(at_i));
}

std::string map_text(const std::string& to, const std::string& from, const std::string& body) {
  return fmt::format(
      "program program =\n  out_view( y: {} = [i] )\n* md_hom( i: 4 by cc ) {{ {} }}\n"
      "* inp_view( x: {} = [i] )\n",
      to, body, from);
}

void expect_text(const Program& embedded, const std::string& text) {
  const Program read = parse("mdh 1\n" + text);
  EXPECT_TRUE(embedded == read) << print(embedded) << print(read);
  EXPECT_EQ(print(embedded), print(read));
  EXPECT_TRUE(parse(print(embedded)) == embedded) << print(embedded);
}

TEST(Terms, operators_on_bits_and_truth_equal_their_text) {
  expect_text(map(i32, i32,
                  [](Scalars in) {
                    const Term x = in["x"];
                    const Term bits = ((x & 12) | (x ^ 5)) + (x << 2) - (x >> 1) * ~x;
                    return select(!(x != 3) || (x >= 7 && x <= 9), bits, -bits);
                  }),
              map_text("i32", "i32",
                       "y = if !(x != 3) || x >= 7 && x <= 9 "
                       "then ((x & 12) | (x ^ 5)) + (x << 2) - (x >> 1) * ~x "
                       "else -(((x & 12) | (x ^ 5)) + (x << 2) - (x >> 1) * ~x);"));
}

TEST(Terms, mathematics_and_truth_values_equal_their_text) {
  expect_text(map(f64, f64,
                  [](Scalars in) {
                    const Term x = in["x"];
                    return select(true, math("sqrt", x) + math("pow", x, 2), math("abs", x));
                  }),
              map_text("f64", "f64", "y = if true then sqrt(x) + pow(x, 2) else abs(x);"));
}

TEST(Terms, let_is_computed_once_and_printed_as_one) {
  const Program p = map(f32, f32, [](Scalars in) {
    const Term twice = let("twice", in["x"] + in["x"]);
    const Term square = let("square", twice * twice);
    return square + twice * square;
  });
  expect_text(p, map_text("f32", "f32",
                          "twice = x + x; square = twice * twice; y = square + twice * square;"));
}

TEST(Terms, lets_come_in_the_order_in_which_they_are_used) {
  const Program p = map(i32, i32, [](Scalars in) {
    const Term unused = let("unused", in["x"] * 3), later = let("later", in["x"] * 5);
    const Term first = let("first", in["x"] * 7);
    return first + later;
  });
  expect_text(p, map_text("i32", "i32", "first = x * 7; later = x * 5; y = first + later;"));
}

TEST(Terms, loop_equals_its_text) {
  const Program p = map(i64, i64, [](Scalars in) {
    const Term limit = let("limit", in["x"] + 1);
    return loop({{"k", 0}, {"sum", in["x"]}}, [&](Term k, Term sum) {
      return LoopBody{.condition = k < limit && sum < 100,
                      .updates = {{"sum", sum + k * limit}, {"k", k + 1}},
                      .result = sum - k};
    });
  });
  expect_text(p, map_text("i64", "i64",
                          "limit = x + 1; y = loop (k = 0, sum = x) while (k < limit && sum < 100) "
                          "{ sum = sum + k * limit, k = k + 1 } yield sum - k;"));
}

TEST(Terms, loop_within_a_loop_equals_its_text) {
  const Program p = map(i64, i64, [](Scalars in) {
    return loop({{"k", 0}, {"sum", 0}}, [&](Term k, Term sum) {
      const Term inner = loop({{"j", k}, {"part", 0}}, [&](Term j, Term part) {
        return LoopBody{j > 0, {{"part", part + in["x"]}, {"j", j - 1}}, part};
      });
      return LoopBody{k < 3, {{"sum", sum + inner}, {"k", k + 1}}, sum};
    });
  });
  expect_text(
      p, map_text("i64", "i64",
                  "y = loop (k = 0, sum = 0) while (k < 3) { sum = sum + (loop (j = k, part = 0) "
                  "while (j > 0) { part = part + x, j = j - 1 } yield part), k = k + 1 } "
                  "yield sum;"));
}

const Record reading = record("reading", {{"id", i32}, {"values", f32, 3}, {"good", boolean}});
const Record total = record("total", {{"id", i32}, {"sum", f64}});

TEST(Terms, records_with_array_fields_equal_their_text) {
  const Program p = map(total, reading, [](Scalars in) {
    const Term x = in["x"];
    const Term sum = x["values"][0] + x["values"][1] + x["values"][cast(i64, x.field("id")) % 3];
    return total({{"id", x["id"]}, {"sum", select(x["good"], cast(f64, sum), 0.0)}});
  });
  expect_text(p,
              "record total { id: i32; sum: f64; }\n"
              "record reading { id: i32; values: f32[3]; good: bool; }\n" +
                  map_text("total", "reading",
                           "y = total{ id = x.id, sum = if x.good then f64(x.values[0] + "
                           "x.values[1] + x.values[i64(x.id) % 3]) else 0.0 };"));
}

Function power() {
  return fun("power", {{"base", f64}, {"n", i64}}, f64, [](Term base, Term n) {
    return loop({{"k", 0}, {"p", 1.0}}, [&](Term k, Term p) {
      return LoopBody{.condition = k < n, .updates = {{"p", p * base}, {"k", k + 1}}, .result = p};
    });
  });
}

TEST(Terms, functions_that_call_functions_equal_their_text) {
  const Function cube_and_more = fun("cube_and_more", {{"a", f64}}, f64, [](Term a) {
    const Term cube = let("cube", power()(a, 3));
    return cube * cube + cube;
  });
  const Function one = fun("one", {}, f64, [] { return Term(1.0); });
  const Program p = map(f64, f64, [&](Scalars in) {
    return cube_and_more(in["x"]) - power()(in["x"], in["i"]) + one();
  });
  expect_text(p,
              "fun power(base: f64, n: i64): f64 = loop (k = 0, p = 1.0) while (k < n) "
              "{ p = p * base, k = k + 1 } yield p;\n"
              "fun cube_and_more(a: f64): f64 { cube = power(a, 3); return cube * cube + cube; }\n"
              "fun one(): f64 = 1.0;\n" +
                  map_text("f64", "f64", "y = cube_and_more(x) - power(x, i) + one();"));
}

TEST(Terms, functions_on_records_equal_their_text) {
  const Function sum = fun("sum", {{"r", reading}}, total, [](Term r) {
    return total({{"id", r["id"]}, {"sum", cast(f64, r["values"][0])}});
  });
  const Program p = map(total, reading, [&](Scalars in) { return sum(in["x"]); });
  expect_text(p,
              "record total { id: i32; sum: f64; }\n"
              "record reading { id: i32; values: f32[3]; good: bool; }\n"
              "fun sum(r: reading): total = total{ id = r.id, sum = f64(r.values[0]) };\n" +
                  map_text("total", "reading", "y = sum(x);"));
}

TEST(Terms, embedded_functions_are_evaluated) {
  const Program p =
      map(f64, f64, [](Scalars in) { return let("p", power()(in["x"], 5)) + in["x"]; });
  scalar::Array x = scalar::Array::undefined(f64, {4});
  for (int64_t n = 0; n < 4; ++n) x.cells[n] = scalar::Value::floating(static_cast<double>(n));
  x.defined.assign(4, 1);
  EXPECT_EQ(evaluate(p, {x})[0].cells[3].as_floating(), 246);
}

// ---- mistakes

/// The diagnostic is about a line of this file.
void expect_error(const Diagnostic& d, const std::string& code, const std::string& message,
                  int line) {
  EXPECT_EQ(d.code, code) << d.message;
  EXPECT_EQ(d.message, message);
  ASSERT_TRUE(d.where.known());
  EXPECT_EQ(*d.where.file, __FILE__);
  EXPECT_EQ(d.where.line, line);
}

TEST(TermErrors, let_that_depends_on_a_loop_variable_is_refused) {
  const int line = __LINE__ + 4;
  const Diagnostic d = diagnostic_of([] {
    map(i64, i64, [](Scalars in) {
      return loop({{"k", in["x"]}}, [&](Term k) {
        const Term next = let("next", k + 1);
        return LoopBody{next < 3, {{"k", next}}, k};
      });
    });
  });
  expect_error(d, "E243", "let 'next' depends on a variable of the loop around it", line);
  EXPECT_EQ(d.hint, "make it a variable of the loop, or leave the let out");
}

TEST(TermErrors, let_in_an_index_function_is_refused) {
  const int line = __LINE__ + 1;
  const auto shifted = [](Index i) { return index(let("next", i + 1)); };
  const Diagnostic d = diagnostic_of([&] {
    return out_view(buffer("y", f32).at(at_i)) *
           md_hom({{"i", 4}}, [](Scalars in) { return in["x"]; }, {cc()}) *
           inp_view(buffer("x", f32).at(shifted));
  });
  expect_error(d, "E243", "let 'next' cannot be part of an index function", line);
}

TEST(TermErrors, two_lets_of_one_name_are_refused) {
  const int line = __LINE__ + 2;
  const Diagnostic d = diagnostic_of([] {
    map(i32, i32, [](Scalars in) { return let("a", in["x"] + 1) * let("a", in["x"] + 2); });
  });
  expect_error(d, "E110", "the name 'a' is already taken by a let", line);
}

TEST(TermErrors, lambda_takes_one_term_per_parameter) {
  const int line = __LINE__ + 2;
  const Diagnostic d = diagnostic_of([] {
    fun("f", {{"a", f32}, {"b", f32}}, f32, [](Term a) { return a; });
  });
  expect_error(d, "E244", "the lambda of function 'f' takes 1 terms, but gets 2", line);
}

TEST(TermErrors, loop_has_variables_and_updates) {
  const int line = __LINE__ + 2;
  const Diagnostic d = diagnostic_of([] {
    return loop({{"k", 0}}, [](Term k) { return LoopBody{k < 0, {}, k}; });
  });
  expect_error(d, "E245", "a loop updates nothing", line);
}

TEST(TermErrors, functions_are_typed_where_they_are_defined) {
  const int line = __LINE__ + 2;
  const Diagnostic d = diagnostic_of([] {
    fun("half", {{"a", i32}}, f32, [](Term a) { return a / 2; });
  });
  expect_error(d, "E120", "'a / 2' has type i32, but f32 is needed here", line);
}

TEST(TermErrors, function_knows_its_parameters_only) {
  const int line = __LINE__ + 3;
  const Diagnostic d = diagnostic_of([] {
    map(f32, f32, [](Scalars in) {
      return fun("f", {{"a", f32}}, f32, [&](Term a) { return a * in["x"]; })(in["x"]);
    });
  });
  expect_error(d, "E111", "unknown name 'x'", line);
}

TEST(TermErrors, calls_have_one_argument_per_parameter) {
  const Diagnostic d =
      diagnostic_of([] { map(f64, f64, [](Scalars in) { return power()(in["x"]); }); });
  EXPECT_EQ(d.code, "E112");
  EXPECT_EQ(d.message, "'power' takes 2 arguments, got 1");
}

TEST(TermErrors, unknown_mathematics_is_refused) {
  const Diagnostic d =
      diagnostic_of([] { map(f64, f64, [](Scalars in) { return math("sqr", in["x"]); }); });
  EXPECT_EQ(d.code, "E113");
  EXPECT_EQ(d.hint, "did you mean 'sqrt'?");
}

TEST(TermErrors, records_have_distinct_fields_of_sensible_lengths) {
  const auto refusal = [](const char* name, const std::vector<scalar::Field>& fields) {
    return diagnostic_of([&] { record(name, fields, __FILE__, 7); });
  };
  expect_error(refusal("r", {}), "E250", "record 'r' has no fields", 7);
  expect_error(refusal("r", {{"a", f32}, {"a", i32}}), "E251", "record 'r' has two fields 'a'", 7);
  expect_error(refusal("r", {{"a", f32, 5000}}), "E253", "an array field cannot have 5000 elements",
               7);
  expect_error(refusal("f32", {{"a", f32}}), "E110", "the name 'f32' is built in", 7);
}

TEST(TermErrors, two_records_of_one_name_are_refused) {
  const Record other = record("total", {{"id", i32}});
  const Diagnostic d =
      diagnostic_of([&] { map(total, other, [](Scalars in) { return in["x"]; }); });
  EXPECT_EQ(d.code, "E110");
  EXPECT_EQ(d.message, "the name 'total' is already taken by a record");
}

TEST(TermErrors, fields_that_a_record_lacks_are_refused) {
  const Diagnostic d =
      diagnostic_of([] { map(i32, total, [](Scalars in) { return in["x"]["idd"]; }); });
  EXPECT_EQ(d.code, "E123");
  EXPECT_EQ(d.hint, "did you mean 'id'?");
  const Diagnostic missing = diagnostic_of([] {
    map(total, i32, [](Scalars in) { return total({{"id", in["x"]}}); });
  });
  EXPECT_EQ(missing.message, "1 of 2 fields of record total are given");
}

}  // namespace
}  // namespace mdh::hl::edsl::term_test
