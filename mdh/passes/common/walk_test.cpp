#include "mdh/passes/common/walk.h"

#include <gtest/gtest.h>

#include "mdh/passes/common/test_programs.h"

namespace mdh::passes::walk_test {
namespace {

/// "kind: digits around" of every statement that is met, in that order.
std::vector<std::string> visits(const loop::Program& p) {
  std::vector<std::string> seen;
  rewritten(p, [&](const loop::Stmt& s, const std::vector<loop::Digit>& around) {
    std::string names;
    for (const loop::Digit& d : around) names += d.var.name;
    const char* kind = s.as<loop::Alloc>()  ? "alloc"
                       : s.as<loop::Loop>() ? "loop"
                       : s.as<loop::For>()  ? "for"
                       : s.as<loop::Deal>() ? "deal"
                                            : "other";
    seen.push_back(fmt::format("{}: {}", kind, names));
    return loop::Block{s};
  });
  return seen;
}

TEST(Walk, digits_of_loops_and_deals_are_around_what_is_inside) {
  EXPECT_EQ(visits(matvec_with("loop o { for L3.i n < 2 sequential { deal cores (d < 5, e < 3) {"
                               "alloc t; } } alloc t; }")),
            (std::vector<std::string>{"alloc: ond", "deal: on", "for: o", "alloc: o", "loop: "}));
}

TEST(Walk, counters_that_are_no_digits_are_not_around) {
  EXPECT_EQ(visits(matvec_with("for - a < 2 sequential { alloc t; }")),
            (std::vector<std::string>{"alloc: ", "for: "}));
}

TEST(Walk, both_branches_are_met) {
  EXPECT_EQ(visits(matvec_with("loop p { if p == 0 { alloc t; } else { alloc t; } }")),
            (std::vector<std::string>{"alloc: p", "alloc: p", "other: p", "loop: "}));
}

TEST(Walk, a_statement_may_become_none_or_several) {
  const loop::Program p = matvec_with("loop p { alloc t; barrier cores; }");
  const auto no_allocs = [](const loop::Stmt& s, const std::vector<loop::Digit>&) {
    if (s.as<loop::Alloc>()) return loop::Block{};
    return s.as<loop::Barrier>() ? loop::Block{s, s} : loop::Block{s};
  };
  EXPECT_EQ(loop::print(rewritten(p, no_allocs)),
            loop::print(matvec_with("loop p { barrier cores; barrier cores; }")));
}

TEST(Walk, nothing_changed_is_the_same_node) {
  const loop::Program p = matvec_with("loop p { if p == 0 { alloc t; } }");
  const auto same = [](const loop::Stmt& s, const std::vector<loop::Digit>&) {
    return loop::Block{s};
  };
  EXPECT_EQ(&rewritten(p, same).body[0].node(), &p.body[0].node());
}

}  // namespace
}  // namespace mdh::passes::walk_test
