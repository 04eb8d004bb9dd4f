// Random decisions do something: a generator that draws what passes ignore would test nothing.
#include <gtest/gtest.h>

#include <optional>

#include "mdh/loop/count.h"
#include "mdh/loop/print.h"
#include "mdh/passes/lower/lower.h"
#include "mdh/passes/pipeline.h"
#include "mdh/passes/plan/plan.h"
#include "mdh/passes/structured/stagger.h"
#include "mdh/support/diagnostic.h"
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

template <class Kind>
bool contains(const loop::Program& p) {
  return loop::count_of<Kind>(p.body) > 0;
}

/// For a target that can do all of it; nothing where there is no code for a program.
std::optional<loop::Program> loops_of(const Triple& t) {
  const machine::TargetFacts facts{.teams = machine::Teams::nested,
                                   .access_bytes = 16,
                                   .lockstep = 32,
                                   .exchanges = true,
                                   .knows_last = true,
                                   .atomics = true,
                                   .follows = true,
                                   .most_that_meet = 8};
  try {
    const ll::Program low = passes::lower(t.program, t.machine, t.config);
    return passes::run_pipeline(passes::plan(low, t.machine), facts);
  } catch (const Error& e) {
    if (e.diagnostic().kind != DiagnosticKind::unsupported) throw;
    return std::nullopt;
  }
}

TEST(Decisions, drawn_at_random_let_members_of_grids_combine_in_all_ways) {
  int exchange = 0, last = 0, atomic = 0, follow = 0, meet = 0;
  const int cases = case_count(500);
  for (int seed = 1; seed <= cases; ++seed) {
    const auto loops = loops_of(make_triple(static_cast<uint64_t>(seed)));
    if (!loops) continue;
    const bool has_atomics = contains<loop::AtomicCombine>(*loops);
    exchange += contains<loop::Exchange>(*loops);
    atomic += has_atomics;
    last += contains<loop::Last>(*loops) && !has_atomics;
    follow += contains<loop::Follow>(*loops);
    meet += contains<loop::Meet>(*loops);
  }
  const std::string found = fmt::format("exchange {}, last {}, atomic {}, follow {}, meet {}",
                                        exchange, last, atomic, follow, meet);
  for (const int count : {exchange, last, atomic, meet}) EXPECT_GE(count, cases / 150) << found;
  EXPECT_GE(follow, cases / 500) << found;
}

}  // namespace
}  // namespace mdh::test::decisions_drawn_test
