#include "mdh/ll/nest.h"

#include <gtest/gtest.h>

#include "mdh/ll/test_configs.h"

namespace mdh::ll::nest_test {
namespace {

/// Combinations of the chosen loops' parts that hold points, listed one by one.
int64_t listed(const Nest& nest, const std::set<int>& chosen) {
  int64_t combinations = 1, count = 0;
  for (const int q : chosen) combinations *= nest.loops[q].parts;
  for (int64_t n = 0; n < combinations; ++n) {
    int64_t rest = n;
    std::vector<int64_t> base(nest.sizes.size(), 0);
    for (const int q : chosen) {
      base[nest.loops[q].level.dimension] += rest % nest.loops[q].parts * nest.loops[q].chunk;
      rest /= nest.loops[q].parts;
    }
    bool holds = true;
    for (size_t d = 0; d < base.size(); ++d) holds &= base[d] < *nest.sizes[d];
    count += holds ? 1 : 0;
  }
  return count;
}

Nest random_nest(Random& random) {
  const Program p = random_program(random, random_computation(random));
  return nest_of(p, p.decompose, machine::find_machine(p.machine));
}

TEST(Nest, iterations_are_the_combinations_of_parts_that_hold_points) {
  Random random(11);
  int padded = 0;
  for (int n = 0; n < 500; ++n) {
    const Nest nest = random_nest(random);
    std::set<int> chosen;
    for (int q = 0; q < nest.depth(); ++q) {
      if (random.chance(60)) chosen.insert(q);
    }
    int64_t all = 1;
    for (const int q : chosen) all *= nest.loops[q].parts;
    ASSERT_EQ(nest.iterations(chosen).number(), listed(nest, chosen)) << "case " << n;
    padded += listed(nest, chosen) < all ? 1 : 0;
  }
  EXPECT_GT(padded, 50) << "empty parts occur";
}

TEST(Nest, all_loops_together_run_once_per_point) {
  Random random(12);
  for (int n = 0; n < 200; ++n) {
    const Program p = random_program(random, random_computation(random));
    const Nest nest = nest_of(p, p.recompose, machine::find_machine(p.machine));
    ASSERT_EQ(nest.iterations(nest.inside(0)).number(), hl::points(p.computation));
  }
}

TEST(Nest, active_parts_are_those_of_one_loop_alone) {
  Random random(13);
  for (int n = 0; n < 200; ++n) {
    const Nest nest = random_nest(random);
    for (int q = 0; q < nest.depth(); ++q) {
      ASSERT_EQ(nest.active(q).number(), listed(nest, {q}));
      ASSERT_EQ(nest.parts(q).number(), nest.loops[q].parts);
    }
  }
}

/// 10 in parts of 2 · 3 · 2: the order of the loops does not matter.
TEST(Nest, a_padded_dimension_counts_by_digits_in_any_order) {
  const hl::Program dot = computation(dot_text, {{"K", 10}});
  Config c = config(R"("layers": ["HM", "COR", "L1"], "split": {"k": ["HM 2", "COR 3", "L1 2"]})");
  c.order = {{"COR", "k"}, {"HM", "k"}, {"L1", "k"}};
  const machine::Machine& m = machine::find_machine("artificial");
  const Nest nest = nest_of(lowered(c, dot, m), lowered(c, dot, m).decompose, m);
  EXPECT_EQ(nest.loops[0].chunk, 2);
  EXPECT_EQ(nest.loops[1].chunk, 6);
  EXPECT_EQ(nest.loops[2].chunk, 1);
  EXPECT_EQ(nest.iterations({}).number(), 1);
  EXPECT_EQ(nest.iterations({0}).number(), 3);
  EXPECT_EQ(nest.iterations({0, 1}).number(), 5);  // the part [10, 12) is empty
  EXPECT_EQ(nest.iterations({1, 2}).number(), 4);
  EXPECT_EQ(nest.iterations({0, 1, 2}).number(), 10);
  EXPECT_EQ(nest.inside(1), (std::set<int>{1, 2}));
  EXPECT_TRUE(nest.inside(3).empty());
}

TEST(Nest, loops_know_their_machine_level_and_their_operator) {
  const hl::Program scan = hl::parse(
      "mdh 1\nprogram sums = out_view( y: i64 = [i, j] ) * md_hom( i: 4 by ps(add), j: 4 by cc,"
      " k: 4 by pw(add) ) { y = x; } * inp_view( x: i64 = [i, j, k] )");
  const Config c = config(
      R"("layers": ["COR", "L1"], "split": {"i": ["L1 4"], "j": ["COR 4"], "k": ["L1 4"]},
         "order": ["COR.j", "L1.i", "L1.k"])");
  const machine::Machine& m = machine::find_machine("artificial");
  const Program low = lowered(c, scan, m);
  const Nest nest = nest_of(low, low.decompose, m);
  EXPECT_TRUE(nest.loops[0].is_parallel());
  EXPECT_TRUE(nest.loops[0].concatenated && !nest.loops[0].reduced);
  EXPECT_FALSE(nest.loops[1].is_parallel());
  EXPECT_TRUE(!nest.loops[1].concatenated && !nest.loops[1].reduced);
  EXPECT_TRUE(!nest.loops[2].concatenated && nest.loops[2].reduced);
  EXPECT_EQ(nest.loops[1].axis, "x");
  EXPECT_EQ(nest.loops[2].axis, "y");
}

// ---- open sizes

Program open_matvec() {
  const hl::Program p =
      hl::bind(hl::parse("mdh 1\nprogram matvec<I: size = *> = out_view( w: i64 = [i] )"
                         " * md_hom( i: I by cc, k: 5 by pw(add) ) { w = M * v; }"
                         " * inp_view( M: i64 = [i, k]; v: i64 = [k] )"),
               {});
  const Config c = config(
      R"("layers": ["HM", "L1"], "split": {"i": ["HM *", "L1 8"], "k": ["L1 6"]},
         "order": ["HM.i", "L1.i", "L1.k"])");
  return lowered(c, p, machine::find_machine("artificial"));
}

TEST(Nest, an_open_level_counts_by_its_name) {
  const Program low = open_matvec();
  const Nest nest = nest_of(low, low.decompose, machine::find_machine("artificial"));
  EXPECT_TRUE(nest.loops[0].is_open());
  EXPECT_EQ(nest.parts(0).to_string(), "ceil(I / 8)");
  EXPECT_EQ(nest.active(0).to_string(), "ceil(I / 8)");
  EXPECT_EQ(nest.active(1).to_string(), "8");
  EXPECT_EQ(nest.iterations({0, 1, 2}).to_string(), "40 * ceil(I / 8)");
  EXPECT_EQ(nest.iterations({2}).to_string(), "5");
}

TEST(Nest, an_open_level_of_a_known_size_has_as_many_parts_as_needed) {
  const hl::Program p = computation(matvec_text, {{"I", 17}, {"K", 5}});
  const Config c = config(
      R"("layers": ["HM", "L1"], "split": {"i": ["HM *", "L1 8"], "k": ["HM *", "L1 5"]},
         "order": ["HM.i", "HM.k", "L1.i", "L1.k"])");
  const Program low = lowered(c, p, machine::find_machine("artificial"));
  ASSERT_EQ(low.decompose.size(), 3u) << "one part in k is no loop";
  EXPECT_EQ(low.decompose[0].parts, 3);
}

// ---- common loops

TEST(Nest, phases_share_the_loops_that_agree_in_level_and_machine_level) {
  Random random(14);
  Program p = open_matvec();
  EXPECT_EQ(common_prefix(p), 3);
  Program other = p;
  std::swap(other.recompose[1], other.recompose[2]);
  EXPECT_EQ(common_prefix(other), 1);
  other = p;
  std::swap(other.scalar.order[0], other.scalar.order[1]);
  EXPECT_EQ(common_prefix(other), 0);
  other = p;
  other.recompose[2].layer = "COR";
  EXPECT_EQ(common_prefix(other), 2);
  other = p;
  other.recompose[0].dimension = "z";
  EXPECT_EQ(common_prefix(other), 0);
  other = p;
  other.scalar.assignment[1].layer = "COR";
  EXPECT_EQ(common_prefix(other), 1);
  other = p;
  other.scalar.assignment[2].axis = "z";
  EXPECT_EQ(common_prefix(other), 2);
}

}  // namespace
}  // namespace mdh::ll::nest_test
