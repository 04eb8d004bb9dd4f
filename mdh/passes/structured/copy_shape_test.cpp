#include "mdh/passes/structured/copy_shape.h"

#include <gtest/gtest.h>

#include "mdh/passes/common/test_programs.h"

namespace mdh::passes::copy_shape_test {
namespace {

/// Rows of 16 numbers of 64 bits in memory that all see, and a row of registers.
const More tiles{{},
                 "buffer temporary x: i64[12, 16] in MM of all per ()\n"
                 "buffer temporary y: i64[12, 16] in MM of all per ()\n"
                 "buffer temporary z: i64[12, 15] in MM of all per ()\n"};

/// The only copy of a body, shaped: its text, and how many axes are kept.
std::string shaped(const std::string& copy, int64_t bytes = 16) {
  const loop::Program p = matvec_with(copy, tiles);
  Names names(p);
  for (const loop::Stmt& s : p.body) {
    const auto* found = s.as<loop::Copy>();
    if (!found) continue;
    const CopyShape shape = shape_of(p, *found, bytes, names);
    loop::Program changed = p;
    changed.body = {loop::StmtNode{shape.copy}};
    const std::string text = loop::print(changed);
    const size_t at = text.find("copy");
    return text.substr(at, text.find(" within", at) - at) + fmt::format(" kept {}", shape.kept);
  }
  return "no copy";
}

TEST(CopyShape, axes_are_in_the_order_of_the_source) {
  EXPECT_EQ(shaped("copy (a < 7, b < 5) y[a, b] = x[b, a] within () team ();"),
            "copy (b < 5, a < 7) y[a, b] = x[b, a] kept 0");
  EXPECT_EQ(shaped("copy (a < 7, b < 5) y[a, b] = x[a, b] within () team ();"),
            "copy (a < 7, b < 5) y[a, b] = x[a, b] kept 0");
  EXPECT_EQ(shaped("copy (a < 7, b < 5) y[a, b] = x[0, a] within () team ();"),
            "copy (b < 5, a < 7) y[a, b] = x[0, a] kept 0")
      << "what the source does not depend on is outermost";
}

TEST(CopyShape, a_core_takes_what_it_can_load_at_once) {
  const std::string copy = "copy (a < 8, b < 4) y[a, b] = x[b, a + 8] within () team ();";
  EXPECT_EQ(shaped(copy),
            "copy (b < 4, a_ < 4, a < 2) y[a_ * 2 + a, b] = x[b, a_ * 2 + a + 8] "
            "kept 1");
  EXPECT_EQ(shaped(copy, 64), "copy (b < 4, a < 8) y[a, b] = x[b, a + 8] kept 1");
  EXPECT_EQ(shaped(copy, 8), "copy (b < 4, a < 8) y[a, b] = x[b, a + 8] kept 0");
}

TEST(CopyShape, only_what_provably_begins_at_a_multiple) {
  EXPECT_EQ(shaped("copy (b < 4, a < 8) y[b, a] = x[b, a + 1] within () team ();"),
            "copy (b < 4, a < 8) y[b, a] = x[b, a + 1] kept 0");
  EXPECT_EQ(shaped("copy (b < 4, a < 8) y[b, a] = z[b, a] within () team ();"),
            "copy (b < 4, a < 8) y[b, a] = z[b, a] kept 0");
  EXPECT_EQ(shaped("copy (b < 4, a < 7) y[b, a] = x[b, a] within () team ();"),
            "copy (b < 4, a < 7) y[b, a] = x[b, a] kept 0")
      << "an odd number of them";
}

TEST(CopyShape, copies_in_flight_need_neighbours_on_both_sides) {
  EXPECT_EQ(shaped("copy async (b < 4, a < 2) y[b, a] = x[b, a] within () team ();"),
            "copy async (b < 4, a < 2) y[b, a] = x[b, a] kept 1");
  EXPECT_EQ(shaped("copy async (b < 4, a < 2) y[a, b] = x[b, a] within () team ();"),
            "copy async (b < 4, a < 2) y[a, b] = x[b, a] kept 0");
}

TEST(CopyShape, conditions_follow) {
  const std::string text = shaped("copy (b < 4, a < 4) y[b, a] = x[b, a] within (a < 3) team ();");
  EXPECT_EQ(text, "copy (b < 4, a_ < 2, a < 2) y[b, a_ * 2 + a] = x[b, a_ * 2 + a] kept 1");
}

TEST(CopyShape, what_is_held_back_at_an_edge_lies_as_if_it_were_not) {
  EXPECT_EQ(shaped("copy (a < 8, b < 4) y[a, b] = x[b, min(a, 3)] within () team ();"),
            "copy (b < 4, a < 8) y[a, b] = x[b, min(a, 3)] kept 0")
      << "but neighbours are not always side by side";
  EXPECT_EQ(shaped("copy (a < 8, b < 4) y[a, b] = x[min(b, 2), a] within () team ();"),
            "copy (b < 4, a_ < 4, a < 2) y[a_ * 2 + a, b] = x[min(b, 2), a_ * 2 + a] kept 1");
}

TEST(CopyShape, others_keep_their_shape) {
  EXPECT_EQ(shaped("copy (a < 8, b < 4) y[a, b] = x[b, a * a % 3] within () team ();"),
            "copy (a < 8, b < 4) y[a, b] = x[b, a * a % 3] kept 0");
  EXPECT_EQ(shaped("copy (a < 8, b < 4) x[a, b] = x[a, b + 4] within () team ();"),
            "copy (a < 8, b < 4) x[a, b] = x[a, b + 4] kept 0");
}

}  // namespace
}  // namespace mdh::passes::copy_shape_test
