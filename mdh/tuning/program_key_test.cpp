#include "mdh/tuning/program_key.h"

#include <gtest/gtest.h>

#include "mdh/hl/instantiate.h"
#include "mdh/hl/parse.h"
#include "mdh/support/hash.h"

namespace mdh::tuning::program_key_test {
namespace {

using Sizes = std::map<std::string, int64_t>;

CanonicalProgram canonical(const std::string& text, const hl::Bindings& bindings = {}) {
  return canonical_program(hl::instantiate(hl::parse("mdh 1\n" + text), bindings));
}

const char* const matvec_text =
    "program matvec<T: type = f32, I: size = 7, K: size = 13> = out_view( w: T = [i] )"
    " * md_hom( i: I by cc, k: K by pw(add) ) { w = M * v; }"
    " * inp_view( M: T = [i, k]; v: T = [k] )";

TEST(CanonicalProgram, has_positional_names_and_its_sizes_beside_it) {
  const CanonicalProgram p = canonical(matvec_text);
  EXPECT_EQ(p.text,
            "mdh 1\n"
            "program p<N1: size, N2: size> =\n"
            "  out_view( out1: f32 = [d1] )\n"
            "* md_hom( d1: N1 by cc, d2: N2 by pw(add) ) { out1 = in1 * in2; }\n"
            "* inp_view( in1: f32 = [d1, d2];\n"
            "            in2: f32 = [d2] )\n");
  EXPECT_EQ(p.sizes, (Sizes{{"N1", 7}, {"N2", 13}}));
  EXPECT_EQ(p.types,
            (std::map<std::string, std::string>{{"out1", "f32"}, {"in1", "f32"}, {"in2", "f32"}}));
  EXPECT_EQ(p.names,
            (ConfigNames{{{"i", "d1"}, {"k", "d2"}}, {{"w", "out1"}, {"M", "in1"}, {"v", "in2"}}}));
  EXPECT_EQ(p.key(), hash_name(p.text));
}

TEST(CanonicalProgram, is_the_same_for_other_names_and_for_sizes_as_numbers) {
  const CanonicalProgram p = canonical(matvec_text);
  const CanonicalProgram q = canonical(
      "program product = out_view( y: f32 = [row] )"
      " * md_hom( row: 7 by cc, column: 13 by pw(add) ) { y = A * x; }"
      " * inp_view( A: f32 = [row, column]; x: f32 = [column] )");
  EXPECT_EQ(p.text, q.text);
  EXPECT_EQ(p.sizes, q.sizes);
  EXPECT_EQ(p.types, q.types);
}

TEST(CanonicalProgram, is_the_same_at_other_sizes) {
  const CanonicalProgram p = canonical(matvec_text);
  const CanonicalProgram q = canonical(matvec_text, {.sizes = {{"I", 512}, {"K", 512}}});
  EXPECT_EQ(p.text, q.text);
  EXPECT_EQ(q.sizes, (Sizes{{"N1", 512}, {"N2", 512}}));
}

TEST(CanonicalProgram, differs_with_types_operators_accesses_and_orders) {
  const CanonicalProgram p = canonical(matvec_text);
  EXPECT_NE(p.text, canonical(matvec_text, {.types = {{"T", scalar::Scalar::f64}}}).text);
  const auto changed = [](const std::string& from, const std::string& to) {
    std::string text = matvec_text;
    text.replace(text.find(from), from.size(), to);
    return canonical(text).text;
  };
  EXPECT_NE(p.text, changed("pw(add)", "pw(max)"));
  EXPECT_NE(p.text, changed("M * v", "M + v"));
  EXPECT_NE(p.text, changed("M: T = [i, k]", "M: T = [k, i]"));
  EXPECT_NE(p.text, changed("M: T = [i, k]", "M: T = [i, 2 * k]"));
  EXPECT_NE(p.text, changed("i: I by cc, k: K by pw(add)", "k: K by pw(add), i: I by cc"));
}

std::string stencil(const std::string& accesses, const std::string& f,
                    const std::string& extents = "") {
  return fmt::format(
      "program s<I: size = 10> = out_view( y: f32 = [i] ) * md_hom( i: I by cc ) {{ y = {}; }}"
      " * inp_view( x: f32{} = {} )",
      f, extents, accesses);
}

TEST(CanonicalProgram, accesses_are_numbered) {
  const CanonicalProgram p = canonical(stencil("left: [i], right: [i + 2]", "left + right"));
  EXPECT_NE(p.text.find("{ out1 = in1.1 + in1.2; }"), std::string::npos) << p.text;
  EXPECT_EQ(p.text, canonical(stencil("[i], [i + 2]", "x.1 + x.2")).text);
}

TEST(CanonicalProgram, affine_indices_are_written_in_one_way) {
  const CanonicalProgram p = canonical(stencil("[2 * i + 3]", "x"));
  EXPECT_EQ(p.text, canonical(stencil("[3 + i * 2]", "x")).text);
  EXPECT_EQ(p.text, canonical(stencil("[i + 4 + i - 1]", "x")).text);
  EXPECT_NE(p.text, canonical(stencil("[2 * i + 4]", "x")).text);
}

TEST(CanonicalProgram, extents_that_follow_anyway_are_left_out) {
  const CanonicalProgram p = canonical(stencil("[i + 2]", "x"));
  EXPECT_EQ(p.text, canonical(stencil("[i + 2]", "x", "[I + 2]")).text);
  EXPECT_EQ(p.sizes, (Sizes{{"N1", 10}}));
}

TEST(CanonicalProgram, larger_extents_are_sizes) {
  const std::string text = stencil("[i + 2]", "x", "[I + 6]");
  const CanonicalProgram p = canonical(text);
  EXPECT_EQ(p.sizes, (Sizes{{"N1", 10}, {"E1", 16}}));
  const CanonicalProgram q = canonical(text, {.sizes = {{"I", 20}}});
  EXPECT_EQ(p.text, q.text);
  EXPECT_EQ(q.sizes, (Sizes{{"N1", 20}, {"E1", 26}}));
  EXPECT_NE(p.text, canonical(stencil("[i + 2]", "x")).text);
}

TEST(CanonicalProgram, size_in_an_index_or_in_f_is_a_number) {
  for (const std::string& text : {stencil("[I - 1 - i]", "x"), stencil("[i]", "x * f32(I)")}) {
    const CanonicalProgram at_ten = canonical(text);
    EXPECT_NE(at_ten.text, canonical(text, {.sizes = {{"I", 20}}}).text);
    EXPECT_EQ(at_ten.text, canonical(text, {.sizes = {{"I", 10}}}).text);
  }
  EXPECT_EQ(canonical(stencil("[I - 1 - i]", "x")).text, canonical(stencil("[9 - i]", "x")).text);
}

TEST(CanonicalProgram, lets_and_loop_variables_have_positional_names) {
  const auto with = [](const std::string& body) {
    return canonical("program m = out_view( y: i32 = [i] ) * md_hom( i: 4 by cc ) { " + body +
                     " } * inp_view( x: i32 = [i] )")
        .text;
  };
  const std::string one = with(
      "a = x * 2; b = a + 1; y = loop (n = a, s = b) while (n < 9) { s = s + n, n = n + 1 } "
      "yield s;");
  EXPECT_EQ(one, with("t2 = x * 2; t1 = t2 + 1; y = loop (s = t2, n = t1) while (s < 9) "
                      "{ n = n + s, s = s + 1 } yield n;"));
  EXPECT_NE(one.find("loop (v1 = t1, v2 = t2) while (v1 < 9) { v2 = v2 + v1, v1 = v1 + 1 } "
                     "yield v2;"),
            std::string::npos)
      << one;
}

TEST(CanonicalProgram, operators_know_outputs_by_their_new_names) {
  const auto with = [](const std::string& value, const std::string& place) {
    return canonical(fmt::format(
        "op larger(l, r) {{ left = l.{0} > r.{0} || l.{0} == r.{0} && l.{1} < r.{1};"
        " {0} = if left then l.{0} else r.{0}; {1} = if left then l.{1} else r.{1}; }}"
        " program p = out_view( {0}: f32 = []; {1}: i64 = [] ) * md_hom( k: 5 by pw(larger) )"
        " {{ {0} = x; {1} = k; }} * inp_view( x: f32 = [k] )",
        value, place));
  };
  EXPECT_EQ(with("value", "place").text, with("best", "where").text);
  EXPECT_NE(with("a", "b").text.find("out1 = if left then l.out1 else r.out1;"), std::string::npos);
}

TEST(CanonicalProgram, size_known_at_run_time_has_no_value) {
  const hl::Program generic = hl::parse(
      "mdh 1\nprogram m<I: size = *, K: size = 13> = out_view( w: f32 = [i] )"
      " * md_hom( i: I by cc, k: K by pw(add) ) { w = M; } * inp_view( M: f32 = [i, k] )");
  const CanonicalProgram p = canonical_program(hl::instantiate_open(generic, {}));
  EXPECT_EQ(p.sizes, (Sizes{{"N2", 13}}));
  EXPECT_NE(p.text.find("d1: N1 by cc"), std::string::npos) << p.text;
  EXPECT_NE(p.text.find("N1: size = *"), std::string::npos) << p.text;
  EXPECT_NE(p.text, canonical_program(hl::instantiate(generic, {.sizes = {{"I", 9}}})).text);
}

TEST(CanonicalProgram, is_a_program_with_the_same_canonical_text) {
  for (const std::string& text :
       {std::string(matvec_text), stencil("[i], [i + 2]", "x.1 + x.2", "[I + 6]"),
        stencil("[I - 1 - i]", "x * 0.1")}) {
    const CanonicalProgram p = canonical(text);
    const CanonicalProgram again =
        canonical_program(hl::instantiate(hl::parse(p.text, "canonical"), {.sizes = p.sizes}));
    EXPECT_EQ(again.text, p.text);
    EXPECT_EQ(again.sizes, p.sizes);
  }
}

}  // namespace
}  // namespace mdh::tuning::program_key_test
