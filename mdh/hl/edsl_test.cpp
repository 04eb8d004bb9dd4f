#include "mdh/hl/edsl.h"

#include <gtest/gtest.h>

#include "mdh/hl/instantiate.h"
#include "mdh/hl/parse.h"
#include "mdh/hl/print.h"
#include "mdh/support/files.h"
#include "mdh/support/testing.h"

namespace mdh::hl::edsl::edsl_test {
namespace {

Program matvec(Type T, Size I, Size K) {
  return named("matvec",
               out_view(buffer("w", T).at([](Index i, Index) { return index(i); })) *
                   md_hom({{"i", I}, {"k", K}}, [](Scalars in) { return in["M"] * in["v"]; },
                          {cc(), pw(add)}) *
                   inp_view(buffer("M", T).at([](Index i, Index k) { return index(i, k); }),
                            buffer("v", T).at([](Index, Index k) { return index(k); })));
}

Program matmul(Type T, Size I, Size J, Size K) {
  return named(
      "matmul",
      out_view(buffer("C", T).at([](Index i, Index j, Index) { return index(i, j); })) *
          md_hom({{"i", I}, {"j", J}, {"k", K}}, [](Scalars in) { return in["A"] * in["B"]; },
                 {cc(), cc(), pw(add)}) *
          inp_view(buffer("A", T).at([](Index i, Index, Index k) { return index(i, k); }),
                   buffer("B", T).at([](Index, Index j, Index k) { return index(k, j); })));
}

Program jacobi1d(Scalar T, Size I) {
  return named("jacobi1d", out_view(buffer("y", T).at([](Index i) { return index(i); })) *
                               md_hom({{"i", I}},
                                      [=](Scalars in) {
                                        return constant(T, 1.0 / 3.0) *
                                               (in["left"] + in["mid"] + in["right"]);
                                      },
                                      {cc()}) *
                               inp_view(buffer("x", T)
                                            .at("left", [](Index i) { return index(i); })
                                            .at("mid", [](Index i) { return index(i + 1); })
                                            .at("right", [](Index i) { return index(i + 2); })));
}

Program dot(Type T, Size K) {
  return named("dot",
               out_view(buffer("d", T).at([](Index) { return index(); })) *
                   md_hom({{"k", K}}, [](Scalars in) { return in["x"] * in["y"]; }, {pw(add)}) *
                   inp_view(buffer("x", T).at([](Index k) { return index(k); }),
                            buffer("y", T).at([](Index k) { return index(k); })));
}

Program from_text(const char* text, const Bindings& bindings = {}) {
  return instantiate(parse(text), bindings);
}

void expect_equal(const Program& embedded, const Program& text) {
  EXPECT_TRUE(embedded == text) << print(embedded) << print(text);
}

TEST(Edsl, matvec_equals_its_text_form) {
  expect_equal(matvec(f32, 512, 4096), from_text(R"(mdh 1
program matvec<T: type = f32, I: size = 512, K: size = 4096> =
  out_view( w: T = [i] ) * md_hom( i: I by cc, k: K by pw(add) ) { w = M * v; }
* inp_view( M: T = [i, k]; v: T = [k] ))"));
}

TEST(Edsl, matmul_equals_its_text_form) {
  expect_equal(matmul(f64, 3, 5, 7), from_text(R"(mdh 1
program matmul<T: type = f32, I: size = 3, J: size = 5, K: size = 7> =
  out_view( C: T = [i, j] ) * md_hom( i: I by cc, j: J by cc, k: K by pw(add) ) { C = A * B; }
* inp_view( A: T = [i, k]; B: T = [k, j] ))",
                                               {.types = {{"T", Scalar::f64}}}));
}

TEST(Edsl, jacobi1d_with_named_accesses_equals_its_text_form) {
  expect_equal(jacobi1d(f32, 510), from_text(R"(mdh 1
program jacobi1d<T: type = f32, I: size = 510, c: T = 1.0 / 3.0> =
  out_view( y: T = [i] ) * md_hom( i: I by cc ) { y = c * (left + mid + right); }
* inp_view( x: T = left: [i], mid: [i + 1], right: [i + 2] ))"));
}

TEST(Edsl, dot_with_a_single_number_as_output_equals_its_text_form) {
  expect_equal(dot(i32, 100), from_text(R"(mdh 1
program dot<T: type = i32, K: size = 100> =
  out_view( d: T = [] ) * md_hom( k: K by pw(add) ) { d = x * y; }
* inp_view( x: T = [k]; y: T = [k] ))"));
}

TEST(Edsl, several_outputs_numbered_accesses_and_extents_equal_their_text_form) {
  const Program p =
      out_view(buffer("s", i32).at([](Index i, Index) { return index(i); }),
               buffer("p", i32).extents({9, 2}).at([](Index i, Index) { return index(i, 1); })) *
      md_hom({{"i", 4}, {"k", 3}},
             [](Scalars in) {
               return outputs({{"p", in("x", 1) - in("x", 2)}, {"s", -in("x", 1) + 7}});
             },
             {cc(), pw({add, mul})}) *
      inp_view(buffer("x", i32)
                   .at([](Index i, Index k) { return index(2 * i + k); })
                   .at([](Index i, Index) { return index(3 - i); }));
  expect_equal(p, from_text(R"(mdh 1
program program =
  out_view( s: i32 = [i]; p: i32[9, 2] = [i, 1] )
* md_hom( i: 4 by cc, k: 3 by pw(add, mul) ) { p = x.1 - x.2; s = -x.1 + 7; }
* inp_view( x: i32 = [2 * i + k], [3 - i] ))"));
}

TEST(Edsl, operators_equal_their_text_form) {
  const Program p = out_view(buffer("y", f64).at([](Index i) { return index(i); })) *
                    md_hom({{"i", 4}},
                           [](Scalars in) {
                             const Term x = in["x"], i = in["i"];
                             const Term low = select(x < 1, min(x, 0.5), max(x / 2, x * x));
                             const Term odd = select(i % 2 == 1, cast(f64, i), low);
                             return select(x > 3.5, odd - 1, odd);
                           },
                           {cc()}) *
                    inp_view(buffer("x", f64).at([](Index i) { return index(i); }));
  const std::string low = "(if x < 1 then min(x, 0.5) else max(x / 2, x * x))";
  const std::string odd = "(if i % 2 == 1 then f64(i) else " + low + ")";
  expect_equal(p, from_text(fmt::format(R"(mdh 1
program program = out_view( y: f64 = [i] )
* md_hom( i: 4 by cc ) {{ y = if x > 3.5 then {} - 1 else {}; }} * inp_view( x: f64 = [i] ))",
                                        odd, odd)
                                .c_str()));
}

TEST(Edsl, argmax_on_records_equals_its_text_form) {
  const Record best = record("best", {{"value", f32}, {"place", i64}});
  const Operator larger = op("larger", [](Term l, Term r) {
    return select(l["value"] > r["value"] || (l["value"] == r["value"] && l["place"] <= r["place"]),
                  l, r);
  });
  const Program p = out_view(buffer("y", best).at([](Index i, Index) { return index(i); })) *
                    md_hom({{"i", 3}, {"k", 5}},
                           [&](Scalars in) {
                             return best({{"value", in["x"]}, {"place", in["k"]}});
                           },
                           {cc(), pw(larger)}) *
                    inp_view(buffer("x", f32).at([](Index i, Index k) { return index(i, k); }));
  expect_equal(p, from_text(R"(mdh 1
record best { value: f32; place: i64; }
op larger(l, r) =
  if l.value > r.value || l.value == r.value && l.place <= r.place then l else r;
program program =
  out_view( y: best = [i] )
* md_hom( i: 3 by cc, k: 5 by pw(larger) ) { y = best{ value = x, place = k }; }
* inp_view( x: f32 = [i, k] ))"));
}

Program argmax(Size I, Size K) {
  const Operator larger = op("larger", [](Term l, Term r) {
    const Term left = let(
        "left", l["value"] > r["value"] || (l["value"] == r["value"] && l["place"] < r["place"]));
    return outputs({{"value", select(left, l["value"], r["value"])},
                    {"place", select(left, l["place"], r["place"])}});
  });
  const auto row = [](Index i, Index) { return index(i); };
  return named("argmax",
               out_view(buffer("value", f32).at(row), buffer("place", i64).at(row)) *
                   md_hom({{"i", I}, {"k", K}},
                          [](Scalars in) {
                            return outputs({{"value", in["x"]}, {"place", in["k"]}});
                          },
                          {cc(), pw(larger)}) *
                   inp_view(buffer("x", f32).at([](Index i, Index k) { return index(i, k); })));
}

TEST(Edsl, operator_on_several_outputs_equals_its_text_form) {
  expect_equal(argmax(7, 13),
               instantiate(parse(read_file(std::string(MDH_SOURCE_DIR) + "/docs/argmax.mdh")), {}));
}

TEST(Edsl, operators_of_the_user_mix_with_built_in_ones_and_call_functions) {
  const Function half = fun("half", {{"a", i32}}, i32, [](Term a) { return a >> 1; });
  const Operator top = op("top", [&](Term l, Term r) { return select(l < r, r, l) + half(0); });
  const Program p = out_view(buffer("s", i32).at([](Index) { return index(); }),
                             buffer("t", i32).at([](Index) { return index(); })) *
                    md_hom({{"k", 3}},
                           [](Scalars in) {
                             return outputs({{"s", in["x"]}, {"t", in["x"]}});
                           },
                           {pw({add, top})}) *
                    inp_view(buffer("x", i32).at([](Index k) { return index(k); }));
  expect_equal(p, from_text(R"(mdh 1
fun half(a: i32): i32 = a >> 1;
op top(l, r) = (if l < r then r else l) + half(0);
program program =
  out_view( s: i32 = []; t: i32 = [] )
* md_hom( k: 3 by pw(add, top) ) { s = x; t = x; }
* inp_view( x: i32 = [k] ))"));
}

TEST(Edsl, scans_and_combine_operators_of_the_user_equal_their_text_form) {
  const Combine side_by_side =
      combine("side_by_side", IndexSet::same,
              [](Index x, Operand lhs, Operand rhs) { return select(lhs.has(x), lhs[x], rhs[x]); });
  const auto all = [](Index i, Index j, Index k) { return index(i, j, k); };
  const Operator plus = op("plus", [](Term l, Term r) { return l + r; });
  const Program p =
      named("boxes", out_view(buffer("sums", i32).at(all)) *
                         md_hom({{"i", 5}, {"j", 7}, {"k", 3}}, [](Scalars in) { return in["A"]; },
                                {ps(plus), ps(add), side_by_side}) *
                         inp_view(buffer("A", i32).at(all)));
  expect_equal(p, from_text(R"(mdh 1
op plus(l, r) = l + r;
combine side_by_side(x): same = if in_lhs(x) then lhs[x] else rhs[x];
program boxes =
  out_view( sums: i32 = [i, j, k] )
* md_hom( i: 5 by ps(plus), j: 7 by ps(add), k: 3 by side_by_side ) { sums = A; }
* inp_view( A: i32 = [i, j, k] ))"));
}

TEST(Edsl, combine_operator_to_zero_asks_for_the_last_index) {
  const Combine sum = combine("sum", IndexSet::zero, [](Index x, Operand lhs, Operand rhs) {
    const Term at = let("at", lhs.last(x + 9));
    return lhs[at] + rhs[rhs.last(at)];
  });
  const Program p = out_view(buffer("y", f64).at([](Index) { return index(); })) *
                    md_hom({{"k", 4}}, [](Scalars in) { return in["x"]; }, {sum}) *
                    inp_view(buffer("x", f64).at([](Index k) { return index(k); }));
  expect_equal(p, from_text(R"(mdh 1
combine sum(x): zero { at = last_lhs(x + 9); return lhs[at] + rhs[last_rhs(at)]; }
program program =
  out_view( y: f64 = [] ) * md_hom( k: 4 by sum ) { y = x; } * inp_view( x: f64 = [k] ))"));
}

TEST(Edsl, embedded_programs_are_read_back_from_their_text) {
  for (const Program& p :
       {matvec(f32, 2, 3), matmul(i64, 2, 3, 4), jacobi1d(f64, 5), dot(u8, 6), argmax(2, 3)}) {
    expect_equal(parse(print(p)), p);
  }
}

/// One output y[i], one input x[i], and something wrong.
Program map(ScalarFunction f, std::vector<Combine> operators, Size n = 4) {
  return out_view(buffer("y", f32).at([](Index i) { return index(i); })) *
         md_hom({{"i", n}}, std::move(f), std::move(operators)) *
         inp_view(buffer("x", f32).at([](Index i) { return index(i); }));
}

const ScalarFunction copy = [](Scalars in) { return in["x"]; };

TEST(EdslErrors, every_dimension_needs_an_operator) {
  const Diagnostic d = diagnostic_of([] { map(copy, {}); });
  EXPECT_EQ(d.code, "E240");
  EXPECT_EQ(d.message, "md_hom has 1 dimensions, but 0 combine operators");
}

TEST(EdslErrors, every_buffer_needs_an_access) {
  const Diagnostic d =
      diagnostic_of([] { return out_view(buffer("y", f32)) * md_hom({}, copy, {}) * inp_view(); });
  EXPECT_EQ(d.code, "E241");
  EXPECT_EQ(d.message, "buffer 'y' has no access");
}

TEST(EdslErrors, index_functions_take_one_index_per_dimension) {
  const Diagnostic d = diagnostic_of([] {
    return out_view(buffer("y", f32).at([](Index i, Index j) { return index(i, j); })) *
           md_hom({{"i", 4}}, copy, {cc()}) *
           inp_view(buffer("x", f32).at([](Index i) { return index(i); }));
  });
  EXPECT_EQ(d.code, "E242");
  EXPECT_EQ(d.message, "an index function of 'y' takes 2 indices, but md_hom has 1 dimensions");
}

TEST(EdslErrors, names_that_f_asks_for_must_exist) {
  const Diagnostic d = diagnostic_of([] { map([](Scalars in) { return in["xx"]; }, {cc()}); });
  EXPECT_EQ(d.code, "E111");
  EXPECT_EQ(d.message, "unknown name 'xx'");
  EXPECT_EQ(d.hint, "did you mean 'x'?");
}

TEST(EdslErrors, results_of_f_are_outputs) {
  for (const char* name : {"z", "x", "i"}) {
    const Diagnostic d = diagnostic_of([&] {
      map([&](Scalars in) { return outputs({{name, in["x"]}, {"y", in["x"]}}); }, {cc()});
    });
    EXPECT_EQ(d.code, "E205") << name;
    EXPECT_EQ(d.message, fmt::format("'{}' is not an output", name));
  }
}

TEST(EdslErrors, program_without_output_is_refused) {
  const Diagnostic d = diagnostic_of([] {
    return out_view() * md_hom({{"i", 4}}, copy, {cc()}) *
           inp_view(buffer("x", f32).at([](Index i) { return index(i); }));
  });
  EXPECT_EQ(d.code, "E228");
  EXPECT_EQ(d.message, "program 'program' has no output");
}

TEST(EdslErrors, operators_are_those_of_the_table) {
  const Diagnostic d = diagnostic_of([] { map(copy, {pw(NamedOperator{"ad"})}); });
  EXPECT_EQ(d.code, "E204");
  EXPECT_EQ(d.message, "unknown operator 'ad'");
  EXPECT_EQ(d.hint, "did you mean 'add'?");
}

TEST(EdslErrors, operator_that_depends_on_the_order_is_refused) {
  const Diagnostic d = diagnostic_of([] {
    const Operator minus = op("minus", [](Term l, Term r) { return l - r; });
    map(copy, {pw(minus)});
  });
  EXPECT_EQ(d.code, "E229");
  EXPECT_TRUE(d.where.known());
}

TEST(EdslErrors, combine_operators_ask_before_they_read) {
  const int line = __LINE__ + 3;
  const Diagnostic d = diagnostic_of([] {
    const Combine left =
        combine("left", IndexSet::same, [](Index x, Operand lhs, Operand) { return lhs[x]; });
    map(copy, {left});
  });
  EXPECT_EQ(d.code, "E259");
  EXPECT_EQ(d.where.line, line);
}

TEST(EdslErrors, names_of_definitions_are_those_of_the_program) {
  const Operator x = op("x", [](Term l, Term r) { return l + r; });
  const Diagnostic d = diagnostic_of([&] { map(copy, {pw(x)}); });
  EXPECT_EQ(d.code, "E110");
  EXPECT_EQ(d.message, "the name 'x' is already taken by a operator");
}

TEST(EdslErrors, what_text_refuses_is_refused_with_the_line_of_the_buffer) {
  const int line = __LINE__ + 2;
  const Diagnostic d = diagnostic_of([] {
    const View shifted = buffer("y", f32).at([](Index i) { return index(i - 1); });
    return out_view(shifted) * md_hom({{"i", 4}}, copy, {cc()}) *
           inp_view(buffer("x", f32).at([](Index i) { return index(i); }));
  });
  EXPECT_EQ(d.code, "E223");
  ASSERT_TRUE(d.where.known());
  EXPECT_EQ(*d.where.file, __FILE__);
  EXPECT_EQ(d.where.line, line);
}

TEST(EdslErrors, scalar_function_is_located_at_md_hom) {
  const int line = __LINE__ + 2;
  const Diagnostic d = diagnostic_of([] {
    const MdHom hom = md_hom({{"i", 4}}, [](Scalars in) { return in["i"]; }, {cc()});
    return out_view(buffer("y", f32).at([](Index i) { return index(i); })) * hom * inp_view();
  });
  EXPECT_EQ(d.message, "'i' has type i64, but f32 is needed here");
  EXPECT_EQ(d.where.line, line);
}

}  // namespace
}  // namespace mdh::hl::edsl::edsl_test
