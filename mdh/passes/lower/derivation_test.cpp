#include "mdh/passes/lower/derivation.h"

#include <gtest/gtest.h>

#include "mdh/passes/common/test_programs.h"

namespace mdh::passes::derivation_test {
namespace {

const machine::Machine& artificial() { return machine::find_machine("artificial"); }

const std::string matvec_program =
    "matvec = out_view( w: i64 = [i] ) * md_hom( i: 6 by cc, k: 20 by pw(add) ) { w = M * v; }"
    " * inp_view( M: i64 = [i, k]; v: i64 = [k] )";

const std::string entries = R"("layers": ["COR", "L1"],
  "split": {"i": ["COR 2", "L1 4"], "k": ["COR 4", "L1 5"]},
  "order": ["COR.i", "COR.k", "L1.i", "L1.k"])";

std::vector<DerivationStep> steps_of(const std::string& more,
                                     const std::string& program = matvec_program) {
  return derivation(computation(program), artificial(), config(entries + more));
}

/// "parameter: subject" of all steps.
std::vector<std::string> subjects(const std::vector<DerivationStep>& steps) {
  std::vector<std::string> texts;
  for (const DerivationStep& step : steps) texts.push_back(step.parameter + ": " + step.subject);
  return texts;
}

TEST(Derivation, has_a_step_per_parameter_in_their_order) {
  EXPECT_EQ(
      subjects(steps_of("")),
      (std::vector<std::string>{"#PRT: i = COR 2 · L1 4", "#PRT: i: 8 parts for 6 indices",
                                "#PRT: k = COR 4 · L1 5", "D1: COR.i, COR.k, L1.i, L1.k",
                                "D2: COR.i on COR.x, COR.k on COR.y, L1.i on L1.x, L1.k on L1.y",
                                "S1: COR.i, COR.k, L1.i, L1.k",
                                "S2: COR.i on COR.x, COR.k on COR.y, L1.i on L1.x, L1.k on L1.y",
                                "R1: COR.i, COR.k, L1.i, L1.k",
                                "R2: COR.i on COR.x, COR.k on COR.y, L1.i on L1.x, L1.k on L1.y"}));
}

TEST(Derivation, names_the_law_of_the_dimension) {
  const auto steps = steps_of("");
  EXPECT_EQ(steps[0].property, "h(a ++i b) = h(a) cc h(b), 2 times");
  EXPECT_EQ(steps[2].property, "h(a ++k b) = h(a) pw(add) h(b), 2 times");
  EXPECT_EQ(steps[7].property,
            "cc and pw with one associative and commutative operator interchange");
}

TEST(Derivation, follows_a_buffer_from_the_user_to_f) {
  const auto found = subjects(steps_of(R"(, "stage": {"v": [{"from": "L1.i", "region": "L1"}],
      "M": [{"from": "COR.i", "region": "HM", "layout": ["2", "1"]}, {"from": "f", "region": "L1"}]},
    "acc": {"w": [{"inside": "L1.k", "region": "L1"}]})"));
  EXPECT_EQ(found[5], "D3, D4, S3, S4: M: user HM -> COR.i HM -> f L1");
  EXPECT_EQ(found[6], "D3, D4, S3, S4: v: user HM -> L1.i L1");
  EXPECT_EQ(found.back(), "R3, R4, S5, S6: w: user HM -> L1.k L1");
}

TEST(Derivation, phases_have_steps_of_their_own) {
  const auto found = subjects(steps_of(R"(, "phases": {
      "scalar": {"order": ["L1.k", "L1.i", "COR.k", "COR.i"]},
      "recomposition": {"order": ["COR.k", "COR.i", "L1.i", "L1.k"], "split": {"k": ["COR 4", "HM 5"]}}})"));
  EXPECT_EQ(found[5], "S1: L1.k, L1.i, COR.k, COR.i");
  EXPECT_EQ(found[6], "S2: L1.k on L1.x, L1.i on L1.y, COR.k on COR.x, COR.i on COR.y");
  EXPECT_EQ(found[7], "R1: COR.k, COR.i, L1.i, L1.k");
  EXPECT_EQ(found[8], "R2: COR.k on COR.x, COR.i on COR.y, L1.i on L1.x, L1.k on HM.x");
}

TEST(Derivation, of_scans_and_fused_dimensions) {
  const auto steps = derivation(
      computation("p = out_view( y: i64 = [i] ) * md_hom( i: 4 by ps(add), k: 2 by pw(add),"
                  " l: 3 by pw(add) ) { y = x; } * inp_view( x: i64 = [i, k, l] )"),
      artificial(),
      config(R"("fuse": [["k", "l"]], "layers": ["L1"], "split": {"i": ["L1 4"], "k_l": ["L1 6"]},
                "order": ["L1.i", "L1.k_l"])"));
  EXPECT_EQ(steps[0].parameter, "fuse");
  EXPECT_EQ(steps[0].subject, "k, l");
  EXPECT_EQ(steps[2].subject, "k_l = L1 6");
  EXPECT_EQ(steps[7].parameter, "R1");
  EXPECT_NE(steps[7].property.find("ps finds its predecessors by index"), std::string::npos);
}

TEST(Derivation, of_a_program_without_points_to_split_is_empty) {
  const auto steps = derivation(
      computation("p = out_view( y: i64 = [] ) * md_hom( ) { y = x; } * inp_view( x: i64 = [] )"),
      artificial(), config(R"("layers": ["L1"])"));
  EXPECT_TRUE(steps.empty());
}

TEST(Derivation, a_step_is_printed_with_its_reason) {
  EXPECT_EQ(
      print(std::vector<DerivationStep>{{"D1", "L1.i", "they interchange"},
                                        {"D2", "L1.i on L1.x", "tags are tags"}}),
      "D1: L1.i\n    because they interchange\nD2: L1.i on L1.x\n    because tags are tags\n");
}

}  // namespace
}  // namespace mdh::passes::derivation_test
