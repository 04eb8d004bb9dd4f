// Mutations: the same change in the same place of every program of one shape, and none that is
// taken for a fault and is none.
#include "tests/faults/mutation.h"

#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "mdh/hl/instantiate.h"
#include "mdh/hl/parse.h"
#include "mdh/loop/print.h"
#include "tests/faults/subject.h"

namespace mdh::test::mutation_test {
namespace {

using scalar::Scalar;

/// On two cores, in rounds, at a size that does not divide.
Subject subject_of(const std::string& text, const std::vector<int64_t>& sizes) {
  const hl::Program generic = hl::parse(text);
  hl::Program program = hl::instantiate(generic, {.sizes = hl::sizes_by_dimension(generic, sizes)});
  machine::Machine machine = machine::find_machine("cpu");
  ll::Config config = ll::default_config(program, machine, 2);
  return {program.name, Scalar::f32, {std::move(program), std::move(machine), config}, {}};
}

std::string sums_of(const std::string& type, const std::string& f, const std::string& op = "add") {
  return "mdh 1\nprogram p<I: size, K: size> = out_view( y: " + type +
         " = [i] ) * md_hom( i: I by cc, k: K by pw(" + op + ") ) { y = " + f +
         "; } * inp_view( a: " + type + " = [i, k]; b: " + type + " = [k] )";
}

driver::Stages lowered(const Subject& s) { return *stages_of(s, driver::find_target("openmp")); }

Verdict verdict_of(const Subject& subject, const Mutation& m) {
  const driver::Stages stages = lowered(subject);
  const auto mutant = mutated(stages.concrete, m);
  if (!mutant) return Verdict::same;
  Meaning meaning = meaning_of(subject, stages);
  return layer_of(m.kind) == Layer::loops ? meaning.of_loops(*mutant)
                                          : meaning.of_function(*mutant);
}

// ---- what is a fault

TEST(Meaning, a_term_that_counts_twice_is_a_fault_in_a_sum_and_none_in_a_minimum) {
  const Mutation twice{"combined_twice", 0, 0};
  EXPECT_EQ(verdict_of(subject_of(sums_of("f32", "a * b"), {5, 7}), twice), Verdict::different);
  EXPECT_EQ(verdict_of(subject_of(sums_of("f32", "a * b", "min"), {5, 7}), twice), Verdict::same);
}

TEST(Meaning, operands_of_a_product_may_be_swapped_those_of_a_difference_not) {
  const Mutation swapped{"operands_swapped", 1, 0};
  EXPECT_EQ(verdict_of(subject_of(sums_of("f64", "a * b"), {5, 7}), swapped), Verdict::same);
  EXPECT_EQ(verdict_of(subject_of(sums_of("f64", "a - b"), {5, 7}), swapped), Verdict::different);
}

TEST(Meaning, a_sum_in_another_order_is_no_fault_though_it_rounds_otherwise) {
  const std::string three = R"(mdh 1
program p<I: size, K: size> = out_view( y: f16 = [i] )
* md_hom( i: I by cc, k: K by pw(add) ) { y = 0.3 * (a + b + c); }
* inp_view( a: f16 = [i, k]; b: f16 = [i, k]; c: f16 = [k] ))";
  for (uint64_t way = 0; way < 6; ++way) {
    EXPECT_EQ(verdict_of(subject_of(three, {5, 7}), {"operands_swapped", 1, way}), Verdict::same);
  }
}

TEST(Meaning, an_operand_that_is_read_elsewhere_is_a_fault_where_points_are_the_same) {
  EXPECT_EQ(verdict_of(subject_of(sums_of("f32", "a + b"), {5, 7}), {"input_elsewhere", 0, 4}),
            Verdict::different);
}

TEST(Meaning, a_point_outside_of_the_buffers_is_no_mutant_that_may_run) {
  const Subject subject = subject_of(sums_of("f32", "a * b"), {5, 7});
  const Mutation behind{"input_elsewhere", 0, 2};  // a[i + 1, k] of the last row
  EXPECT_EQ(verdict_of(subject, behind), Verdict::broken);
}

TEST(Meaning, a_constant_that_does_not_change_by_more_than_rounding_is_no_fault) {
  const Subject subject = subject_of(sums_of("f32", "0.1 * a"), {5, 7});
  const driver::Stages stages = lowered(subject);
  loop::Program next = *mutated(stages.concrete, {"constant_changed", 0, 0});
  Meaning meaning = meaning_of(subject, stages);
  EXPECT_EQ(meaning.of_function(next), Verdict::different);
  // One unit in the last place of 0.1.
  next.f.results[0].value = scalar::map_children(next.f.results[0].value, [](const auto& e) {
    return e.template as<scalar::Literal>()
               ? scalar::literal(Scalar::f32, scalar::Value::floating(0x1.99999cp-4))
               : e;
  });
  EXPECT_NE(next, stages.concrete);
  EXPECT_EQ(meaning.of_function(next), Verdict::same);
}

TEST(Meaning, what_is_missing_in_one_round_is_noticed_in_every_place) {
  const Subject subject = subject_of(sums_of("f64", "a * b"), {5, 7});
  for (const std::string kind : {"last_round_missing", "first_round_missing", "round_missing",
                                 "term_doubled", "combine_forgotten"}) {
    for (uint64_t place = 0; place < 3; ++place) {
      EXPECT_NE(verdict_of(subject, {kind, place, 1}), Verdict::same) << kind << " " << place;
    }
  }
}

TEST(Meaning, a_round_that_writes_the_same_again_is_no_fault) {
  const Subject subject = subject_of(sums_of("f64", "a * b"), {5, 7});
  std::set<Verdict> verdicts;
  for (uint64_t place = 0; place < 2; ++place) {
    verdicts.insert(verdict_of(subject, {"round_doubled", place, 0}));
  }
  // The loop over rows begins every sum anew; the one over terms does not.
  EXPECT_EQ(verdicts, (std::set{Verdict::same, Verdict::different}));
}

// ---- where mutations are

/// All names of types of floats are one.
std::string without_types(std::string text) {
  return std::regex_replace(text, std::regex("f16|bf16|f32|f64"), "T");
}

/// The loops of a mutant, without what may differ; "none" if there is no mutant.
std::string mutant_of(const loop::Program& p, const Mutation& m) {
  auto mutant = mutated(p, m);
  if (!mutant) return "none";
  mutant->f = scalar::Function{};
  return without_types(loop::print(*mutant));
}

TEST(Mutation, of_loops_does_not_depend_on_the_type_or_the_function) {
  const auto concrete = [](const std::string& type, const std::string& f) {
    return lowered(subject_of(sums_of(type, f), {5, 7})).concrete;
  };
  const loop::Program p = concrete("f32", "a * b");
  const std::vector<loop::Program> others = {concrete("f64", "a * b"),
                                             concrete("f32", "a + 3.0 * b")};
  size_t found = 0;
  for (const std::string& kind : kinds_of(Layer::loops)) {
    for (uint64_t place = 0; place < 8; ++place) {
      const Mutation m{kind, place, 5 * place + 1};
      const std::string expected = mutant_of(p, m);
      found += expected != "none" ? 1 : 0;
      for (const loop::Program& other : others) EXPECT_EQ(mutant_of(other, m), expected);
    }
  }
  EXPECT_GT(found, 60U);
}

TEST(Mutation, of_functions_leaves_integers_alone) {
  const driver::Stages stages = lowered(subject_of(sums_of("u32", "3 * a + b * b"), {5, 7}));
  for (const std::string& kind : kinds_of(Layer::function)) {
    EXPECT_FALSE(mutated(stages.concrete, {kind, 0, 0})) << kind;
  }
}

TEST(Mutation, of_text_leaves_the_helpers_alone) {
  const driver::Stages stages = lowered(subject_of(sums_of("f16", "a * b"), {5, 7}));
  const std::string& right = stages.module.source;
  const size_t helpers = right.find("static void " + stages.module.name);
  ASSERT_GT(helpers, 0U);
  size_t found = 0;
  for (const std::string& kind : kinds_of(Layer::text)) {
    for (uint64_t place = 0; place < 20; ++place) {
      const auto wrong = mutated_text(stages.module, {kind, place, 0});
      if (!wrong) continue;
      ++found;
      EXPECT_NE(*wrong, right);
      EXPECT_EQ(wrong->substr(0, helpers), right.substr(0, helpers)) << kind;
    }
  }
  EXPECT_GT(found, 20U);
}

TEST(Mutation, a_kind_that_there_is_not_is_refused) {
  try {
    layer_of("term_misplaced");
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("unknown kind of mutation 'term_misplaced'"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace mdh::test::mutation_test
