#include "mdh/model/grid_union.h"

#include <gtest/gtest.h>

#include "mdh/hl/instantiate.h"
#include "mdh/hl/parse.h"
#include "mdh/ll/parameters.h"
#include "mdh/model/grid_work.h"

namespace mdh::model::grid_union_test {
namespace {

TEST(GridUnion, a_star_is_less_than_the_box_around_it) {
  const hl::Program p = hl::instantiate(
      hl::parse(
          "mdh 1\nprogram star = out_view( y: f32 = [i, j] ) * md_hom( i: 64 by cc, j: 64 by cc )"
          " { y = a + b + c + d; } * inp_view( x: f32 = a: [i, j + 1], b: [i + 1, j],"
          " c: [i + 1, j + 2], d: [i + 2, j + 1] )"),
      {});
  const machine::Machine& gpu = machine::find_machine("gpu");
  const ll::Program low =
      ll::program_of(ll::parse_config(R"({"mdh_config": 1, "layers": ["BLK", "THR", "REG"],
          "split": {"i": ["BLK 16", "REG 4"], "j": ["BLK 2", "THR 32"]},
          "order": ["BLK.i", "BLK.j", "THR.j", "REG.i"]})"),
                     p, gpu);
  const ll::Decomposition d(low, gpu);
  const Shape shape = shape_of(p);
  const GridRates rates;
  const GridWork work(shape, d, rates);
  const Union one = union_of(shape, {}, shape.buffers.front());
  EXPECT_EQ(one.elements, 4);
  EXPECT_EQ(one.rows, 3);
  const Union tile = union_of(shape, work.tile, shape.buffers.front());
  EXPECT_EQ(tile.elements, 6 + 2 * 4);
  const Union group = union_of(shape, both(work.members, work.tile), shape.buffers.front());
  EXPECT_EQ(group.rows, 6);
  EXPECT_EQ(group.elements, 2 * 32 + 4 * 34) << "corners are not read";
}

}  // namespace
}  // namespace mdh::model::grid_union_test
