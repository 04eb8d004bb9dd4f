#include "mdh/passes/structured/pad.h"

#include <gtest/gtest.h>

#include "mdh/passes/common/test_programs.h"

namespace mdh::passes::pad_test {
namespace {

/// Rows: o with a part too many and u in registers; columns: q.
const More tiles{R"(digit u: REG.i < 2 of i step 1 unrolled
)",
                 R"(buffer temporary packed: i64[5, 10, 2] in L1 of core per ()
buffer temporary again: i64[5, 10, 2] in L1 of core per ()
buffer temporary acc: i64[2] in REG of registers per ()
buffer temporary plain: i64[2] in L1 of core per ()
)"};

std::string program(const std::string& copies, const std::string& read,
                    const std::string& target = "acc[u]") {
  return copies + "loop o { loop q { loop u { accumulate (" + target + ") first (q) from (" + read +
         ", v[k]); } } write_up (u) (w[i]) first () from (" + target + "); }";
}

const std::string packed =
    "copy (x1 < 5, x2 < 10, x3 < 2) packed[x1, x2, x3] = M[x1 * 2 + x3, x2] within (x1 * 2 + x3 < "
    "7) team ();";

TEST(Pad, what_reads_a_packed_tile_runs_over_all_parts) {
  expect_rewrite(pad, program(packed, "packed[o, q, u]"),
                 "copy (x1 < 5, x2 < 10, x3 < 2) packed[x1, x2, x3] = M[min(x1 * 2 + x3, 6), x2] "
                 "within () team ();"
                 "loop o { loop q { for REG.i u < 2 unrolled { accumulate (acc[u]) first (q) from "
                 "(packed[o, q, u], v[k]); } } write_up (u) (w[i]) first () from (acc[u]); }",
                 tiles);
}

TEST(Pad, conditions_on_other_axes_stay) {
  const std::string copy =
      "copy (x1 < 5, x2 < 10, x3 < 2) packed[x1, x2, x3] = M[x1 * 2 + x3, x2] within (x2 < 9, x1 * "
      "2 + x3 < 7) "
      "team ();";
  expect_rewrite(
      pad, program(copy, "packed[o, q, u]"),
      "copy (x1 < 5, x2 < 10, x3 < 2) packed[x1, x2, x3] = M[min(x1 * 2 + x3, 6), x2] within "
      "(x2 < 9) team ();"
      "loop o { loop q { for REG.i u < 2 unrolled { accumulate (acc[u]) first (q) from "
      "(packed[o, q, u], v[k]); } } write_up (u) (w[i]) first () from (acc[u]); }",
      tiles);
}

TEST(Pad, tiles_that_are_copied_from_tiles_are_filled_alike) {
  const std::string second =
      "copy (y1 < 5, y2 < 10, y3 < 2) again[y1, y2, y3] = packed[y1, y2, y3] within (y1 * 2 + y3 < "
      "7) team "
      "();";
  expect_rewrite(
      pad, program(packed + second, "again[o, q, u]"),
      "copy (x1 < 5, x2 < 10, x3 < 2) packed[x1, x2, x3] = M[min(x1 * 2 + x3, 6), x2] within () "
      "team ();"
      "copy (y1 < 5, y2 < 10, y3 < 2) again[y1, y2, y3] = packed[y1, y2, y3] within () team ();"
      "loop o { loop q { for REG.i u < 2 unrolled { accumulate (acc[u]) first (q) from "
      "(again[o, q, u], v[k]); } } write_up (u) (w[i]) first () from (acc[u]); }",
      tiles);
}

TEST(Pad, a_line_may_be_one_index_of_several_axes) {
  const More line{tiles.digits, R"(buffer temporary packed: i64[10, 12] in L1 of core per ()
buffer temporary acc: i64[2] in REG of registers per ()
)"};
  const std::string read = "packed[q, o * 2 + u]";
  const auto copy = [](const std::string& to, const std::string& from, const std::string& within) {
    return "copy (x1 < 5, x2 < 10, x3 < 2) packed[x2, " + to + "] = M[" + from + ", x2] within (" +
           within + ") team ();";
  };
  expect_rewrite(pad, program(copy("x1 * 2 + x3", "x1 * 2 + x3", "x1 * 2 + x3 < 7"), read),
                 copy("x1 * 2 + x3", "min(x1 * 2 + x3, 6)", "") +
                     "loop o { loop q { for REG.i u < 2 unrolled { accumulate (acc[u]) first (q) "
                     "from (packed[q, o * 2 + u], v[k]); } } write_up (u) (w[i]) first () from "
                     "(acc[u]); }",
                 line);
}

TEST(Pad, a_part_of_a_line_that_others_fill_is_left_alone) {
  const More line{tiles.digits, R"(buffer temporary packed: i64[10, 12] in L1 of core per ()
buffer temporary acc: i64[2] in REG of registers per ()
)"};
  expect_unchanged(pad,
                   "loop o { copy (x2 < 10, x3 < 2) packed[x2, o * 2 + x3] = M[o * 2 + x3, x2] "
                   "within (o * 2 + x3 < 7) team (); loop q { loop u { accumulate (acc[u]) first "
                   "(q) from (packed[q, o * 2 + u], v[k]); } } write_up (u) (w[i]) first () from "
                   "(acc[u]); }",
                   line);
}

TEST(Pad, reads_of_the_users_buffers_are_left_alone) {
  expect_unchanged(pad, program("", "M[i, k]"), tiles);
}

TEST(Pad, results_in_memory_are_left_alone) {
  expect_unchanged(pad, program(packed, "packed[o, q, u]", "plain[u]"), tiles);
}

TEST(Pad, a_tile_that_has_no_place_for_each_row_is_left_alone) {
  expect_unchanged(pad, program(packed, "packed[o, q, u]", "acc[0]"), tiles);
}

TEST(Pad, tiles_that_roll_are_left_alone) {
  const std::string rolling =
      "copy (x1 < 5, x2 < 10, x3 < 2) packed[x1, x2, x3] = M[x1 * 2 + x3, x2] within (x1 * 2 + x3 "
      "< 7) team "
      "();"
      "copy (y1 < 4, y2 < 10, y3 < 2) packed[y1, y2, y3] = packed[y1 + 1, y2, y3] within () team "
      "();";
  expect_unchanged(pad, program(rolling, "packed[o, q, u]"), tiles);
}

TEST(Pad, all_that_accumulates_in_a_tile_is_padded_or_nothing_is) {
  const std::string other =
      "loop o { loop q { loop u { accumulate (acc[u]) first (q) from (M[i, k], v[k]); } } "
      "write_up (u) (w[i]) first () from (acc[u]); }";
  expect_unchanged(pad, program(packed, "packed[o, q, u]") + other, tiles);
}

}  // namespace
}  // namespace mdh::passes::pad_test
