// Random decisions do something: a generator that draws what passes ignore would test nothing.
#include <gtest/gtest.h>

#include "mdh/loop/print.h"
#include "mdh/passes/lower/lower.h"
#include "mdh/passes/plan/plan.h"
#include "mdh/passes/structured/stagger.h"
#include "tests/property/properties.h"
#include "tests/property/triples.h"

namespace mdh::test::decisions_drawn_test {
namespace {

std::string staggered(const Triple& t) {
  const loop::Program plan = passes::plan(passes::lower(t.program, t.machine, t.config), t.machine);
  return loop::print(passes::stagger(plan, {.teams = machine::Teams::nested, .access_bytes = 16}));
}

/// Whether any tile was to run ahead across a loop.
bool stays_inside(ll::Config& config) {
  bool changed = false;
  for (auto& [buffer, tiles] : config.code.stage) {
    for (ll::StageCode& tile : tiles) {
      changed = changed || tile.across;
      tile.across.reset();
    }
  }
  return changed;
}

TEST(Decisions, drawn_at_random_let_copies_run_ahead_across_loops) {
  int drawn = 0, obeyed = 0;
  const int cases = case_count(500);
  for (int seed = 1; seed <= cases; ++seed) {
    const Triple t = make_triple(static_cast<uint64_t>(seed));
    Triple other = t;
    if (!stays_inside(other.config)) continue;
    ++drawn;
    obeyed += staggered(t) != staggered(other) ? 1 : 0;
  }
  EXPECT_GE(drawn, cases / 50);
  EXPECT_GE(obeyed, drawn / 4);
}

}  // namespace
}  // namespace mdh::test::decisions_drawn_test
