#include "mdh/backend/openmp/openmp.h"

#include <gtest/gtest.h>

#include <regex>

#include "mdh/loop/parse.h"
#include "mdh/support/testing.h"

namespace mdh::backend::openmp_test {
namespace {

const std::string declarations = R"(mdh_loop 1
kernel any
dimension i < 24 kept
digit a: COR.i < 2 of i step 12 cores
digit b: L3.i < 3 of i step 4 cores
digit c: L2.i < 1 of i step 4 sequential
digit d: L1.i < 4 of i step 1 sequential
buffer output y: f32[24]
buffer output z: i8[]
buffer input x: f64[2, 3, 4]
buffer temporary t: f32[17] in MM of all per ()
buffer temporary u: i64[8] in MM of all per ()
buffer temporary v: f32[5] in MM of all per (a, b)
buffer temporary s: f32[3] in L1 of core per (a)
buffer temporary m: f32[3000] in L1 of core per (a)
function f(a: f32, i: i64) { y: f32 = a * 2.0; }
function combine() { }
)";

kernel::Module module(const std::string& body, const std::string& above = declarations) {
  return print_openmp(loop::parse(above + "body {" + body + "}"), "k1");
}

/// The lines of the kernel from the one that holds `piece`, without indentation.
std::string lines_from(const std::string& source, const std::string& piece, int count) {
  size_t at = source.find(piece);
  EXPECT_NE(at, std::string::npos) << source;
  std::string text;
  for (; count > 0 && at != std::string::npos; --count) {
    const size_t end = source.find('\n', at);
    text += source.substr(at, end - at) + "\n";
    at = source.find_first_not_of(' ', end + 1);
  }
  return text;
}

TEST(OpenMP, the_module_says_how_the_kernel_is_called) {
  const kernel::Module m = module("deal cores (e < 24) { }");
  EXPECT_EQ(m.language, "c");
  EXPECT_EQ(m.name, "k1");
  EXPECT_EQ(m.steps, std::vector<kernel::Step>{{kernel::Launch{"k1_entry"}}});
  ASSERT_EQ(m.arguments.size(), 3u);
  EXPECT_EQ(m.arguments[0].name, "y");
  EXPECT_TRUE(m.arguments[0].is_output);
  EXPECT_EQ(m.arguments[1].type, "i8");
  EXPECT_EQ(m.arguments[1].bytes(), 1);
  EXPECT_TRUE(m.arguments[1].is_output);
  EXPECT_EQ(m.arguments[2].name, "x");
  EXPECT_EQ(m.arguments[2].extents, (std::vector<int64_t>{2, 3, 4}));
  EXPECT_EQ(m.arguments[2].bytes_per_element, 8);
  EXPECT_FALSE(m.arguments[2].is_output);
}

// ---- temporaries

TEST(OpenMP, what_outlives_a_share_lies_in_the_workspace_one_after_the_other_aligned) {
  const kernel::Module m =
      module("alloc t; alloc u; deal cores (e < 2) { load p = t[e]; load q = u[e]; }");
  EXPECT_EQ(m.workspace_bytes, 128 + 64);  // 68 bytes, rounded up to 64s, and 64
  EXPECT_EQ(m.workspace_bytes_per_core, 0);
  EXPECT_EQ(lines_from(m.source, "float *const t", 2),
            "float *const t = (float *)(workspace + 0);  /* MM */\n"
            "long *const u = (long *)(workspace + 128);  /* MM */\n");
}

TEST(OpenMP, a_share_uses_its_own_instance) {
  const kernel::Module m = module("alloc v; deal cores (a < 2, b < 3) { load p = v[4]; }");
  EXPECT_EQ(m.workspace_bytes, 128) << "6 instances of 20 bytes";
  EXPECT_EQ(lines_from(m.source, "float *const v", 1),
            "float *const v = (float *)(workspace + 0) + (a * 3 + b) * 5;  /* MM */\n");
}

TEST(OpenMP, what_begins_inside_of_a_share_is_a_variable_of_it_or_of_its_core) {
  const kernel::Module m = module("deal cores (a < 2) { alloc s; alloc m; load p = s[0]; }");
  EXPECT_EQ(m.workspace_bytes, 0);
  EXPECT_EQ(m.workspace_bytes_per_core, 12032) << "12000 bytes are too many for a stack";
  EXPECT_EQ(lines_from(m.source, "char *const mine", 1),
            "char *const mine = workspace + 0 + core * 12032;\n");
  EXPECT_EQ(lines_from(m.source, "float s[", 2),
            "float s[3] __attribute__((aligned(64)));  /* L1 */\n"
            "float *const m = (float *)(mine + 0);  /* L1 */\n");
}

// ---- shares

TEST(OpenMP, what_also_begins_outside_of_shares_is_everybodys) {
  const kernel::Module m =
      module("deal cores (b < 3) { alloc t; } alloc t; deal cores (b < 3) { load r = t[b]; }");
  EXPECT_EQ(m.workspace_bytes, 128);
  EXPECT_EQ(m.source.find("float t["), std::string::npos) << m.source;
}

TEST(OpenMP, threads_beyond_the_largest_deal_have_nothing_to_do) {
  EXPECT_EQ(module("").parts_on_cores, 1);
  EXPECT_EQ(module("deal cores () { }").parts_on_cores, 1);
  EXPECT_EQ(module(R"(
    deal cores (e < 3) { }
    for L1.i p < 2 sequential { deal cores (e < 3, g < 4) { } }
    deal cores (e < 5) { })")
                .parts_on_cores,
            12);
}

TEST(OpenMP, no_more_threads_than_a_deal_asks_for) {
  EXPECT_EQ(module("deal cores (e < 8) on 3 { }").parts_on_cores, 3);
  EXPECT_EQ(module("deal cores (e < 8) on 1 { } deal cores (g < 64) collective { }").parts_on_cores,
            1);
  EXPECT_EQ(module("deal cores (e < 8) on 3 { } deal cores (e < 5) { }").parts_on_cores, 5);
}

TEST(OpenMP, shares_are_dealt_in_blocks_in_turns_or_as_they_are_taken) {
  const auto loop = [](const std::string& dealing) {
    return lines_from(module("deal cores (e < 8) " + dealing + " { }").source, "for (long part", 1);
  };
  EXPECT_EQ(
      loop(""),
      "for (long part = 8 * core / cores; part < 8 * (core + 1) / cores; ++part) {  /* e */\n");
  EXPECT_EQ(loop("cyclic"), "for (long part = core; part < 8; part += cores) {  /* e */\n");
  EXPECT_EQ(
      loop("dynamic"),
      "for (long part; (part = mdh_take(&mdh_taken, mdh_dealt + 8) - mdh_dealt) < 8;) {  /* e "
      "*/\n");
}

TEST(OpenMP, shares_of_all_dynamic_deals_are_numbered_one_after_the_other) {
  const std::string source =
      module("deal cores (e < 8) dynamic { } deal cores (e < 5) dynamic { }").source;
  EXPECT_EQ(lines_from(source, "long mdh_taken", 2),
            "long mdh_taken = 0;\n#pragma omp parallel num_threads(threads)\n");
  EXPECT_NE(source.find("mdh_dealt += 8;"), std::string::npos);
  EXPECT_NE(source.find("mdh_dealt += 5;"), std::string::npos);
  for (const std::string deal : {"deal cores () dynamic { }", "deal cores (e < 8) { }"}) {
    EXPECT_EQ(module(deal).source.find("mdh_"), std::string::npos) << deal;
  }
}

TEST(OpenMP, collective_deals_count_only_where_there_are_no_others) {
  EXPECT_EQ(module("deal cores (e < 3) { } deal cores (e < 64) collective { }").parts_on_cores, 3);
  EXPECT_EQ(module("deal cores () { } deal cores (e < 64) collective { }").parts_on_cores, 64);
}

TEST(OpenMP, one_parallel_region_or_none) {
  const std::string team = module("deal cores (e < 3) { } barrier cores; deal cores () { }").source;
  const size_t region = team.find("#pragma omp parallel num_threads(threads)\n");
  ASSERT_NE(region, std::string::npos) << team;
  EXPECT_EQ(team.find("#pragma omp parallel", region + 1), std::string::npos) << team;
  EXPECT_NE(team.find("#pragma omp barrier\n"), std::string::npos) << team;
  const std::string alone =
      module("deal cores () { } barrier cores; deal cores (e < 1) { }").source;
  EXPECT_EQ(alone.find("omp"), std::string::npos) << alone;
}

TEST(OpenMP, counters_of_a_share_are_mixed_radix_with_the_last_one_fastest) {
  EXPECT_EQ(
      lines_from(module("deal cores (a < 2, b < 3, c < 1, d < 4) { }").source, "for (long part", 5),
      R"(for (long part = 24 * core / cores; part < 24 * (core + 1) / cores; ++part) {  /* COR.i, L3.i, L2.i, L1.i */
const long a = part / 12;
const long b = (part / 4) % 3;
const long c = 0;
const long d = part % 4;
)");
  EXPECT_EQ(
      lines_from(module("deal cores (c < 1, e < 6) { }").source, "for (long part", 3),
      R"(for (long part = 6 * core / cores; part < 6 * (core + 1) / cores; ++part) {  /* L2.i, e */
const long c = 0;
const long e = part;
)");
}

TEST(OpenMP, a_single_share_goes_to_core_0) {
  const std::string one = "deal cores (c < 1) { let p = c; if p == 0 { } }";
  EXPECT_EQ(lines_from(module("deal cores (e < 2) { }" + one).source, "if (core", 3),
            "if (core == 0) {\nconst long c = 0;\nconst long p = c;\n");
  // Alone it is a block: its neighbours may use the same names.
  EXPECT_EQ(lines_from(module(one + one).source, "(void)threads;", 7), R"((void)threads;
{
const long c = 0;
const long p = c;
if (p == 0) {
}
}
)");
}

TEST(OpenMP, contraction_is_allowed_if_f_only_computes) {
  EXPECT_TRUE(module("").contract_allowed);
  std::string above = declarations;
  above.replace(above.find("a * 2.0"), 7, "if a < 1.0 then a else 2.0");
  EXPECT_FALSE(module("", above).contract_allowed);
}

TEST(OpenMP, structured_programs_are_refused) {
  const Diagnostic d = diagnostic_of([] { module("loop d { }"); });
  EXPECT_EQ(d.kind, DiagnosticKind::internal);
  EXPECT_EQ(d.message.substr(0, d.message.rfind(" (")), "only concrete loops can be printed");
}

const std::string of_records = R"(mdh_loop 1
kernel any
record pair { at: i32; value: f64; }
dimension i < 24 kept
digit a: COR.i < 2 of i step 12 cores
buffer output y: pair[24]
buffer input x: pair[24]
buffer temporary s: pair[3] in L1 of core per (a)
function f(p: pair, i: i64) { y: pair = pair{ at = p.at + 1, value = p.value }; }
function combine(l: pair, r: pair) { x: pair = if l.value < r.value then l else r; }
)";

