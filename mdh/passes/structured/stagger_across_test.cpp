// Copies that run ahead across the loop outside of theirs.
#include <gtest/gtest.h>

#include "mdh/passes/common/test_programs.h"
#include "mdh/passes/structured/stagger.h"

namespace mdh::passes::stagger_across_test {
namespace {

/// A tile of M for every two columns of a row.
std::string rows(const std::string& copy, const std::string& declared) {
  return matvec_text("loop p { loop r { alloc m; " + copy +
                         " loop s { accumulate (w[i]) first (r, s) from (m[s], v[k]); } } }",
                     {{}, "buffer temporary m: i64" + declared + "\n"});
}

TEST(StaggerAcross, the_last_round_copies_for_the_first_one_of_the_next_loop) {
  const std::string copy = "copy (a < 2) m[a] = M[p, r * 2 + a] within () team () across p;";
  expect_rewrite_of(stagger, loop::parse(rows(copy, "[2] in L1 of core per () depth 2")),
                    matvec_with(R"(
    alloc m;
    copy (a < 2) m[0, a] = M[0, a] within () team ();
    loop p { loop r {
      copy (a < 2) m[(p * 5 + (r + 1)) % 2, a] = M[p + (r + 1) / 5, (r + 1) % 5 * 2 + a] within (p * 5 + (r + 1) < 35) team ();
      loop s { accumulate (w[i]) first (r, s) from (m[(p * 5 + r) % 2, s], v[k]); }
    } })",
                                {{}, "buffer temporary m: i64[2, 2] in L1 of core per ()\n"}));
}

TEST(StaggerAcross, slots_forget_the_loop_outside_where_the_inner_one_goes_through_all) {
  const std::string copy = "copy (a < 2) m[a] = M[p, r * 2 + a] within () team () across p;";
  const std::string text =
      loop::print(stagger(loop::parse(rows(copy, "[2] in L1 of core per () depth 5")), {}));
  for (const char* piece : {"m[0, a] = M[0, a]", "m[3, a] = M[0, a + 6]",
                            "m[(r + 4) % 5, a] = M[p + (r + 4) / 5, ", "(m[r % 5, s]"}) {
    EXPECT_NE(text.find(piece), std::string::npos) << piece << "\n" << text;
  }
}

TEST(StaggerAcross, copies_in_groups_begin_before_both_loops) {
  const std::string copy = "copy async (a < 2) m[a] = M[p, r * 2 + a] within () team () across p;";
  expect_rewrite_of(stagger, loop::parse(rows(copy, "[2] in L1 of core per () depth 3")),
                    matvec_with(R"(
    alloc m;
    copy async (a < 2) m[0, a] = M[0, a] within () team ();
    commit;
    copy async (a < 2) m[1, a] = M[0, a + 2] within () team ();
    commit;
    loop p { loop r {
      wait 1;
      copy async (a < 2) m[(p * 5 + (r + 2)) % 3, a] = M[p + (r + 2) / 5, (r + 2) % 5 * 2 + a] within (p * 5 + (r + 2) < 35) team ();
      commit;
      loop s { accumulate (w[i]) first (r, s) from (m[(p * 5 + r) % 3, s], v[k]); }
    } })",
                                {{}, "buffer temporary m: i64[3, 2] in L1 of core per ()\n"}));
}

TEST(StaggerAcross, what_is_held_is_asked_for_across_the_loop_outside) {
  const std::string copy =
      "copy registers (a < 2) m[a] = M[p, r * 2 + a] within () team (c) across p;";
  const std::string text =
      loop::print(stagger(loop::parse(rows(copy, "[2] in SM of group per () depth 2")),
                          {.teams = Teams::nested, .access_bytes = 16}));
  for (const char* piece :
       {"m_held[a] = M[0, a] within () team (c) whole 1;\n  loop p {\n    loop r {\n      copy (a "
        "< 2) "
        "m[(p * 5 + r) % 2, a] = m_held[a]",
        "m_held[a] = M[p + (r + 1) / 5, (r + 1) % 5 * 2 + a] within (p * 5 + (r + 1) < 35)"}) {
    EXPECT_NE(text.find(piece), std::string::npos) << piece << "\n" << text;
  }
}

TEST(StaggerAcross, what_is_in_flight_lands_behind_a_loop_outside_that_may_end_early) {
  const loop::Program p = loop::parse(matvec_text(
      R"(loop n { loop o { loop r { alloc m;
      copy async (a < 2) m[a] = M[o * 2 + n, r * 2 + a] within (o * 2 + n < 7) team () across o;
      loop s { accumulate (w[i]) first (r, s) from (m[s], v[k]); } } } })",
      {{}, "buffer temporary m: i64[2] in L1 of core per () depth 2\n"}));
  const loop::Program after = stagger(p, {});
  loop::verify(after);
  const loop::Block& body = after.body.front().as<loop::Loop>()->body;
  EXPECT_TRUE(body.back().as<loop::Wait>()) << loop::print(after);
  EXPECT_EQ(body[body.size() - 2].as<loop::Loop>()->digit.name, "o") << loop::print(after);
}

/// Without all rounds nobody would copy for the next loop; registers have no numbers.
TEST(StaggerAcross, across_a_loop_whose_inner_one_may_end_early_nothing_is_copied) {
  const auto without = [](std::string text) {
    for (size_t at; (at = text.find(" across ")) != std::string::npos;) text.erase(at, 9);
    return loop::parse(text);
  };
  const std::string early = matvec_text(
      R"(loop n { loop o { alloc m; copy () m[] = M[o * 2 + n, 0] within (o * 2 + n < 7) team () across n;
      loop q { accumulate (w[i]) first (q) from (m[], v[k]); } } })",
      {{}, "buffer temporary m: i64[] in L1 of core per () depth 2\n"});
  const std::string registers =
      rows("copy (a < 2) m[a] = M[p, r * 2 + a] within () team () across p;",
           "[2] in RM of registers per () depth 2");
  for (const std::string& text : {early, registers}) {
    EXPECT_EQ(loop::print(stagger(loop::parse(text), {})), loop::print(stagger(without(text), {})));
  }
}

}  // namespace
}  // namespace mdh::passes::stagger_across_test
