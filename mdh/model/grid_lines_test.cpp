#include "mdh/model/grid_lines.h"

#include <gtest/gtest.h>

#include "mdh/hl/instantiate.h"
#include "mdh/hl/parse.h"
#include "mdh/ll/parameters.h"

namespace mdh::model::grid_lines_test {
namespace {

struct Counted {
  double read = 0, stored = 0, side_by_side = 0;
};

/// A copy of a matrix, by a warp whose threads lie along rows or columns.
Counted counted(const std::string& split, const std::string& order, int64_t bytes,
                const std::string& columns = "1024", const std::string& from = "[i, j]") {
  const hl::Program p = hl::instantiate(
      hl::parse("mdh 1\nprogram copy = out_view( y: f32 = [i, j] ) * md_hom( i: 64 by cc, j: " +
                columns + " by cc ) { y = x; } * inp_view( x: f32 = " + from + " )"),
      {});
  const machine::Machine& gpu = machine::find_machine("gpu");
  const ll::Program low = ll::program_of(
      ll::parse_config(R"({"mdh_config": 1, "layers": ["BLK", "SHR", "THR", "REG", "VEC"], )" +
                       split + ", " + order + "}"),
      p, gpu);
  const ll::Decomposition d(low, gpu);
  const Shape shape = shape_of(p);
  const GridRates rates;
  const GridWork work(shape, d, rates);
  return {cycles_of_cache(work, shape.buffers.front(), bytes),
          sectors_of_store(work, shape.buffers.back(), bytes),
          bytes_of_store(work, shape.buffers.back(), bytes)};
}

const char* const along_rows = R"("split": {"i": ["BLK 64"], "j": ["BLK 32", "THR 32"]})";
const char* const blocks_first = R"("order": ["BLK.i", "BLK.j", "THR.j"])";

TEST(GridLines, of_neighbours_is_one) {
  const Counted c = counted(along_rows, blocks_first, 4);
  EXPECT_EQ(c.read, 1);
  EXPECT_EQ(c.stored, 4);
  EXPECT_EQ(c.side_by_side, 128);
}

TEST(GridLines, of_16_bytes_each_are_found_for_eight_threads_at_a_time) {
  const Counted c = counted(R"("split": {"i": ["BLK 64"], "j": ["BLK 8", "THR 32", "VEC 4"]})",
                            R"("order": ["BLK.i", "BLK.j", "THR.j", "VEC.j"])", 16);
  EXPECT_EQ(c.read, 4);
  EXPECT_EQ(c.stored, 16);
  EXPECT_EQ(c.side_by_side, 128);
}

/// The other half of each sector is written by another instruction.
TEST(GridLines, of_pieces_that_lie_apart_are_counted_in_full) {
  const Counted c =
      counted(R"("split": {"i": ["BLK 64"], "j": ["BLK 4", "THR 32", "REG 2", "VEC 4"]})",
              R"("order": ["BLK.i", "BLK.j", "THR.j", "REG.j", "VEC.j"])", 16);
  EXPECT_EQ(c.read, 8);
  EXPECT_EQ(c.stored, 32);
  EXPECT_EQ(c.side_by_side, 64);
}

TEST(GridLines, of_columns_are_one_for_each_thread) {
  const Counted c = counted(R"("split": {"i": ["BLK 2", "THR 32"], "j": ["BLK 1024"]})",
                            R"("order": ["BLK.i", "BLK.j", "THR.i"])", 4);
  EXPECT_EQ(c.read, 32);
  EXPECT_EQ(c.stored, 32);
  EXPECT_EQ(c.side_by_side, 4);
}

TEST(GridLines, of_what_all_threads_read_is_one) {
  EXPECT_EQ(counted(along_rows, blocks_first, 4, "1024", "[i, 0 * j]").read, 1);
}

/// Three of four places where a row may begin in a line leave 32 neighbours in two of them.
TEST(GridLines, of_rows_that_begin_anywhere_are_nearly_two) {
  EXPECT_EQ(
      counted(R"("split": {"i": ["BLK 64"], "j": ["BLK 33", "THR 32"]})", blocks_first, 4, "1025")
          .read,
      1.75);
  EXPECT_EQ(counted(along_rows, blocks_first, 4, "1024", "[i, j + 1]").read, 2);
}

}  // namespace
}  // namespace mdh::model::grid_lines_test
