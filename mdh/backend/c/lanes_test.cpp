// Vector code and variables for registers.
#include "mdh/backend/c/lanes.h"

#include <gtest/gtest.h>

#include <regex>

#include "mdh/backend/openmp/openmp.h"
#include "mdh/loop/parse.h"

namespace mdh::backend::lanes_test {
namespace {

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
  return text;
}

struct Types {
  std::string type = "f32", f = "a * b", sum = "l + r";
};

std::string source_of(const std::string& body, const Types& t = {}) {
  std::string text = replaced(R"(mdh_loop 1
kernel any
dimension i < 64 kept
digit c: COR.i < 2 of i step 32 cores
buffer output y: TYPE[64]
buffer input x: TYPE[64, 8]
buffer temporary r: TYPE[2, 4] in REG of registers per (c)
)",
                              "TYPE", t.type);
  text +=
      replaced("function f(a: TYPE, b: TYPE, i: i64) { y: TYPE = " + t.f + "; }\n", "TYPE", t.type);
  text +=
      replaced("function combine(l: TYPE, r: TYPE) { x: TYPE = " + t.sum + "; }\n", "TYPE", t.type);
  return print_openmp(loop::parse(text + "body { deal cores (c < 2) {" + body + "} }"), "k").source;
}

void expect_lines(const std::string& source, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    EXPECT_NE(source.find(" " + line + "\n"), std::string::npos) << line << "\n" << source;
  }
}

TEST(Streaming, whole_vectors_go_past_the_caches_and_others_are_told_at_the_end) {
  const std::string source =
      source_of("lanes - n < 4 { load a = x[c, n]; store y[c * 32 + n] = a streaming; }");
  expect_lines(source,
               {"mdh_stream_f32x4(&y[c * 32], *(const f32x4_at *)&x[c * 8]);", "mdh_streamed();"});
  EXPECT_LT(source.find("mdh_stream_f32x4(&y"), source.find(" mdh_streamed();"));
}

TEST(Streaming, vectors_that_are_too_small_and_elements_apart_are_stored_as_usual) {
  expect_lines(source_of("lanes - n < 2 { load a = x[c, n]; store y[c * 32 + n] = a streaming; }"),
               {"*(f32x2_at *)&y[c * 32] = *(const f32x2_at *)&x[c * 8];"});
  expect_lines(source_of("lanes - n < 4 { load a = x[n, c]; store y[c + 2 * n] = a streaming; }"),
               {"y[c + 6] = mdh_all[3];"});
}

TEST(Opaque, variables_of_all_kinds_are_hidden_and_arrays_are_not) {
  const std::string vectors = source_of(
      "alloc r; lanes - n < 4 { load a = x[c, n]; store r[0, n] = a; } opaque r; "
      "lanes - n < 4 { load b = r[0, n]; store y[n] = b; }");
  expect_lines(vectors, {"mdh_opaque_16(r_0);"});
  const std::string scalar =
      "alloc r; load a = x[c, 0]; store r[0, 1] = a; opaque r; "
      "load b = r[0, 1]; store y[c] = b;";
  expect_lines(source_of(scalar), {"mdh_opaque_float(r_1);"});
  for (const char* type : {"i8", "u64", "f16"}) {
    expect_lines(source_of(scalar, {type, "a", "l"}), {"mdh_opaque_integer(r_1);"});
  }
  const std::string array = source_of(
      "alloc r; for - n < 4 sequential { load a = x[c, n]; store r[0, n] = a; } opaque r;");
  EXPECT_EQ(array.find("mdh_opaque"), std::string::npos) << array;
}

TEST(Registers, elements_that_are_known_are_variables) {
  expect_lines(source_of("alloc r; load a = x[c, 1]; store r[1, 2] = a; load b = r[1, 2]; "
                         "store y[c] = b;"),
               {"float r_6;  /* REG */", "r_6 = a;", "const float b = r_6;"});
}

TEST(Registers, an_unknown_index_needs_an_array) {
  expect_lines(
      source_of("alloc r; for - n < 4 sequential { load a = x[c, n]; store r[0, n] = a; }"),
      {"float r[8] __attribute__((aligned(64)));  /* REG */", "r[n] = a;"});
}

