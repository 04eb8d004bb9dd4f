// Copies through registers, in two halves.
#include <gtest/gtest.h>

#include "mdh/passes/common/test_programs.h"
#include "mdh/passes/structured/stagger.h"

namespace mdh::passes::stagger_registers_test {
namespace {

const char* const through_registers = R"(
    loop r {
      alloc v_l1;
      copy registers (a < 2) v_l1[a] = v[r * 2 + a] within (r * 2 + a < 9) team (c);
      loop p { loop s { accumulate (w[i]) first (r, s) from (M[i, k], v_l1[s]); } }
    })";

TEST(StaggerRegisters, a_copy_through_registers_is_asked_for_ahead_and_stored_in_its_round) {
  const More before{{}, "buffer temporary v_l1: i64[2] in SM of group per () depth 2\n"};
  const More after{{},
                   "buffer temporary v_l1: i64[2, 2] in SM of group per ()\n"
                   "buffer temporary v_l1_held: i64[2] in SM of group per () held\n"};
  expect_rewrite_of(stagger, matvec_with(through_registers, before),
                    matvec_with(R"(
    alloc v_l1;
    alloc v_l1_held;
    copy (a < 2) v_l1_held[a] = v[a] within (a < 9) team (c) whole 1;
    loop r {
      copy (a < 2) v_l1[r % 2, a] = v_l1_held[a] within (r * 2 + a < 9) team (c) whole 1;
      copy (a < 2) v_l1_held[a] = v[(r + 1) * 2 + a] within (r + 1 < 5, (r + 1) * 2 + a < 9) team (c) whole 1;
      loop p { loop s { accumulate (w[i]) first (r, s) from (M[i, k], v_l1[r % 2, s]); } }
    })",
                                after),
                    {.teams = Teams::nested, .access_bytes = 16});
}

/// Whatever stands between the halves of several tiles.
TEST(StaggerRegisters, nothing_is_asked_for_before_the_last_answer_is_stored) {
  const More more{{},
                  "buffer temporary v_l1: i64[2] in SM of group per () depth 2\n"
                  "buffer temporary m_l1: i64[2] in SM of group per ()\n"};
  const loop::Program p = matvec_with(R"(
    loop r {
      alloc m_l1;
      copy (b < 2) m_l1[b] = M[0, r * 2 + b] within () team (c);
      alloc v_l1;
      copy registers (a < 2) v_l1[a] = v[r * 2 + a] within () team (c);
      loop p { loop s { accumulate (w[i]) first (r, s) from (m_l1[s], v_l1[s]); } }
    })",
                                      more);
  const std::string text = loop::print(stagger(p, {.teams = Teams::nested, .access_bytes = 16}));
  const size_t loop = text.find("loop r {");
  const size_t stored = text.find("v_l1[r % 2, a] = v_l1_held[a]", loop);
  const size_t asked = text.find("v_l1_held[a] = v[(r + 1) * 2 + a]", loop);
  ASSERT_NE(stored, std::string::npos) << text;
  ASSERT_NE(asked, std::string::npos) << text;
  EXPECT_LT(stored, asked) << text;
}

TEST(StaggerRegisters, a_copy_through_registers_that_no_loop_staggers_loads_everything_first) {
  const More before{{}, "buffer temporary v_l1: i64[10] in SM of group per ()\n"};
  const More after{{},
                   "buffer temporary v_l1: i64[10] in SM of group per ()\n"
                   "buffer temporary v_l1_held: i64[5, 2] in SM of group per () held\n"};
  expect_rewrite_of(stagger,
                    matvec_with(R"(
    alloc v_l1;
    copy registers (a < 10) v_l1[a] = v[a] within (a < 9) team (c);
    loop p { loop q { accumulate (w[i]) first (q) from (M[i, k], v_l1[q]); } })",
                                before),
                    matvec_with(R"(
    alloc v_l1;
    alloc v_l1_held;
    copy (a_ < 5, a < 2) v_l1_held[a_, a] = v[a_ * 2 + a] within (a_ * 2 + a < 9) team (c) whole 1;
    copy (a_ < 5, a < 2) v_l1[a_ * 2 + a] = v_l1_held[a_, a] within (a_ * 2 + a < 9) team (c) whole 1;
    loop p { loop q { accumulate (w[i]) first (q) from (M[i, k], v_l1[q]); } })",
                                after),
                    {.teams = Teams::nested, .access_bytes = 16});
}

