#include "mdh/ll/program.h"

#include <gtest/gtest.h>

#include "mdh/ll/parse.h"
#include "mdh/ll/test_programs.h"

namespace mdh::ll::program_test {
namespace {

/// MatVec 6 x 5 over three layers; k is padded to 8.
Program example() {
  return parse(R"(mdh_ll 1
machine artificial
layers HM, COR, L1
decompose {
  HM.k:  cc_inv 2 on HM.x reads M: HM[1, 2], v: HM[1];
  COR.i: cc_inv 2 on COR.x reads M: HM[1, 2], v: HM[1];
  L1.i:  cc_inv 3 on L1.y reads M: L1[2, 1], v: L1[1];
  COR.k: cc_inv 2 on COR.y reads M: L1[2, 1], v: L1[1];
  L1.k:  cc_inv 2 on L1.z reads M: L1[2, 1], v: L1[1];
}
scalar {
  order HM.k, COR.i, L1.i, COR.k, L1.k;
  reads M: L1[1, 2], v: L1[1];
  writes w: L1[1];
}
recompose {
  HM.k:  pw(add) 2 on HM.x writes w: HM[1];
  COR.i: cc 2 on COR.x writes w: HM[1];
  L1.i:  cc 3 on L1.y writes w: L1[1];
  COR.k: pw(add) 2 on COR.y writes w: L1[1];
  L1.k:  pw(add) 2 on L1.z writes w: L1[1];
}
program matvec =
  out_view( w: i64 = [i] )
* md_hom( i: 6 by cc, k: 5 by pw(add) ) { w = M * v; }
* inp_view( M: i64 = [i, k]; v: i64 = [k] )
)");
}

constexpr int hm = 0, cor = 1, l1 = 2, i = 0, k = 1;

/// What verify says about a changed example, without the place in our own sources.
template <class Change>
std::string complaint(const Change& change) {
  Program p = example();
  change(p);
  const Diagnostic d = diagnostic_of([&] { verify(p); });
  EXPECT_EQ(d.kind, DiagnosticKind::internal);
  return d.message.substr(0, d.message.find(" ("));
}

TEST(LowLevelProgram, chunk_is_the_product_of_the_less_significant_parts) {
  const Program p = example();
  EXPECT_EQ(chunk(p, {hm, k}), 4);
  EXPECT_EQ(chunk(p, {cor, k}), 2);
  EXPECT_EQ(chunk(p, {l1, k}), 1);
  EXPECT_EQ(chunk(p, {cor, i}), 3);
  EXPECT_EQ(chunk(p, {l1, i}), 1);
}

TEST(LowLevelProgram, chunk_of_a_level_with_one_part_counts_the_levels_below_it) {
  EXPECT_EQ(chunk(example(), {hm, i}), 6);
}

TEST(LowLevelProgram, chunk_does_not_depend_on_the_order_of_the_loops) {
  Program p = example();
  std::reverse(p.decompose.begin(), p.decompose.end());
  EXPECT_EQ(chunk(p, {hm, k}), 4);
  EXPECT_EQ(chunk(p, {cor, i}), 3);
}

TEST(LowLevelProgram, levels_are_written_layer_dot_dimension) {
  EXPECT_EQ(to_string(example(), {l1, k}), "L1.k");
  EXPECT_EQ(to_string(example(), {hm, i}), "HM.i");
}

TEST(LowLevelProgram, map_operators_changes_both_phases) {
  const Program p = example();
  const Program q = map_operators(p, [](TaggedOperator op) {
    op.dimension += "1";
    return op;
  });
  ASSERT_EQ(q.decompose.size(), 5u);
  ASSERT_EQ(q.recompose.size(), 5u);
  for (size_t n = 0; n < 5; ++n) {
    EXPECT_EQ(q.decompose[n].dimension, p.decompose[n].dimension + "1");
    EXPECT_EQ(q.recompose[n].dimension, p.recompose[n].dimension + "1");
  }
  EXPECT_EQ(map_operators(q,
                          [](TaggedOperator op) {
                            op.dimension.pop_back();
                            return op;
                          }),
            p);
}

// ---- verify

TEST(LowLevelVerify, phases_may_differ_in_order_and_tags) {
  Program p = example();
  std::reverse(p.recompose.begin(), p.recompose.end());
  std::swap(p.scalar.order[0], p.scalar.order[3]);
  p.recompose[0].layer = "COR";
  p.recompose[0].dimension = "w4";
  EXPECT_NO_THROW(verify(p));
}

TEST(LowLevelVerify, random_programs_are_well_formed) {
  Random random(23);
  for (int n = 0; n < 200; ++n) {
    const Program p = random_program(random, random_computation(random));
    EXPECT_NO_THROW(verify(p));
  }
}

TEST(LowLevelVerify, a_level_that_occurs_twice_is_refused) {
  EXPECT_EQ(complaint([](Program& p) { p.decompose.push_back(p.decompose[0]); }),
            "a level occurs twice");
  EXPECT_EQ(complaint([](Program& p) { p.recompose.push_back(p.recompose[0]); }),
            "a level occurs twice");
}

TEST(LowLevelVerify, a_level_that_occurs_twice_with_different_parts_is_refused) {
  EXPECT_EQ(complaint([](Program& p) {
              for (auto* phase : {&p.decompose, &p.recompose}) {
                phase->push_back(phase->front());
                phase->back().parts = 3;
              }
              p.scalar.order.push_back({hm, i});
            }),
            "a level occurs twice");
}

TEST(LowLevelVerify, phases_with_different_levels_are_refused) {
  const std::string message = "de- and re-composition differ in their levels";
  EXPECT_EQ(complaint([](Program& p) { p.decompose.pop_back(); }), message);
  EXPECT_EQ(complaint([](Program& p) { p.recompose.pop_back(); }), message);
  EXPECT_EQ(complaint([](Program& p) { p.recompose[1].level = {hm, i}; }), message);
}

TEST(LowLevelVerify, phases_with_different_part_counts_are_refused) {
  EXPECT_EQ(complaint([](Program& p) { p.recompose[2].parts = 4; }),
            "de- and re-composition differ in their levels");
}

TEST(LowLevelVerify, a_scalar_phase_with_other_levels_is_refused) {
  EXPECT_EQ(complaint([](Program& p) { p.scalar.order.pop_back(); }),
            "the scalar phase differs in its levels");
  EXPECT_EQ(complaint([](Program& p) { p.scalar.order.push_back(p.scalar.order[0]); }),
            "the scalar phase differs in its levels");
  EXPECT_EQ(complaint([](Program& p) { p.scalar.order[4] = p.scalar.order[0]; }),
            "the scalar phase differs in its levels");
  EXPECT_EQ(complaint([](Program& p) {
              p.scalar.order[4] = {hm, i};
            }),
            "the scalar phase lacks level L1.k");
}

/// All three phases name the level that takes the place of L1.k.
std::string complaint_about(const Level& level) {
  return complaint(
      [&](Program& p) { p.decompose[4].level = p.scalar.order[4] = p.recompose[4].level = level; });
}

TEST(LowLevelVerify, a_level_outside_of_layers_and_dimensions_is_refused) {
  for (const Level& level : {Level{3, k}, Level{-1, k}, Level{l1, 2}, Level{l1, -1}}) {
    EXPECT_EQ(complaint_about(level), "a level that does not exist");
  }
}

TEST(LowLevelVerify, a_level_with_less_than_two_parts_is_refused) {
  for (const int64_t parts : {1, 0, -2}) {
    EXPECT_EQ(complaint([&](Program& p) { p.decompose[2].parts = p.recompose[2].parts = parts; }),
              fmt::format("level L1.i has {} parts", parts));
  }
}

TEST(LowLevelVerify, parts_that_do_not_cover_the_size_are_refused) {
  const auto with_parts = [](size_t n, int64_t parts) {
    return [=](Program& p) { p.decompose[n].parts = p.recompose[n].parts = parts; };
  };
  EXPECT_EQ(complaint(with_parts(2, 2)), "dimension 'i' is not fully partitioned");
  Program p = example();
  with_parts(2, 4)(p);
  EXPECT_NO_THROW(verify(p));
}

TEST(LowLevelVerify, a_missing_level_leaves_a_dimension_uncovered) {
  EXPECT_EQ(complaint([](Program& p) {
              p.decompose.pop_back();
              p.scalar.order.pop_back();
              p.recompose.pop_back();
            }),
            "dimension 'k' is not fully partitioned");
}

TEST(LowLevelVerify, more_parts_than_64_bits_hold_are_refused) {
  EXPECT_EQ(complaint([](Program& p) {
              for (const size_t n : {0, 3}) {
                p.decompose[n].parts = p.recompose[n].parts = int64_t{1} << 40;
              }
            }),
            "dimension 'k' has more parts than 64 bits hold");
}

TEST(LowLevelVerify, every_buffer_has_a_place_at_every_level) {
  EXPECT_EQ(complaint([](Program& p) { p.decompose[1].places.pop_back(); }),
            "1 places for 2 buffers");
  EXPECT_EQ(complaint([](Program& p) { p.recompose[1].places.clear(); }), "0 places for 1 buffers");
  EXPECT_EQ(complaint([](Program& p) { p.scalar.reads.push_back(p.scalar.reads[0]); }),
            "3 places for 2 buffers");
  EXPECT_EQ(complaint([](Program& p) { p.scalar.writes.clear(); }), "0 places for 1 buffers");
}

TEST(LowLevelVerify, a_layout_is_a_permutation_of_the_buffers_dimensions) {
  const std::string message = "the layout of 'M' is not a permutation of its 2 dimensions";
  for (const Layout& layout :
       std::vector<Layout>{{}, {1}, {1, 1}, {0, 1}, {2, 3}, {1, 2, 3}, {1, -2}}) {
    EXPECT_EQ(complaint([&](Program& p) { p.decompose[0].places[0].layout = layout; }), message);
    EXPECT_EQ(complaint([&](Program& p) { p.scalar.reads[0].layout = layout; }), message);
  }
  EXPECT_EQ(complaint([&](Program& p) { p.recompose[0].places[0].layout = {2}; }),
            "the layout of 'w' is not a permutation of its 1 dimensions");
  EXPECT_EQ(complaint([&](Program& p) { p.scalar.writes[0].layout = {}; }),
            "the layout of 'w' is not a permutation of its 1 dimensions");
}

}  // namespace
}  // namespace mdh::ll::program_test