/// The statements of the share, without their types.
std::string statements(const std::string& body) {
  const std::string source = module("deal cores (a < 2) { " + body + " }", of_records).source;
  const std::string begin = "const long a = part;\n";
  size_t at = source.find(begin);
  EXPECT_NE(at, std::string::npos) << source;
  at += begin.size();
  const std::string text = source.substr(at, source.find("\n    }\n", at) + 1 - at);
  const std::string bare =
      std::regex_replace(text, std::regex("struct mdh_pair_[0-9a-f]{16}|_[0-9a-f]{16}"), "");
  return std::regex_replace(bare, std::regex("      |  /\\* .*"), "");
}

TEST(OpenMP, records_are_read_where_they_lie) {
  EXPECT_EQ(statements("load v = x[a]; apply w = f(v; a); combine m = (v; w); store y[a] = m;"),
            "const  *const v = &x[a];\nconst  w = mdh_f(v, a);\n"
            "const  m = mdh_combine(v, &w);\ny[a] = m;\n");
  EXPECT_EQ(statements("load v = x[a]; store y[a] = v;"), "const  *const v = &x[a];\ny[a] = *v;\n");
}

TEST(OpenMP, records_that_are_overwritten_in_the_block_are_copied) {
  EXPECT_EQ(statements("load v = y[a]; load w = x[a]; store y[a] = w; store y[a + 12] = v;"),
            "const  v = y[a];\nconst  *const w = &x[a];\ny[a] = *w;\ny[a + 12] = v;\n");
  EXPECT_EQ(statements("load v = y[a]; for - n < 2 sequential { store y[n] = v; }"),
            "const  v = y[a];\nfor (long n = 0; n < 2; ++n) {\n  y[n] = v;\n}\n");
}

TEST(OpenMP, a_name_refers_to_a_record_in_its_block_only) {
  EXPECT_EQ(statements("if a < 1 { load v = x[a]; store y[a] = v; } else { load v = y[a]; "
                       "store y[a + 1] = v; }"),
            "if (a < 1) {\n  const  *const v = &x[a];\n  y[a] = *v;\n} else {\n"
            "  const  v = y[a];\n  y[a + 1] = v;\n}\n");
}

TEST(OpenMP, records_that_were_staged_are_read_there) {
  EXPECT_EQ(statements("alloc s; load v = x[a]; store s[1] = v; load w = s[1]; store y[a] = w;"),
            " s[3] __attribute__((aligned(64)));\nconst  *const v = &x[a];\ns[1] = *v;\n"
            "const  *const w = &s[1];\ny[a] = *w;\n");
}

}  // namespace
}  // namespace mdh::backend::openmp_test
