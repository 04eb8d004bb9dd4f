#include "mdh/report/tree.h"

#include <gtest/gtest.h>

#include "mdh/hl/instantiate.h"
#include "mdh/hl/parse.h"
#include "mdh/report/test_runs.h"

namespace mdh::report::tree_test {
namespace {

using Sizes = std::vector<int64_t>;

Tree tree_of_matmul() {
  return tree_of(test_matmul(), machine::find_machine("cpu"), test_config());
}

TEST(Tree, goes_from_the_whole_down_to_the_function) {
  const Tree tree = tree_of_matmul();
  std::vector<std::string> names;
  for (const TreeNode& node : tree.nodes) names.push_back(node.name);
  EXPECT_EQ(names, (std::vector<std::string>{"all", "COR.j", "L2.k", "L2.i", "L1.j", "L1.i", "L1.k",
                                             "REG.i", "REG.j", "SIMD.j", "f"}));
  EXPECT_EQ(tree.dimensions, (std::vector<std::string>{"i", "j", "k"}));
}

TEST(Tree, a_node_has_its_parts_its_kind_and_what_is_left_inside) {
  const Tree tree = tree_of_matmul();
  EXPECT_EQ(tree.nodes[0].inside, (Sizes{1024, 1024, 1024}));
  EXPECT_EQ(tree.nodes[1].parts, 2);
  EXPECT_EQ(tree.nodes[1].kind, NodeKind::threads);
  EXPECT_EQ(tree.nodes[1].inside, (Sizes{1024, 512, 1024}));
  EXPECT_EQ(tree.nodes[3].kind, NodeKind::loop);
  EXPECT_EQ(tree.nodes[3].inside, (Sizes{128, 512, 512}));
  EXPECT_EQ(tree.nodes[7].kind, NodeKind::registers);
  EXPECT_EQ(tree.nodes[9].kind, NodeKind::lanes);
  EXPECT_EQ(tree.nodes[9].parts, 4);
  EXPECT_EQ(tree.nodes.back().inside, (Sizes{1, 1, 1}));
}

TEST(Tree, copies_and_accumulators_are_where_they_are_made_anew) {
  const Tree tree = tree_of_matmul();
  // B from L2.i on: once in every part of L2.k, and no copy, because the layout stays.
  ASSERT_EQ(tree.nodes[2].places.size(), 1U);
  const TreePlace& b = tree.nodes[2].places[0];
  EXPECT_EQ(b.kind, PlaceKind::stays);
  EXPECT_EQ(b.buffer, "B");
  EXPECT_EQ(b.extents, (Sizes{512, 512}));
  EXPECT_EQ(b.bytes, 1 << 20);
  ASSERT_EQ(tree.nodes[3].places.size(), 1U);
  const TreePlace& a = tree.nodes[3].places[0];
  EXPECT_EQ(a.kind, PlaceKind::copy);
  EXPECT_EQ(a.region, "L1");
  EXPECT_EQ(a.layout, "i@L1, k@L1, i@REG");
  EXPECT_EQ(a.extents, (Sizes{128, 512}));
  // C inside of L1.k: a tile of registers in every part of L1.i.
  ASSERT_EQ(tree.nodes[5].places.size(), 1U);
  const TreePlace& c = tree.nodes[5].places[0];
  EXPECT_EQ(c.kind, PlaceKind::accumulator);
  EXPECT_EQ(c.extents, (Sizes{8, 8}));
  // Registers are explicit: without a layout, too, it is a copy.
  ASSERT_EQ(tree.nodes[6].places.size(), 1U);
  EXPECT_EQ(tree.nodes[6].places[0].kind, PlaceKind::copy);
}

TEST(Tree, a_tile_with_gaps_has_fewer_elements_than_its_box) {
  ll::Config config = test_config();
  // The rows of a register tile are outside of the loop over tiles: one of them is in each.
  config.order = {{"COR", "j"}, {"L2", "k"},  {"L2", "i"},   {"L1", "j"}, {"L1", "k"},
                  {"REG", "i"}, {"REG", "j"}, {"SIMD", "j"}, {"L1", "i"}};
  config.acc["C"] = {{.from = {"REG", "i"}, .region = "REG"}};
  const Tree tree = tree_of(test_matmul(), machine::find_machine("cpu"), config);
  ASSERT_EQ(tree.nodes[5].places.size(), 2U);  // with the tile of A
  EXPECT_EQ(tree.nodes[5].places[1].extents, (Sizes{128, 8}));
  EXPECT_EQ(tree.nodes[5].places[1].elements, 1024);
  config.acc["C"] = {{.from = {"SIMD", "j"}, .region = "REG"}};
  const Tree gaps = tree_of(test_matmul(), machine::find_machine("cpu"), config);
  EXPECT_EQ(gaps.nodes[7].places[0].extents, (Sizes{121, 4}));
  EXPECT_EQ(gaps.nodes[7].places[0].elements, 64);
}

TEST(Tree, of_fused_dimensions_has_the_dimension_that_they_become) {
  const hl::Program twice = hl::instantiate(
      hl::parse(
          "mdh 1\nprogram twice = out_view( y: f32 = [i, j] ) * md_hom( i: 6 by cc, j: 4 by cc "
          ") { y = 2 * x; } * inp_view( x: f32 = [i, j] )"),
      {});
  const ll::Config config = ll::parse_config(
      R"({"mdh_config": 1, "fuse": [["i", "j"]], "layers": ["COR", "L1"],
          "split": {"i_j": ["COR 5", "L1 5"]}, "order": ["COR.i_j", "L1.i_j"]})");
  const Tree tree = tree_of(twice, machine::find_machine("cpu"), config);
  EXPECT_EQ(tree.dimensions, std::vector<std::string>{"i_j"});
  EXPECT_EQ(tree.nodes[0].inside, Sizes{24});  // five parts of five are one more than there is
  EXPECT_EQ(tree.nodes[1].inside, Sizes{5});
}

}  // namespace
}  // namespace mdh::report::tree_test