TEST(Registers, copies_that_land_later_use_elements_as_well) {
  expect_lines(source_of("alloc r; async r[1, 2] = x[c, 0]; commit; wait 0;"),
               {"float r_6;  /* REG */", "r_6 = x[c * 8];"});
  expect_lines(source_of("alloc r; for - n < 4 sequential { async r[0, n] = x[c, n]; } commit; "
                         "wait 0; load a = r[0, 2]; store y[c] = a;"),
               {"float r[8] __attribute__((aligned(64)));  /* REG */", "r[n] = x[c * 8 + n];"});
}

TEST(Registers, what_outlives_a_share_is_no_variable) {
  const loop::Program p = loop::parse(R"(mdh_loop 1
kernel any
dimension i < 2 kept
digit c: COR.i < 2 of i step 1 cores
buffer output y: f32[2]
buffer input x: f32[2]
buffer temporary r: f32[2] in REG of registers per ()
function f(a: f32, i: i64) { y: f32 = a; }
function combine() { }
body {
  alloc r;
  deal cores (c < 2) { load a = x[c]; store r[0] = a; }
}
)");
  EXPECT_FALSE(registers_of(p, p.buffers[2], p.body, true).has_value());
}

TEST(Registers, vectors_have_variables_and_lanes) {
  expect_lines(
      source_of("alloc r; lanes - n < 4 { load a = x[c, n]; store r[1, n] = a; } "
                "load b = r[1, 3]; store y[c] = b;"),
      {"f32x4 r_1;  /* REG */", "r_1 = *(const f32x4_at *)&x[c * 8];", "const float b = r_1[3];"});
}

TEST(Registers, vectors_that_begin_inside_of_others_need_an_array) {
  expect_lines(source_of("alloc r; lanes - n < 4 { load a = x[c, n]; store r[0, n] = a; } "
                         "lanes - n < 2 { load b = x[c, n]; store r[0, n + 1] = b; }"),
               {"float r[8] __attribute__((aligned(64)));  /* REG */",
                "*(f32x4_at *)&r[0] = *(const f32x4_at *)&x[c * 8];",
                "*(f32x2_at *)&r[1] = *(const f32x2_at *)&x[c * 8];"});
}

TEST(Registers, variables_have_names_that_nothing_else_has) {
  expect_lines(source_of("let r_6 = 1; alloc r; load a = x[c, r_6]; store r[1, 2] = a;"),
               {"float r__6;  /* REG */", "r__6 = a;"});
  const loop::Program p = loop::parse(R"(mdh_loop 1
kernel any
dimension i < 2 kept
digit c: COR.i < 2 of i step 1 cores
buffer output y: f32[2]
buffer input x: f32[2]
buffer temporary r: f32[1] in REG of registers per (c)
buffer temporary r_: f32[1] in REG of registers per (c)
function f(a: f32, i: i64) { y: f32 = a; }
function combine() { }
body {
  deal cores (c < 2) {
    load r_0 = x[c]; alloc r; store r[0] = r_0; alloc r_; store r_[0] = r_0;
  }
}
)");
  expect_lines(print_openmp(p, "k").source, {"float r__0;  /* REG */", "float r___0;  /* REG */"});
}

TEST(Lanes, values_that_are_used_once_are_printed_in_place) {
  expect_lines(source_of("alloc r; lanes - n < 4 { load a = x[c, n]; load b = x[c, 5]; "
                         "apply z = f(a, b; 0); load o = r[0, n]; combine s = (o; z); "
                         "store r[0, n] = s; }"),
               {"r_0 = (r_0 + (*(const f32x4_at *)&x[c * 8] * x[c * 8 + 5]));"});
}

TEST(Lanes, a_value_that_is_overwritten_in_between_is_kept) {
  expect_lines(source_of("alloc r; lanes - n < 4 { load o = r[0, n]; load a = x[c, n]; "
                         "store r[0, n] = a; store y[c * 32 + n] = o; }"),
               {"const f32x4 o = r_0;", "*(f32x4_at *)&y[c * 32] = o;"});
}

TEST(Lanes, a_value_that_depends_on_what_is_overwritten_in_between_is_kept) {
  // As an operator does whose results need both sides, such as the place of the greatest element.
  expect_lines(source_of("alloc r; lanes - n < 4 { load o = r[0, n]; load a = x[c, n]; "
                         "apply z = f(o, a; 0); combine s = (o; a); store r[0, n] = s; "
                         "store y[c * 32 + n] = z; }"),
               {"const f32x4 z = (r_0 * a);", "r_0 = (r_0 + a);", "*(f32x4_at *)&y[c * 32] = z;"});
}

