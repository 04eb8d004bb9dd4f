#include "mdh/codegen/openmp.h"

#include <gtest/gtest.h>

#include "mdh/loop/parse.h"
#include "mdh/support/testing.h"

namespace mdh::codegen {
namespace {

const std::string declarations = R"(mdh_loop 1
kernel any
dimension i < 24
buffer output y: f32[24]
buffer output z: i8[]
buffer input x: f64[2, 3, 4]
buffer workspace t: f32[17]
buffer workspace u: i64[8]
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
  const kernel::Module m = module("deal (COR.i c < 24 of i step 1) { }");
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

TEST(OpenMP, workspace_buffers_lie_one_after_the_other_aligned) {
  const kernel::Module m = module("");
  EXPECT_EQ(m.workspace_bytes, 128 + 64);  // 68 bytes, rounded up to 64s, and 64
  EXPECT_EQ(lines_from(m.source, "float *const t", 2),
            "float *const t = (float *)(workspace + 0);\n"
            "long *const u = (long *)(workspace + 128);\n");
}

TEST(OpenMP, threads_beyond_the_largest_deal_have_nothing_to_do) {
  EXPECT_EQ(module("").parts_on_cores, 1);
  EXPECT_EQ(module("deal () { }").parts_on_cores, 1);
  EXPECT_EQ(module(R"(
    deal (COR.i c < 3 of i step 1) { }
    for L1.i p < 2 sequential { deal (COR.i c < 3 of i step 1, L2.i d < 4 of i step 1) { } }
    deal (COR.i c < 5 of i step 1) { })")
                .parts_on_cores,
            12);
}

TEST(OpenMP, one_parallel_region_or_none) {
  const std::string team = module("deal (COR.i c < 3 of i step 1) { } barrier; deal () { }").source;
  const size_t region = team.find("#pragma omp parallel num_threads(threads)\n");
  ASSERT_NE(region, std::string::npos) << team;
  EXPECT_EQ(team.find("#pragma omp parallel", region + 1), std::string::npos) << team;
  EXPECT_NE(team.find("#pragma omp barrier\n"), std::string::npos) << team;
  const std::string alone =
      module("deal () { } barrier; deal (COR.i c < 1 of i step 1) { }").source;
  EXPECT_EQ(alone.find("omp"), std::string::npos) << alone;
}

TEST(OpenMP, digits_of_a_part_are_mixed_radix_with_the_last_one_fastest) {
  const std::string digits =
      "COR.i a < 2 of i step 12, L3.i b < 3 of i step 4, L2.i c < 1 of i step 4, "
      "L1.i d < 4 of i step 1";
  EXPECT_EQ(
      lines_from(module("deal (" + digits + ") { }").source, "for (long part", 5),
      R"(for (long part = 24 * core / cores; part < 24 * (core + 1) / cores; ++part) {  /* COR.i, L3.i, L2.i, L1.i */
const long a = part / 12;
const long b = (part / 4) % 3;
const long c = 0;
const long d = part % 4;
)");
  EXPECT_EQ(
      lines_from(module("deal (L2.i c < 1 of i step 4, COR.i a < 6 of i step 4) { }").source,
                 "for (long part", 3),
      R"(for (long part = 6 * core / cores; part < 6 * (core + 1) / cores; ++part) {  /* L2.i, COR.i */
const long c = 0;
const long a = part;
)");
}

TEST(OpenMP, a_deal_of_one_part_goes_to_core_0) {
  const std::string one = "deal (L2.i c < 1 of i step 4) { let a = c; if a == 0 { } }";
  EXPECT_EQ(lines_from(module("deal (COR.i p < 2 of i step 1) { }" + one).source, "if (core", 3),
            "if (core == 0) {\nconst long c = 0;\nconst long a = c;\n");
  // Alone it is a block if it defines something: its neighbours may use the same names.
  const std::string alone = module(one + one).source;
  EXPECT_EQ(lines_from(alone, "(void)threads;", 7), R"((void)threads;
{
const long c = 0;
const long a = c;
if (a == 0) {
}
}
)");
}

TEST(OpenMP, a_single_part_that_only_loops_is_printed_as_it_is) {
  EXPECT_EQ(
      lines_from(module("deal () { for L1.i p < 2 sequential { } }").source, "(void)threads;", 3),
      "(void)threads;\nfor (long p = 0; p < 2; ++p) {  /* L1.i */\n}\n");
}

TEST(OpenMP, contraction_is_allowed_if_f_only_computes) {
  EXPECT_TRUE(module("").contract_allowed);
  std::string above = declarations;
  above.replace(above.find("a * 2.0"), 7, "if a < 1.0 then a else 2.0");
  EXPECT_FALSE(module("", above).contract_allowed);
}

TEST(OpenMP, structured_programs_are_refused) {
  const Diagnostic d = diagnostic_of([] { module("sequential L1.i p < 24 of i step 1 { }"); });
  EXPECT_EQ(d.kind, DiagnosticKind::internal);
  EXPECT_EQ(d.message.substr(0, d.message.rfind(" (")), "only concrete loops can be printed");
}

}  // namespace
}  // namespace mdh::codegen
