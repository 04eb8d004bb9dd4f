#include <gtest/gtest.h>

#include <set>

#include "mdh/ll/config.h"
#include "mdh/ll/test_programs.h"

namespace mdh::ll::default_config_test {
namespace {

const machine::Machine& artificial() { return machine::find_machine("artificial"); }

std::vector<std::string> order_of(const Config& c) {
  std::vector<std::string> levels;
  for (const LevelName& level : c.order) levels.push_back(to_string(level));
  return levels;
}

using Order = std::vector<std::string>;
using Split = std::map<std::string, std::vector<Digit>>;

/// What validate says, and what it does not: no more parts on cores than there are cores, each
/// level once, no more layers than used.
void expect_sound(const Config& c, const hl::Program& p, const machine::Machine& m, int cores) {
  SCOPED_TRACE(print(c));
  EXPECT_NO_THROW(validate(c, p, m));
  EXPECT_EQ(c.machine, m.name);
  EXPECT_EQ(c.program, p.name);
  std::set<std::string> levels;
  int64_t on_cores = 1;
  for (const auto& [dimension, digits] : c.split) {
    for (const Digit& digit : digits) {
      levels.insert(digit.layer + "." + dimension);
      if (digit.layer == "COR") on_cores *= digit.parts;
    }
  }
  EXPECT_LE(on_cores, cores);
  const Order order = order_of(c);
  EXPECT_EQ(std::set<std::string>(order.begin(), order.end()), levels);
  EXPECT_EQ(order.size(), levels.size());
}

TEST(DefaultConfig, is_sound_for_random_programs_on_all_machines) {
  Random random(17);
  for (int n = 0; n < 100; ++n) {
    const hl::Program p = random_computation(random);
    for (const machine::Machine& m : machine::machines()) {
      for (int cores = 1; cores <= 5; ++cores) {
        expect_sound(default_config(p, m, cores), p, m, cores);
      }
    }
  }
}

TEST(DefaultConfig, is_sound_for_sizes_one_and_primes) {
  for (const int64_t a : {1, 2, 3, 7, 13}) {
    for (const int64_t b : {1, 2, 5, 11}) {
      for (const int cores : {1, 2, 3, 4, 5}) {
        const hl::Program dot = computation(dot_text, {{"K", a}});
        const hl::Program matvec = computation(matvec_text, {{"I", a}, {"K", b}});
        const hl::Program matmul = computation(matmul_text, {{"I", b}, {"J", a}, {"K", 3}});
        for (const hl::Program* p : {&dot, &matvec, &matmul}) {
          expect_sound(default_config(*p, artificial(), cores), *p, artificial(), cores);
        }
      }
    }
  }
}

TEST(DefaultConfig, matmul_deals_rows_to_cores_and_walks_along_columns) {
  const hl::Program p = computation(matmul_text, {{"I", 6}, {"J", 5}, {"K", 7}});
  const Config c = default_config(p, artificial(), 2);
  EXPECT_EQ(c.layers, (Order{"COR", "L1"}));
  EXPECT_EQ(c.split,
            (Split{{"i", {{"COR", 2}, {"L1", 3}}}, {"j", {{"L1", 5}}}, {"k", {{"L1", 7}}}}));
  EXPECT_EQ(order_of(c), (Order{"COR.i", "L1.i", "L1.k", "L1.j"}));
}

TEST(DefaultConfig, matmul_with_a_transposed_right_side_walks_along_k) {
  const hl::Program p = computation(
      "matmul_t<I: size, J: size, K: size> = out_view( C: i64 = [i, j] )"
      " * md_hom( i: I by cc, j: J by cc, k: K by pw(add) ) { C = A * B; }"
      " * inp_view( A: i64 = [i, k]; B: i64 = [j, k] )",
      {{"I", 6}, {"J", 5}, {"K", 7}});
  EXPECT_EQ(order_of(default_config(p, artificial(), 2)), (Order{"COR.i", "L1.i", "L1.j", "L1.k"}));
}

TEST(DefaultConfig, a_left_side_transposed_matmul_deals_no_reduction) {
  const hl::Program p = computation(
      "matmul_t<I: size, J: size, K: size> = out_view( C: i64 = [i, j] )"
      " * md_hom( i: I by cc, j: J by cc, k: K by pw(add) ) { C = A * B; }"
      " * inp_view( A: i64 = [k, i]; B: i64 = [k, j] )",
      {{"I", 6}, {"J", 5}, {"K", 7}});
  EXPECT_EQ(order_of(default_config(p, artificial(), 2)), (Order{"COR.i", "L1.k", "L1.i", "L1.j"}));
}

TEST(DefaultConfig, matvec_deals_rows_and_walks_along_k) {
  const hl::Program p = computation(matvec_text, {{"I", 7}, {"K", 100}});
  const Config c = default_config(p, artificial(), 3);
  EXPECT_EQ(c.split, (Split{{"i", {{"COR", 3}, {"L1", 3}}}, {"k", {{"L1", 100}}}}));
  EXPECT_EQ(order_of(c), (Order{"COR.i", "L1.i", "L1.k"}));
}

TEST(DefaultConfig, a_transposed_matrix_turns_the_loops_around) {
  const hl::Program p = computation(
      "matvec_t<I: size, K: size> = out_view( w: i64 = [i] )"
      " * md_hom( i: I by cc, k: K by pw(add) ) { w = M * v; }"
      " * inp_view( M: i64 = [k, i]; v: i64 = [k] )",
      {{"I", 7}, {"K", 100}});
  EXPECT_EQ(order_of(default_config(p, artificial(), 3)), (Order{"COR.i", "L1.k", "L1.i"}));
}

TEST(DefaultConfig, strided_accesses_do_not_count_as_contiguous) {
  const hl::Program p = computation(
      "every_second<I: size, J: size> = out_view( y: i64 = [j, i] )"
      " * md_hom( i: I by cc, j: J by cc ) { y = a + b; }"
      " * inp_view( a: i64 = [2 * i]; b: i64 = [j] )",
      {{"I", 4}, {"J", 4}});
  EXPECT_EQ(order_of(default_config(p, artificial(), 1)), (Order{"L1.i", "L1.j"}));
}

TEST(DefaultConfig, a_reduction_is_dealt_where_nothing_else_is_large_enough) {
  const hl::Program dot = computation(dot_text, {{"K", 7}});
  EXPECT_EQ(default_config(dot, artificial(), 3).split, (Split{{"k", {{"COR", 3}, {"L1", 3}}}}));
  EXPECT_EQ(order_of(default_config(dot, artificial(), 3)), (Order{"COR.k", "L1.k"}));
  const hl::Program flat = computation(matvec_text, {{"I", 2}, {"K", 9}});
  EXPECT_EQ(order_of(default_config(flat, artificial(), 4)), (Order{"COR.k", "L1.i", "L1.k"}));
  EXPECT_EQ(order_of(default_config(flat, artificial(), 2)), (Order{"COR.i", "L1.i", "L1.k"}));
}

TEST(DefaultConfig, accesses_that_jump_count_against_a_dimension) {
  const hl::Program p = computation(
      "column<J: size, I: size> = out_view( y: i64 = [i] )"
      " * md_hom( j: J by pw(add), i: I by cc ) { y = j * a + b; }"
      " * inp_view( a: i64 = [i, 0]; b: i64 = [i, 1] )",
      {{"J", 4}, {"I", 4}});
  EXPECT_EQ(order_of(default_config(p, artificial(), 1)), (Order{"L1.i", "L1.j"}));
}

TEST(DefaultConfig, more_cores_than_any_size_are_used_as_far_as_the_outermost_dimension_reaches) {
  const hl::Program p = computation(matvec_text, {{"I", 3}, {"K", 2}});
  EXPECT_EQ(default_config(p, artificial(), 4).split,
            (Split{{"i", {{"COR", 3}, {"L1", 1}}}, {"k", {{"L1", 2}}}}));
}

TEST(DefaultConfig, one_core_or_one_point_needs_no_core_layer) {
  const hl::Program p = computation(matvec_text, {{"I", 7}, {"K", 5}});
  EXPECT_EQ(default_config(p, artificial(), 1).split,
            (Split{{"i", {{"L1", 7}}}, {"k", {{"L1", 5}}}}));
  const hl::Program one = computation(matvec_text, {{"I", 1}, {"K", 1}});
  EXPECT_EQ(default_config(one, artificial(), 4).split,
            (Split{{"i", {{"L1", 1}}}, {"k", {{"L1", 1}}}}));
}

TEST(DefaultConfig, no_core_at_all_is_treated_as_one) {
  const hl::Program p = computation(matvec_text, {{"I", 7}, {"K", 5}});
  EXPECT_EQ(print(default_config(p, artificial(), 0)), print(default_config(p, artificial(), 1)));
}

TEST(DefaultConfig, a_machine_without_cores_is_used_sequentially) {
  const machine::Machine sequential{.name = "sequential",
                                    .layers = {{.name = "MM", .region = "MM"}},
                                    .regions = {{.name = "MM"}}};
  const hl::Program p = computation(matvec_text, {{"I", 7}, {"K", 5}});
  const Config c = default_config(p, sequential, 4);
  expect_sound(c, p, sequential, 1);
  EXPECT_EQ(order_of(c), (Order{"MM.i", "MM.k"}));
}

TEST(DefaultConfig, a_program_without_dimensions_has_nothing_to_split) {
  const hl::Program p = computation(
      "one = out_view( y: i64 = [] ) * md_hom() { y = 2 * x; } * inp_view( x: i64 = [] )", {});
  const Config c = default_config(p, artificial(), 4);
  expect_sound(c, p, artificial(), 4);
  EXPECT_TRUE(c.split.empty());
}

TEST(DefaultConfig, cores_that_are_no_threads_of_groups_take_one_dimension) {
  machine::Machine m = artificial();
  m.layers.push_back({.name = "INNER", .kind = machine::LayerKind::cores, .region = "HM"});
  const hl::Program p = computation(matvec_text, {{"I", 13}, {"K", 7}});
  const Config c = default_config(p, m, 4);
  EXPECT_NO_THROW(validate(c, p, m)) << print(c);
  EXPECT_EQ(c.split.at("i").front(), (Digit{"COR", 4}));
}

}  // namespace
}  // namespace mdh::ll::default_config_test