TEST(Lanes, what_is_defined_before_them_is_the_same_in_all) {
  expect_lines(source_of("load a = x[c, 1]; lanes - n < 2 { store y[c * 32 + n] = a; }"),
               {"*(f32x2_at *)&y[c * 32] = ((f32x2){a, a});"});
}

TEST(Lanes, names_of_values_are_known_in_their_lanes_only) {
  const std::string text =
      "lanes - n < 2 { load a = x[n, c]; store y[n * 3] = a; "
      "store y[n * 3 + 1] = a; } ";
  expect_lines(source_of(text + text), {"{\n        const f32x2 a = ((f32x2){x[c], x[c + 8]});",
                                        "const f32x2 mdh_all = a;"});
}

TEST(Lanes, elements_that_lie_apart_are_gathered_and_scattered) {
  expect_lines(source_of("lanes - n < 2 { load a = x[n, c]; store y[n * 3] = a; }"),
               {"const f32x2 mdh_all = ((f32x2){x[c], x[c + 8]});", "y[0] = mdh_all[0];",
                "y[3] = mdh_all[1];"});
}

TEST(Lanes, integers_wrap_around) {
  expect_lines(source_of("lanes - n < 4 { load a = x[c, n]; load b = x[c, 0]; "
                         "apply z = f(a, b; 0); store y[c * 32 + n] = z; }",
                         {"i32", "a * b + 1", "l + r"}),
               {"*(i32x4_at *)&y[c * 32] = ((i32x4)((u32x4)((i32x4)((u32x4)*(const i32x4_at "
                "*)&x[c * 8] * (unsigned)x[c * 8])) + (unsigned)1));"});
}

TEST(Lanes, choices_are_made_by_masks) {
  const std::string source = source_of(
      "lanes - n < 4 { load a = x[c, n]; load b = x[c, n + 4]; apply z = f(a, b; 0); "
      "store y[c * 32 + n] = z; }",
      {"f32", "if a < b then min(a, b) else 0.5", "l + r"});
  expect_lines(source, {"return (f32x4)(((i32x4)a & m) | ((i32x4)b & ~m));"});
  EXPECT_NE(source.find("mdh_choose_f32x4((a < b), mdh_min_f32x4(a, b), ((f32x4){0.5f, 0.5f, 0.5f, "
                        "0.5f}))"),
            std::string::npos)
      << source;
}

TEST(Lanes, extremes_of_floats_are_one_instruction_where_the_machine_has_it) {
  const auto source = [](const std::string& type, const std::string& f, int lanes) {
    return source_of(fmt::format("lanes - n < {} {{ load a = x[c, n]; load b = x[c, 0]; apply z = "
                                 "f(a, b; 0); store y[c * 32 + n] = z; }}",
                                 lanes),
                     {type, f, "l + r"});
  };
  const std::string four = source("f32", "min(a, b)", 4);
  EXPECT_NE(four.find("#if defined __AVX512DQ__ && defined __AVX512VL__\n"
                      "  return __builtin_ia32_rangeps128_mask(a, b, 4, a, -1);\n#else\n"),
            std::string::npos)
      << four;
  expect_lines(source("f64", "max(a, b)", 4),
               {"return __builtin_ia32_rangepd256_mask(a, b, 5, a, -1);"});
  expect_lines(source("f64", "max(a, b)", 8),
               {"return __builtin_ia32_rangepd512_mask(a, b, 5, a, -1, 4);"});
  EXPECT_EQ(source("f32", "min(a, b)", 2).find("#if "), std::string::npos);
  EXPECT_EQ(source("i32", "min(a, b)", 4).find("#if defined"), std::string::npos);
}