/// A copy of all of v by a team, before a loop over rows, stays whole.
void expect_plain(const More& more, const std::string& team, const std::string& rows) {
  const auto body = [&](const std::string& transport) {
    return "alloc v_l1; copy " + transport + "(a < 10) v_l1[a] = v[a] within () team " + team +
           "; loop " + rows +
           " { loop q { accumulate (w[i]) first (q) from (M[i, k], v_l1[q]); } }";
  };
  expect_rewrite_of(stagger, matvec_with(body("registers "), more), matvec_with(body(""), more),
                    {.teams = Teams::nested, .access_bytes = 16});
}

/// A core that is alone would have to tell nobody what it has.
TEST(StaggerRegisters, a_copy_through_registers_by_one_core_is_plain) {
  expect_plain({{}, "buffer temporary v_l1: i64[10] in SM of group per ()\n"}, "()", "p");
}

/// The shape of a copy is that of tiles without slots.
TEST(StaggerRegisters, a_copy_from_a_tile_with_slots_is_plain_where_no_loop_staggers_it) {
  const More more{{},
                  "buffer temporary v_l2: i64[2] in SM of group per () depth 2\n"
                  "buffer temporary v_l1: i64[2] in SM of group per ()\n"};
  const std::string text = loop::print(stagger(matvec_with(R"(
    loop r {
      alloc v_l2;
      copy (a < 2) v_l2[a] = v[r * 2 + a] within () team (c);
      alloc v_l1;
      copy registers (b < 2) v_l1[b] = v_l2[b] within () team (c);
      loop p { loop s { accumulate (w[i]) first (r, s) from (M[i, k], v_l1[s]); } }
    })",
                                                           more),
                                               {.teams = Teams::nested, .access_bytes = 16}));
  EXPECT_NE(text.find("copy (b < 2) v_l1[b] = v_l2[r % 2, b] within () team (c);"),
            std::string::npos)
      << text;
}

/// Each round of such a loop is a kernel of its own.
TEST(StaggerRegisters, nothing_is_held_in_registers_around_a_grid) {
  const More more{"digit g: BLK.i < 7 of i step 1 grid\n",
                  "buffer temporary v_l1: i64[2] in DM of group per () depth 2\n"};
  const More after{more.digits, "buffer temporary v_l1: i64[2, 2] in DM of group per ()\n"};
  expect_rewrite_of(stagger,
                    matvec_with(R"(
    loop r {
      alloc v_l1;
      copy registers (a < 2) v_l1[a] = v[r * 2 + a] within () team (g, c);
      loop g { loop s { accumulate (w[i]) first (r, s) from (M[i, k], v_l1[s]); } }
    })",
                                more),
                    matvec_with(R"(
    alloc v_l1;
    copy (a < 2) v_l1[0, a] = v[a] within () team (g, c);
    loop r {
      copy (a < 2) v_l1[(r + 1) % 2, a] = v[(r + 1) * 2 + a] within (r + 1 < 5) team (g, c);
      loop g { loop s { accumulate (w[i]) first (r, s) from (M[i, k], v_l1[r % 2, s]); } }
    })",
                                after),
                    {.teams = Teams::nested, .access_bytes = 16});
}

TEST(StaggerRegisters, nothing_is_held_before_a_grid_either) {
  expect_plain({"digit g: BLK.i < 7 of i step 1 grid\n",
                "buffer temporary v_l1: i64[10] in DM of group per ()\n"},
               "(g, c)", "g");
}

TEST(StaggerRegisters, deeper_tiles_are_stored_earlier) {
  const More deep{{}, "buffer temporary v_l1: i64[2] in SM of group per () depth 3\n"};
  const std::string text = loop::print(
      stagger(matvec_with(through_registers, deep), {.teams = Teams::nested, .access_bytes = 16}));
  for (const char* piece :
       {"v_l1[0, a] = v[a]", "v_l1_held[a] = v[a + 2]",
        "v_l1[(r + 1) % 3, a] = v_l1_held[a] within (r + 1 < 5,",
        "v_l1_held[a] = v[(r + 2) * 2 + a] within (r + 2 < 5,", "v_l1[r % 3, s]"}) {
    EXPECT_NE(text.find(piece), std::string::npos) << piece << "\n" << text;
  }
}

TEST(StaggerRegisters, without_wide_accesses_a_copy_through_registers_is_plain) {
  std::string plain = through_registers;
  plain.replace(plain.find("registers "), 10, "");
  const More more{{}, "buffer temporary v_l1: i64[2] in SM of group per () depth 2\n"};
  EXPECT_EQ(loop::print(stagger(matvec_with(through_registers, more), {})),
            loop::print(stagger(matvec_with(plain, more), {})));
}

}  // namespace
}  // namespace mdh::passes::stagger_registers_test
