#include "mdh/passes/lower/lower.h"

#include <gtest/gtest.h>

#include "mdh/ll/print.h"
#include "mdh/passes/common/test_programs.h"

namespace mdh::passes::lower_test {
namespace {

TEST(Lower, a_configuration_becomes_one_operator_per_level_and_phase) {
  const hl::Program program = computation(
      "matvec = out_view( w: i64 = [i] ) * md_hom( i: 6 by cc, k: 50 by pw(add) )"
      " { w = M * v; } * inp_view( M: i64 = [i, k]; v: i64 = [k] )");
  const ll::Config c = config(R"("layers": ["HM", "COR", "L1"],
    "split": {"i": ["COR 2", "L1 3"], "k": ["HM 4", "L1 13"]},
    "order": ["HM.k", "COR.i", "L1.i", "L1.k"])");
  EXPECT_EQ(ll::print(lower(program, machine::find_machine("artificial"), c)), R"(mdh_ll 1
machine artificial
layers HM, COR, L1
decompose {
  HM.k:  cc_inv  4 on HM.x  reads M: HM[1, 2], v: HM[1];
  COR.i: cc_inv  2 on COR.x reads M: HM[1, 2], v: HM[1];
  L1.i:  cc_inv  3 on L1.x  reads M: HM[1, 2], v: HM[1];
  L1.k:  cc_inv 13 on L1.y  reads M: HM[1, 2], v: HM[1];
}
scalar {
  order HM.k, COR.i, L1.i, L1.k;
  reads M: HM[1, 2], v: HM[1];
  writes w: HM[1];
}
recompose {
  HM.k:  pw(add)  4 on HM.x  writes w: HM[1];
  COR.i: cc       2 on COR.x writes w: HM[1];
  L1.i:  cc       3 on L1.x  writes w: HM[1];
  L1.k:  pw(add) 13 on L1.y  writes w: HM[1];
}
program matvec =
  out_view( w: i64 = [i] )
* md_hom( i: 6 by cc, k: 50 by pw(add) ) { w = M * v; }
* inp_view( M: i64 = [i, k];
            v: i64 = [k] )
)");
}

TEST(Lower, levels_with_one_part_are_left_out) {
  const hl::Program program =
      computation("one = out_view( y: i64 = [i] ) * md_hom( i: 1 by cc ) { y = i; } * inp_view( )");
  const ll::Config c =
      config(R"("layers": ["MM", "L1"], "split": {"i": ["L1 1"]}, "order": ["L1.i", "MM.i"])");
  EXPECT_EQ(ll::print(lower(program, machine::find_machine("cpu"), c)), R"(mdh_ll 1
machine cpu
layers none
decompose {
}
scalar {
  order none;
  reads nothing;
  writes y: MM[1];
}
recompose {
}
program one =
  out_view( y: i64 = [i] )
* md_hom( i: 1 by cc ) { y = i; }
* inp_view()
)");
}

TEST(Lower, machine_dimensions_are_numbered_along_the_order) {
  const hl::Program program = computation(
      "five = out_view( y: i64 = [a, b, c, d, e] )"
      " * md_hom( a: 2 by cc, b: 2 by cc, c: 2 by cc, d: 2 by cc, e: 2 by cc ) { y = a; }"
      " * inp_view( )");
  const ll::Config c = config(R"("layers": ["L1"],
    "split": {"a": ["L1 2"], "b": ["L1 2"], "c": ["L1 2"], "d": ["L1 2"], "e": ["L1 2"]},
    "order": ["L1.e", "L1.d", "L1.c", "L1.b", "L1.a"])");
  std::vector<std::string> names;
  for (const auto& op : lower(program, machine::find_machine("cpu"), c).decompose) {
    names.push_back(op.dimension);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"x", "y", "z", "w4", "w5"}));
}

TEST(Lower, configurations_are_validated_first) {
  const hl::Program program = computation(
      "dot = out_view( s: i64 = [] ) * md_hom( k: 9 by pw(add) ) { s = x; }"
      " * inp_view( x: i64 = [k] )");
  const Diagnostic d = diagnostic_of([&] {
    lower(program, machine::find_machine("cpu"),
          config(R"("layers": ["L1"], "split": {"k": ["L1 8"]}, "order": ["L1.k"])"));
  });
  EXPECT_EQ(d.kind, DiagnosticKind::user);
  EXPECT_EQ(d.message, "split.k: 8 parts do not cover the size 9 (full partitioning)");
}

TEST(Lower, the_same_configuration_gives_the_same_program) {
  Random random(1);
  for (int n = 0; n < 20; ++n) {
    const hl::Program program = random_computation(random);
    const machine::Machine& machine = random_machine(random);
    const ll::Config c = random_config(random, program, machine);
    EXPECT_EQ(lower(program, machine, c), lower(program, machine, c));
  }
}

}  // namespace
}  // namespace mdh::passes::lower_test
