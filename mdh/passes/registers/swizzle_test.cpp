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

TEST(Swizzle, squares_are_moved_element_by_element) {
  expect_meaning(swizzle,
                 "deal cores () { transpose (x < 2, y < 2) tile[y + 1, x] = M[x, y]; "
                 "load e = tile[2, 1]; for L1.i p < 7 sequential { store w[p] = e; } }",
                 lines, groups);
}

TEST(Swizzle, means_the_same) { expect_meaning(swizzle, copies, lines, groups); }

TEST(Swizzle, an_access_that_is_left_out_is_noticed) {
  loop::Program p = swizzle(matvec_with(copies, lines), groups);
  const loop::Program other = matvec_with(copies, plain);
  // The load of the plain program, after the stores of the swizzled one.
  auto deal = p.body.back().node();
  auto& body = std::get<loop::Deal>(deal.is).body;
  body[1] = other.body.back().as<loop::Deal>()->body[1];
  p.body.back() = deal;
  std::vector<scalar::Array> inputs;
  for (const loop::Buffer& b : p.buffers) {
    if (b.role != loop::Role::input) continue;
    inputs.push_back(scalar::Array::undefined(b.type, b.extents));
    int64_t n = 0;
    for (scalar::Value& cell : inputs.back().cells) cell = scalar::Value::integer(n++);
    std::fill(inputs.back().defined.begin(), inputs.back().defined.end(), uint8_t{1});
  }
  EXPECT_NE(loop::evaluate(p, inputs), loop::evaluate(other, inputs));
}

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
