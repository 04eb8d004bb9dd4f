#include "mdh/backend/c/printer.h"

#include <gtest/gtest.h>

#include "mdh/loop/parse.h"
#include "mdh/support/testing.h"

namespace mdh::backend::printer_test {
namespace {

/// A target that only marks what is left to it.
class Marker : public CPrinter {
 public:
  Marker(const loop::Program& p, Dialect dialect) : CPrinter(p, dialect) {}

 protected:
  std::string deal(const loop::Deal& s) override { return "DEAL {\n" + block(s.body) + "}\n"; }
  std::string barrier(const loop::Barrier&) override { return "BARRIER\n"; }
  std::string alloc(const loop::Buffer& b) override {
    return "ALLOC " + b.symbol.name + " " + instance(b) + "\n";
  }
};

const std::string declarations = R"(mdh_loop 1
kernel any
dimension i < 4 kept
digit g: BLK.i < 2 of i step 2 grid
digit c: THR.i < 2 of i step 1 cores
digit d: L1.i < 4 of i step 1 sequential
buffer output y: f32[4]
buffer output int: i16[2, 3, 4]
buffer output s: f32[]
buffer input x: f32[4, 1]
buffer temporary t: f32[4] in L1 of core per (g, c)
buffer temporary u: f32[4] in DM of all per ()
function f(a: f32, i: i64) { y: f32 = a * a + 0.5; }
function combine(l: f32, r: f32) { x: f32 = max(l, r); }
)";

std::string printed(const std::string& body, Dialect dialect = Dialect::c) {
  const loop::Program p = loop::parse(declarations + "body {" + body + "}");
  return Marker(p, dialect).block(p.body);
}

TEST(CPrinter, loops_count_from_0_and_name_their_level) {
  EXPECT_EQ(printed("for L1.i p < 4 sequential { for REG.i q < p unrolled { for SIMD.i r < p + q "
                    "lanes { barrier cores; } } }"),
            R"(for (long p = 0; p < 4; ++p) {  /* L1.i */
  for (long q = 0; q < p; ++q) {  /* REG.i, side by side in registers */
    for (long r = 0; r < p + q; ++r) {  /* SIMD.i, lanes */
      BARRIER
    }
  }
}
)");
}

/// NVIDIA's compiler may lose rounds of such loops otherwise (seed 510100543).
TEST(CPrinter, loops_of_grids_that_decide_how_often_others_run_do_not_compare_orders) {
  const std::string body =
      "for L1.i p < 4 sequential { for REG.i q < p sequential { for - r < q sequential { } } "
      "for - r < 2 sequential { } }";
  for (const Dialect dialect : {Dialect::cuda, Dialect::opencl}) {
    const std::string text = printed(body, dialect);
    EXPECT_NE(text.find("for (long p = 0; p != 4; ++p) {"), std::string::npos) << text;
    EXPECT_NE(text.find("for (long q = 0; q < p; ++q) {"), std::string::npos) << "may be empty";
    EXPECT_NE(text.find("for (long r = 0; r < 2; ++r) {"), std::string::npos) << text;
  }
  EXPECT_NE(printed(body).find("for (long p = 0; p < 4; ++p) {"), std::string::npos);
  const std::string deep =
      "for - p < 4 sequential { for - m < 2 sequential { for - q < p sequential { } } }";
  EXPECT_NE(printed(deep, Dialect::cuda).find("p != 4"), std::string::npos);
}

TEST(CPrinter, a_temporary_knows_which_instance_it_is) {
  EXPECT_EQ(printed("deal grid (g < 2) { deal cores (c < 2) { alloc t; } alloc u; }"),
            "DEAL {\nDEAL {\nALLOC t (g * 2 + c)\n}\nALLOC u \n}\n");
}

TEST(CPrinter, branches_have_an_else_only_if_there_is_something_in_it) {
  EXPECT_EQ(printed("if 1 < 2 { barrier cores; } if 1 == 2 { } else { barrier cores; }"),
            "if (1 < 2) {\n  BARRIER\n}\nif (1 == 2) {\n} else {\n  BARRIER\n}\n");
}

TEST(CPrinter, elements_are_addressed_row_by_row_with_constant_strides) {
  EXPECT_EQ(printed("deal cores () { for L1.i p < 2 sequential { load a = int[p, p + 1, 3]; "
                    "store int[0, p, p] = a; } }"),
            R"(DEAL {
for (long p = 0; p < 2; ++p) {  /* L1.i */
  const short a = mdh_int[p * 12 + ((p + 1) * 4 + 3)];
  mdh_int[p * 4 + p] = a;
}
}
)");
  EXPECT_EQ(printed("load a = s[]; load b = x[3, 0];"),
            "const float a = s[0];\nconst float b = x[3];\n");
}

TEST(CPrinter, functions_are_printed_in_place) {
  EXPECT_EQ(printed("load a = x[0, 0]; apply r = f(a; 0); combine n = (a; r);"),
            R"(const float a = x[0];
const float r = ((a * a) + 0.5f);
const float n = mdh_max_f32(a, r);
)");
}

TEST(CPrinter, arguments_do_not_capture_parameters) {
  // Values are called like the parameters of combine, but the other way round.
  EXPECT_EQ(printed("load r = x[0, 0]; load l = x[1, 0]; combine n = (r; l);"),
            "const float r = x[0];\nconst float l = x[1];\nconst float n = mdh_max_f32(r, l);\n");
}

TEST(CPrinter, indices_that_nothing_uses_are_left_out) {
  EXPECT_EQ(printed("let a = 1; let b = 2; for L1.i p < 2 sequential { load v = x[b, 0]; }"),
            R"(const long b = 2;
for (long p = 0; p < 2; ++p) {  /* L1.i */
  const float v = x[b];
}
)");
}

TEST(CPrinter, helpers_are_those_of_the_block) {
  const loop::Program p =
      loop::parse(declarations + "body { load a = x[0, 0]; combine n = (a; a); }");
  Marker printer(p, Dialect::c);
  EXPECT_EQ(printer.helpers(), "");
  printer.block(p.body);
  EXPECT_EQ(printer.helpers().find("#ifndef mdh_max_f32_defined\n"), 0u);
}

TEST(CPrinter, copies_land_as_soon_as_they_are_issued) {
  EXPECT_EQ(printed("alloc u; deal cores () { async u[1] = x[3, 0]; commit; wait 0; } wait 1;"),
            "ALLOC u \nDEAL {\nu[1] = x[3];\n}\n");
}

TEST(CPrinter, what_may_be_needed_soon_is_asked_for) {
  EXPECT_EQ(printed("deal cores () { prefetch x[90, 0]; }"),
            "DEAL {\n__builtin_prefetch(&x[90]);\n}\n");
}

TEST(CPrinter, structured_statements_are_refused) {
  const Diagnostic d = diagnostic_of([] { printed("deal cores () { loop d { } }"); });
  EXPECT_EQ(d.kind, DiagnosticKind::internal);
  EXPECT_EQ(d.message.substr(0, d.message.rfind(" (")), "a structured loop reached the printer");
}

}  // namespace
}  // namespace mdh::backend::printer_test
