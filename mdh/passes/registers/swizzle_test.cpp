#include "mdh/passes/registers/swizzle.h"

#include <gtest/gtest.h>

#include "mdh/passes/registers/test_registers.h"

namespace mdh::passes::swizzle_test {
namespace {

const TargetFacts groups{.teams = Teams::nested};

/// Lines of four pieces of two numbers.
const More lines{{}, "buffer temporary tile: i64[7, 8] in SM of group per () swizzle 4\n"};
const More plain{{}, "buffer temporary tile: i64[7, 8] in SM of group per ()\n"};

const std::string copies =
    "deal cores (c < 7) { for - x < 8 sequential { load m = M[c, x]; store tile[c, x] = m; } "
    "load e = tile[c, 5]; store w[c] = e; }";

TEST(Swizzle, pieces_change_places_in_every_access) {
  expect_rewrite_of(
      swizzle, matvec_with(copies, lines),
      matvec_with("deal cores (c < 7) { for - x < 8 sequential { load m = M[c, x]; "
                  "store tile[c, (x ^ c % 4 * 2)] = m; } load e = tile[c, (5 ^ c % 4 * 2)]; "
                  "store w[c] = e; }",
                  plain),
      groups);
}

const std::string declared = "buffer temporary deep: i64[2, 7, 8] in SM of group per ()";

/// What flies and what is moved at once, in lines with two indices before them; `turn` is how their
/// columns change.
std::string moved(const std::string& turn) {
  const auto at = [&](int number, const std::string& column) {
    return fmt::format("deep[{}, c, {}]", number,
                       turn.empty() ? column : "(" + column + turn + ")");
  };
  return "deal cores (c < 7) { async " + at(0, "1") + " = M[c, 0]; async wide 2 " + at(1, "2") +
         " = M[c, 4]; } commit; wait 0; barrier cores; deal cores (c < 7) { load (m0, m1) = " +
         at(1, "2") + "; store " + at(1, "6") + " = (m1, m0); load e = " + at(1, "7") +
         "; load e2 = " + at(0, "1") + "; combine sum = (e; e2); store w[c] = sum; }";
}

TEST(Swizzle, copies_that_fly_and_wide_accesses_go_to_the_same_places) {
  expect_rewrite_of(swizzle, matvec_with(moved(""), {{}, declared + " swizzle 4\n"}),
                    matvec_with(moved(" ^ c % 4 * 2"), {{}, declared + "\n"}), groups);
  expect_meaning(swizzle, moved(""), {{}, declared + " swizzle 4\n"}, groups);
}

TEST(Swizzle, means_the_same) { expect_meaning(swizzle, copies, lines, groups); }

TEST(Swizzle, cores_without_groups_have_no_banks) {
  expect_rewrite_of(swizzle, matvec_with(copies, lines), matvec_with(copies, plain));
}

void expect_refused(const std::string& buffer, const std::string& why) {
  try {
    loop::verify(matvec_with(copies, {{}, "buffer temporary tile: " + buffer + "\n"}));
    ADD_FAILURE() << buffer << " is accepted";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find(why), std::string::npos) << e.what();
  }
}

TEST(Swizzle, lines_have_room_for_all_places) {
  expect_refused("i64[7, 8] in SM of group per () swizzle 8", "lines of 8 elements, not of 16");
  expect_refused("i64[7, 12] in SM of group per () swizzle 3", "3 lines, which is no power of two");
  expect_refused("i64[7, 9] in SM of group per () swizzle 2", "lines of 9 elements, not of 4");
}

}  // namespace
}  // namespace mdh::passes::swizzle_test
