#include "mdh/ll/tile_axes.h"

#include <gtest/gtest.h>

#include "mdh/ll/names.h"
#include "mdh/ll/test_configs.h"

namespace mdh::ll::tile_axes_test {
namespace {

using Texts = std::vector<std::string>;

/// i in 2 x 2 x 4, k in 8; loops 0 .. 3 are HM.i, L1.i, COR.i, L1.k.
const std::string nest_entries = R"("layers": ["HM", "L1", "COR"],
  "split": {"i": ["HM 2", "L1 2", "COR 4"], "k": ["L1 8"]},
  "order": ["HM.i", "L1.i", "COR.i", "L1.k"])";

struct Lowered {
  explicit Lowered(const std::string& access)
      : p(lowered(config(nest_entries),
                  hl::parse("mdh 1\nprogram p = out_view( y: i64 = [i] )"
                            " * md_hom( i: 16 by cc, k: 8 by pw(add) ) { y = 1; }"
                            " * inp_view( x: i64" +
                            access + " )"),
                  machine::find_machine("artificial"))),
        nest(nest_of(p, p.decompose, machine::find_machine("artificial"))) {}

  const hl::BufferView& x() const { return p.computation.inputs[0]; }

  Program p;
  Nest nest;
};

/// "dimension: extent by stride of loops" of every axis; + where the accesses are spread.
Texts axes(const std::string& access, const std::set<int>& free, const Layout& layout,
           const Family& family = {0}) {
  const Lowered low(access);
  Texts all;
  for (const TileAxis& axis : tile_axes(low.p, low.nest, low.x(), family, free, layout)) {
    std::string loops;
    for (const int q : axis.loops) loops += " " + to_string(low.p, low.nest.loops[q].level);
    all.push_back(fmt::format("{}: {} by {} of{}{}{}", axis.dimension, axis.extent, axis.stride,
                              loops, axis.constants ? " +" : "", axis.whole ? " whole" : ""));
  }
  return all;
}

const Layout rows = {1, 2}, columns = {2, 1};

TEST(TileAxes, dimensions_are_stored_in_the_order_of_the_layout) {
  EXPECT_EQ(axes(" = [i, k]", {2, 3}, rows), (Texts{"0: 4 by 1 of COR.i", "1: 8 by 1 of L1.k"}));
  EXPECT_EQ(axes(" = [i, k]", {2, 3}, columns), (Texts{"1: 8 by 1 of L1.k", "0: 4 by 1 of COR.i"}));
}

TEST(TileAxes, a_dimension_that_stands_still_has_no_axis) {
  EXPECT_EQ(axes(" = [i, k]", {3}, rows), Texts{"1: 8 by 1 of L1.k"});
  EXPECT_EQ(axes(" = [i, k]", {}, rows), Texts{});
}

TEST(TileAxes, digits_are_axes_most_significant_first) {
  EXPECT_EQ(axes(" = [i, k]", {0, 1, 2}, rows),
            (Texts{"0: 2 by 8 of HM.i", "0: 2 by 4 of L1.i", "0: 4 by 1 of COR.i"}));
  EXPECT_EQ(axes(" = [i, k]", {0, 2}, rows), (Texts{"0: 2 by 8 of HM.i", "0: 4 by 1 of COR.i"}));
}

TEST(TileAxes, a_layout_may_put_digits_in_any_order) {
  EXPECT_EQ(axes(" = [i, k]", {1, 2, 3}, {{1, "COR"}, {2}, {1, "L1"}}),
            (Texts{"0: 4 by 1 of COR.i", "1: 8 by 1 of L1.k", "0: 2 by 4 of L1.i"}));
}

/// A team may hold digits of its own, which the layout of one member does not list.
TEST(TileAxes, digits_that_the_layout_does_not_list_stand_before_the_others) {
  EXPECT_EQ(
      axes(" = [i, k]", {0, 1, 2, 3}, {{2}, {1, "COR"}, {1, "L1"}}),
      (Texts{"1: 8 by 1 of L1.k", "0: 2 by 8 of HM.i", "0: 4 by 1 of COR.i", "0: 2 by 4 of L1.i"}));
}

TEST(TileAxes, strides_are_those_of_the_buffer) {
  EXPECT_EQ(axes(" = [3 * i]", {1, 2}, {1}), (Texts{"0: 2 by 12 of L1.i", "0: 4 by 3 of COR.i"}));
  EXPECT_EQ(axes(" = [15 - i]", {2}, {1}), Texts{"0: 4 by 1 of COR.i"});
}

/// i + k: 4 and 8 overlap to 11, and with L1.i (worth 4, twice) to 15.
TEST(TileAxes, loops_that_overlap_move_along_one_axis) {
  EXPECT_EQ(axes(" = [i + k]", {2, 3}, {1}), Texts{"0: 11 by 1 of COR.i L1.k"});
  EXPECT_EQ(axes(" = [i + k]", {1, 2, 3}, {1}), Texts{"0: 15 by 1 of L1.i COR.i L1.k"});
}

/// 8 k and 16 parts of i: the bands do not overlap.
TEST(TileAxes, loops_that_do_not_overlap_move_along_axes_of_their_own) {
  EXPECT_EQ(axes(" = [i + 16 * k]", {2, 3}, {1}),
            (Texts{"0: 8 by 16 of L1.k", "0: 4 by 1 of COR.i"}));
}

TEST(TileAxes, accesses_that_differ_by_constants_are_spread_along_their_band) {
  EXPECT_EQ(axes(" = a: [i], b: [i + 1], c: [i + 2]", {2}, {1}, {0, 1, 2}),
            Texts{"0: 6 by 1 of COR.i +"});
  // 100 apart: two places of an axis of their own.
  EXPECT_EQ(axes(" = a: [i], b: [i + 100]", {2}, {1}, {0, 1}),
            (Texts{"0: 2 by 100 of +", "0: 4 by 1 of COR.i"}));
  EXPECT_EQ(axes(" = a: [i], b: [i + 1]", {}, {1}, {0, 1}), Texts{"0: 2 by 1 of +"});
}

TEST(TileAxes, an_index_that_is_not_affine_is_there_whole) {
  EXPECT_EQ(axes("[8, 8] = [i / 2, k]", {2, 3}, rows),
            (Texts{"0: 8 by 1 of whole", "1: 8 by 1 of L1.k"}));
}

TEST(TileAxes, the_volume_is_that_of_the_tile) {
  const std::vector<std::string> accesses = {" = [i, k]", " = [i + k]", " = [2 * i + 3 * k]"};
  for (const std::string& access : accesses) {
    const Lowered low(access);
    for (const std::set<int>& free : {std::set<int>{0, 1, 2, 3}, {1, 3}, {2}, {0, 2, 3}}) {
      int64_t volume = 1;
      for (const TileAxis& axis :
           tile_axes(low.p, low.nest, low.x(), {0}, free, row_major(low.x()))) {
        volume *= axis.extent;
      }
      EXPECT_EQ(volume, tile_of(low.nest, low.p.computation, low.x(), {0}, free).elements);
    }
  }
}

TEST(TileAxes, one_iteration_more_adds_a_step_to_the_index) {
  const auto step = [](const std::string& access, size_t dimension, int loop) {
    const Lowered low(access);
    return index_step(low.p, low.x(), {0}, dimension, low.nest.loops[loop]);
  };
  EXPECT_EQ(step(" = [i, 3 * k]", 0, 0), 8);
  EXPECT_EQ(step(" = [i, 3 * k]", 0, 2), 1);
  EXPECT_EQ(step(" = [i, 3 * k]", 0, 3), 0);
  EXPECT_EQ(step(" = [i, 3 * k]", 1, 3), 3);
  EXPECT_EQ(step(" = [15 - i]", 0, 1), -4);
  EXPECT_EQ(step("[8] = [i / 2]", 0, 1), 0) << "not affine";
}

}  // namespace
}  // namespace mdh::ll::tile_axes_test