TEST(Lanes, an_index_of_the_lane_is_a_vector) {
  const Types types{"i64", "a * b + i", "l + r"};
  expect_lines(source_of("lanes - n < 4 { load a = x[c, n]; apply z = f(a, a; c * 32 + n * 3); "
                         "store y[c * 32 + n] = z; }",
                         types),
               {"*(i64x4_at *)&y[c * 32] = ((i64x4)((u64x4)((i64x4)((u64x4)a * (u64x4)a)) + "
                "(u64x4)(((i64x4){0, 3, 6, 9}) + (c * 32))));"});
  expect_lines(source_of("lanes - n < 2 { load a = x[c, n]; apply z = f(a, a; n / 2 + c); "
                         "store y[c * 32 + n] = z; }",
                         types),
               {"*(i64x2_at *)&y[c * 32] = ((i64x2)((u64x2)((i64x2)((u64x2)a * (u64x2)a)) + "
                "(u64x2)((i64x2){c, c})));"});
}

// ---- functions of their own

/// Lanes of f(a, b, i), of which b is the same in all; the text of f, and of the statement.
std::string function_of(const std::string& type, const std::string& f, int lanes = 4) {
  const std::string count = std::to_string(lanes);
  const std::string source = source_of(
      "load b = x[c, 5]; lanes - n < " + count +
          " { load a = x[c, n]; apply z = f(a, b; c * 32 + n); store y[c * 32 + n] = z; }",
      {type, f, "l + r"});
  const size_t at = source.rfind("static inline __attribute__((always_inline))");
  EXPECT_NE(at, std::string::npos) << source;
  return std::regex_replace(source.substr(at, source.find("\n}", at) + 3 - at),
                            std::regex("_[0-9a-f]{16}|static inline __attribute__.*\\)\\) "), "");
}

TEST(Lanes, loops_run_until_no_lane_wants_to) {
  EXPECT_EQ(
      function_of("f32", "loop (s = a, t = b) while (s < t) { s = s * a, t = t + s } yield s"),
      R"(f32x4 mdh_f_x4(f32x4 a, float b) {
  f32x4 s = a;
  f32x4 t = ((f32x4){b, b, b, b});
  i32x4 running = ((i32x4){-(int)1, -(int)1, -(int)1, -(int)1});
  for (;;) {
    running = running & (s < t);
    if (!mdh_any_i32x4(running)) break;
    const f32x4 next_s = (s * a);
    const f32x4 next_t = (t + s);
    s = mdh_choose_f32x4(running, next_s, s);
    t = next_t;
  }
  return s;
}
)");
}

TEST(Lanes, what_is_the_same_in_all_that_run_is_a_scalar) {
  EXPECT_EQ(function_of("f64",
                        "loop (s = a, k = i32(0)) while (s < b && k < 9) { s = s * a, k = k + 1 } "
                        "yield f64(k)"),
            R"(f64x4 mdh_f_x4(f64x4 a, double b) {
  f64x4 s = a;
  int k = 0;
  i32x4 k_kept = ((i32x4){0, 0, 0, 0});
  i64x4 running = ((i64x4){-(long)1, -(long)1, -(long)1, -(long)1});
  while ((k < 9)) {
    running = running & (s < ((f64x4){b, b, b, b}));
    if (!mdh_any_i64x4(running)) break;
    const f64x4 next_s = (s * a);
    const int next_k = (int)((unsigned)k + (unsigned)1);
    s = next_s;
    k_kept = mdh_choose_i32x4(__builtin_convertvector(running, i32x4), ((i32x4){next_k, next_k, next_k, next_k}), k_kept);
    k = next_k;
  }
  return __builtin_convertvector(k_kept, f64x4);
}
)");
}

TEST(Lanes, loops_whose_rounds_are_the_same_in_all_need_no_mask) {
  EXPECT_EQ(
      function_of("f32", "loop (s = a, k = 0) while (k < 9) { s = s * b, k = k + 1 } yield s"),
      R"(f32x4 mdh_f_x4(f32x4 a, float b) {
  f32x4 s = a;
  long k = 0L;
  while ((k < 9L)) {
    const f32x4 next_s = (s * b);
    const long next_k = (long)((unsigned long)k + (unsigned long)1L);
    s = next_s;
    k = next_k;
  }
  return s;
}
)");
}

