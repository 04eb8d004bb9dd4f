#include "mdh/model/grid_union.h"

#include <gtest/gtest.h>

#include <array>

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

/// Sixteen accesses that differ in all of five dimensions would be cut into a million pieces:
/// the corners that neighbouring boxes share count twice then.
TEST(GridUnion, of_too_many_pieces_is_the_sum_of_boxes) {
  std::string dimensions, accesses, sum;
  for (const char* d : {"a", "b", "c", "d", "e"}) {
    dimensions += (dimensions.empty() ? "" : ", ") + std::string(d) + ": 8 by cc";
  }
  for (int n = 0; n < 16; ++n) {
    const std::string name = "x" + std::to_string(n), at = std::to_string(n);
    sum += (n == 0 ? "" : " + ") + name;
    accesses += (n == 0 ? "" : ", ") + name + ": [a + " + at + ", b + " + at + ", c + " + at +
                ", d + " + at + ", e + " + at + "]";
  }
  const Shape shape = shape_of(hl::instantiate(
      hl::parse("mdh 1\nprogram diagonal = out_view( y: f32 = [a, b, c, d, e] ) * md_hom( " +
                dimensions + " ) { y = " + sum + "; } * inp_view( x: f32 = " + accesses + " )"),
      {}));
  std::array<ll::NestLoop, 5> pairs;
  Loops two_each;
  for (int d = 0; d < 5; ++d) {
    pairs[d].level.dimension = d;
    pairs[d].parts = 2;
    two_each.push_back(&pairs[d]);
  }
  EXPECT_EQ(union_of(shape, two_each, shape.buffers.front()).elements, 16 * 32);
}

}  // namespace
}  // namespace mdh::model::grid_union_test
