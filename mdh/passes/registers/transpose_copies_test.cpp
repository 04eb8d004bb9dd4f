#include "mdh/passes/registers/transpose_copies.h"

#include "mdh/passes/registers/test_registers.h"

namespace mdh::passes::transpose_copies_test {
namespace {

const More tile{{}, "buffer temporary m: i64[10, 7] in L1 of core per (c)\n"};

const std::string transposes = R"(
    deal cores (c < 7) {
      for - a < 10 sequential { for - b < 7 sequential { load x = M[b, a]; store m[a, b] = x; } }
      load y = m[9, c];
      store w[c] = y;
    })";

/// How wide the squares are; 0 if there are none.
int64_t side_of(const machine::TargetFacts& facts) {
  const std::string text = loop::print(transpose_copies(matvec_with(transposes, tile), facts));
  const std::string begin = "transpose (b_n < ";
  const size_t found = text.find(begin);
  return found == std::string::npos ? 0 : std::stoll(text.substr(found + begin.size()));
}

TEST(TransposeCopies, squares_are_as_wide_as_the_vectors_of_the_target) {
  EXPECT_EQ(side_of({}), 2);
  EXPECT_EQ(side_of({.vector_bytes = 16}), 2);
  EXPECT_EQ(side_of({.vector_bytes = 32}), 4);
}

TEST(TransposeCopies, squares_of_one_element_and_those_wider_than_the_tile_are_not_made) {
  EXPECT_EQ(side_of({.vector_bytes = 8}), 0);
  EXPECT_EQ(side_of({.vector_bytes = 4}), 0);
  EXPECT_EQ(side_of({.vector_bytes = 64}), 0);
}

TEST(TransposeCopies, all_elements_are_moved_whatever_the_vectors) {
  for (const int64_t bytes : {8, 16, 32, 64}) {
    expect_meaning(transpose_copies, transposes, tile, {.vector_bytes = bytes});
  }
}

TEST(TransposeCopies, swizzled_lines_have_no_neighbours) {
  const More swizzled{{}, "buffer temporary m: i64[10, 8] in SM of group per () swizzle 4\n"};
  expect_rewrite_of(transpose_copies, matvec_with(transposes, swizzled),
                    matvec_with(transposes, swizzled),
                    {.teams = Teams::nested, .vector_bytes = 16});
}

}  // namespace
}  // namespace mdh::passes::transpose_copies_test