TEST(Lanes, loops_run_for_lanes_that_need_them) {
  EXPECT_EQ(function_of("f32",
                        "if a < b then loop (s = a) while (s < b) { s = s * 2 } yield s else "
                        "loop (k = b) while (k < 9) { k = k + 1 } yield k"),
            R"(f32x4 mdh_f_x4(f32x4 a, float b) {
  const i32x4 holds = (a < ((f32x4){b, b, b, b}));
  f32x4 s = a;
  i32x4 running = holds;
  for (;;) {
    running = running & (s < ((f32x4){b, b, b, b}));
    if (!mdh_any_i32x4(running)) break;
    const f32x4 next_s = (s * 2.0f);
    s = mdh_choose_f32x4(running, next_s, s);
  }
  const float loop = mdh_any_i32x4((~holds)) ? mdh_loop(b) : 0;
  return mdh_choose_f32x4(holds, s, ((f32x4){loop, loop, loop, loop}));
}
)");
}

TEST(Lanes, a_loop_behind_a_condition_begins_with_the_lanes_where_it_holds) {
  EXPECT_EQ(
      function_of("f32",
                  "if a < b && (loop (s = a) while (s < b) { s = s * 2 } yield s) < 9 then "
                  "loop (t = a, k = 0) while (k < 3) { t = t + b, k = k + 1 } yield t else b"),
      R"(f32x4 mdh_f_x4(f32x4 a, float b) {
  const i32x4 holds = (a < ((f32x4){b, b, b, b}));
  f32x4 s = a;
  i32x4 running = holds;
  for (;;) {
    running = running & (s < ((f32x4){b, b, b, b}));
    if (!mdh_any_i32x4(running)) break;
    const f32x4 next_s = (s * 2.0f);
    s = mdh_choose_f32x4(running, next_s, s);
  }
  const i32x4 holds_2 = (holds & (s < ((f32x4){9.0f, 9.0f, 9.0f, 9.0f})));
  f32x4 t = a;
  long k = 0L;
  const _Bool runs = mdh_any_i32x4(holds_2);
  while (runs && (k < 3L)) {
    const f32x4 next_t = (t + b);
    const long next_k = (long)((unsigned long)k + (unsigned long)1L);
    t = next_t;
    k = next_k;
  }
  return mdh_choose_f32x4(holds_2, t, ((f32x4){b, b, b, b}));
}
)");
}

TEST(Lanes, any_lane_is_found_by_joining_halves) {
  const std::string source = source_of(
      "lanes - n < 8 { load a = x[c, n]; apply z = f(a, a; 0); store y[c * 32 + n] = z; }",
      {"f64", "loop (s = a) while (s < 9) { s = s * 2 } yield s", "l + r"});
  expect_lines(source,
               {"const i64x4 m4 = ((const i64x4_at *)&m)[0] | ((const i64x4_at *)&m)[1];",
                "const i64x2 m2 = ((const i64x2_at *)&m4)[0] | ((const i64x2_at *)&m4)[1];",
                "return ((*(const i64x2_at *)&m2)[0] | (*(const i64x2_at *)&m2)[1]) != 0;"});
}

TEST(Lanes, lets_and_several_results_are_in_a_function) {
  const loop::Program p = loop::parse(R"(mdh_loop 1
kernel any
dimension i < 8 kept
digit c: COR.i < 2 of i step 4 cores
buffer output y: f32[8]
buffer output z: i64[8]
buffer input x: f32[8]
function f(a: f32, i: i64) {
  small = a < 1.0 || i == 3;
  twice = a * 2.0;
  y: f32 = if small then twice else a;
  z: i64 = if !small && i < 5 then i else 0;
}
function combine() { }
body { deal cores (c < 2) { lanes - n < 4 {
  load a = x[c * 4 + n]; apply v, w = f(a; c * 4 + n); store y[c * 4 + n] = v; store z[c * 4 + n] = w;
} } }
)");
  const std::string source =
      std::regex_replace(print_openmp(p, "k").source, std::regex("_[0-9a-f]{16}"), "");
  expect_lines(source, {"const i64x4 small = (__builtin_convertvector((a < ((f32x4){1.0f, 1.0f, "
                        "1.0f, 1.0f})), i64x4) "
                        "| (i == ((i64x4){3L, 3L, 3L, 3L})));",
                        "const f32x4 twice = (a * 2.0f);",
                        "*y = mdh_choose_f32x4(__builtin_convertvector(small, i32x4), twice, a);",
                        "f32x4 v;\n        i64x4 w;\n        mdh_f_x4(*(const f32x4_at *)&x[c * "
                        "4], (((i64x4){0, 1, 2, "
                        "3}) + (c * 4)), &v, &w);"});
}

}  // namespace
}  // namespace mdh::backend::lanes_test
