// What members of a team keep to scan together: counted by footprint().
#include <gtest/gtest.h>

#include "mdh/ll/footprint.h"
#include "mdh/ll/test_configs.h"

namespace mdh::ll::footprint_scan_test {
namespace {

Footprint counted(const std::string& entries, const hl::Program& program,
                  const std::string& machine) {
  const machine::Machine& m = machine::find_machine(machine);
  return footprint(lowered(config(entries), program, m), m);
}

/// For every line, coarse part and member a total and an offset: 2 rows of coarse parts and 3 lines,
/// 4 members.
TEST(Footprint, members_that_scan_together_exchange_totals_and_keep_offsets) {
  const hl::Program p = hl::parse(
      "mdh 1\nprogram lines = out_view( y: i64 = [i, j] ) * md_hom( i: 8 by ps(add), j: 3 by cc )"
      " { y = x; } * inp_view( x: i64 = [i, j] )");
  const Footprint f = counted(
      R"("layers": ["L1", "COR"], "split": {"i": ["L1 2", "COR 4"], "j": ["L1 3"]},
         "order": ["COR.i", "L1.i", "L1.j"])",
      p, "artificial");
  ASSERT_EQ(f.accumulators.size(), 2u);
  EXPECT_EQ(f.accumulators[0].place.region, "HM");
  EXPECT_EQ(f.accumulators[0].elements, 2 * 3);
  EXPECT_EQ(f.accumulators[0].slots, 4);
  EXPECT_EQ(f.accumulators[0].bytes, 2 * 3 * 4 * 8);
  EXPECT_EQ(f.accumulators[1].elements, 2 * 3);
  EXPECT_EQ(f.accumulators[1].bytes, 2 * 3 * 4 * 8);
}

/// Parts in order need one total each, in every line.
TEST(Footprint, parts_in_order_have_no_rows) {
  const hl::Program p = hl::parse(
      "mdh 1\nprogram lines = out_view( y: i64 = [i, j] ) * md_hom( i: 8 by ps(add), j: 6 by cc )"
      " { y = x; } * inp_view( x: i64 = [i, j] )");
  const Footprint f = counted(
      R"("layers": ["COR", "L1"], "split": {"i": ["COR 4", "L1 2"], "j": ["COR 2", "L1 3"]},
         "order": ["COR.i", "L1.i", "COR.j", "L1.j"])",
      p, "artificial");
  ASSERT_EQ(f.accumulators.size(), 2u);
  EXPECT_EQ(f.accumulators[0].bytes, 6 * 4 * 8);
  EXPECT_EQ(f.accumulators[1].bytes, 6 * 4 * 8);
}

/// Inside of a loop on other cores every member of them has these buffers.
TEST(Footprint, what_scans_exchange_exists_once_per_outer_core) {
  const hl::Program p = hl::parse(
      "mdh 1\nprogram lines = out_view( y: i64 = [i, j] ) * md_hom( i: 8 by ps(add), j: 6 by cc )"
      " { y = x; } * inp_view( x: i64 = [i, j] )");
  const Footprint f = counted(
      R"("layers": ["COR", "L1"], "split": {"i": ["COR 4", "L1 2"], "j": ["COR 2", "L1 3"]},
         "order": ["COR.j", "COR.i", "L1.i", "L1.j"])",
      p, "artificial");
  ASSERT_EQ(f.accumulators.size(), 2u);
  EXPECT_EQ(f.accumulators[0].bytes, 3 * 4 * 8);
  EXPECT_EQ(f.accumulators[0].instances, 2);
  EXPECT_EQ(f.accumulators[1].instances, 2);
}

}  // namespace
}  // namespace mdh::ll::footprint_scan_test
