#include "mdh/passes/pipeline.h"

#include <gtest/gtest.h>

#include "mdh/hl/evaluate.h"
#include "mdh/hl/print.h"
#include "mdh/loop/evaluate.h"
#include "mdh/passes/common/test_programs.h"
#include "mdh/passes/lower/lower.h"
#include "mdh/passes/plan/plan.h"

namespace mdh::passes::pipeline_test {
namespace {

struct Case {
  uint64_t seed;
  hl::Program program;
  ll::Config config;
  loop::Program structured;
  std::vector<scalar::Array> inputs;
};

Case random_case(uint64_t seed) {
  Random random(seed);
  const hl::Program program = random_computation(random);
  const machine::Machine& machine = random_machine(random);
  const ll::Config c = random_config(random, program, machine);
  return {seed, program, c, plan(lower(program, machine, c), machine),
          random_inputs(random, program)};
}

std::string describe(const Case& c, const std::string& stage) {
  return fmt::format("seed {}, {}\n{}{}", c.seed, stage, hl::print(c.program), ll::print(c.config));
}

const std::vector<Teams> both = {Teams::one, Teams::nested};

/// Calls `check` with the structured program and with what every pass makes of it.
template <class Check>
void at_every_stage(const Case& c, Check check) {
  for (const Teams teams : both) {
    check(c.structured, describe(c, "plan"));
    loop::Program p = c.structured;
    for (const Pass& pass : pipeline(teams)) {
      p = pass.run(p);
      check(p, describe(c, pass.name));
    }
  }
}

/// Between the passes that deal to teams and the one that puts barriers there are none yet.
template <class Check>
void at_every_stage_without_races(const Case& c, Check check) {
  bool racy = false;
  at_every_stage(c, [&](const loop::Program& p, const std::string& where) {
    racy = racy || where.find("form-") != std::string::npos;
    racy = racy && where.find(", barriers\n") == std::string::npos;
    if (!racy) check(p, where);
  });
}

constexpr uint64_t cases = 200;

std::vector<std::string> names_of(Teams teams) {
  std::vector<std::string> names;
  for (const Pass& pass : pipeline(teams)) {
    names.push_back(pass.name);
    EXPECT_FALSE(pass.summary.empty()) << pass.name;
  }
  return names;
}

TEST(Pipeline, passes_stand_in_the_table_in_their_order) {
  EXPECT_EQ(names_of(Teams::one),
            (std::vector<std::string>{
                "forward",       "roll",       "stagger",      "interchange", "pad",
                "hold-back",     "form-teams", "place-copies", "scans",       "first-write",
                "borders",       "barriers",   "whole-rounds", "peel",        "unswitch",
                "copy-bounds",   "settle",     "two-bodies",   "settle",      "last-rounds",
                "settle",        "unroll-jam", "vectorise",    "emit-order",  "transpose-copies",
                "stream-stores", "hide-tiles", "widen",        "swizzle",     "hoist",
                "simplify",      "keep-values"}));
  EXPECT_EQ(names_of(Teams::nested), (std::vector<std::string>{"forward",       "roll",
                                                               "stagger",       "interchange",
                                                               "pad",           "hold-back",
                                                               "form-grid",     "form-groups",
                                                               "place-copies",  "scans",
                                                               "first-write",   "borders",
                                                               "barriers",      "whole-rounds",
                                                               "peel",          "unswitch",
                                                               "copy-bounds",   "settle",
                                                               "two-bodies",    "settle",
                                                               "last-rounds",   "settle",
                                                               "unroll-jam",    "vectorise",
                                                               "emit-order",    "transpose-copies",
                                                               "stream-stores", "hide-tiles",
                                                               "widen",         "swizzle",
                                                               "hoist",         "simplify",
                                                               "keep-values"}));
}

TEST(Pipeline, every_row_says_why_it_stands_there) {
  for (const Teams teams : both) {
    for (const Pass& pass : pipeline(teams)) {
      EXPECT_FALSE(pass.why.empty()) << pass.name;
      // 'mdh dev' puts it behind the names, in a line of at most 120 characters.
      EXPECT_LE(pass.why.size(), 98u) << pass.name;
    }
  }
}

TEST(Pipeline, one_team_is_what_is_meant_if_nothing_is_said) {
  EXPECT_EQ(&pipeline(), &pipeline(Teams::one));
}

TEST(Pipeline, every_pass_keeps_the_meaning) {
  for (uint64_t seed = 1; seed <= cases; ++seed) {
    const Case c = random_case(seed);
    const std::vector<scalar::Array> expected = hl::evaluate(c.program, c.inputs);
    at_every_stage_without_races(c, [&](const loop::Program& p, const std::string& where) {
      loop::verify(p);
      ASSERT_EQ(loop::evaluate(p, c.inputs, seed), expected) << where;
    });
  }
}

TEST(Pipeline, every_point_contributes_once_at_every_stage) {
  for (uint64_t seed = 1; seed <= cases; ++seed) {
    const Case c = random_case(seed);
    const int components = static_cast<int>(hl::components(c.program.outputs).size());
    at_every_stage_without_races(c, [&](const loop::Program& p, const std::string& where) {
      scalar::ProvenanceAlgebra algebra(hl::sizes(c.program), components);
      int64_t points = 0;
      for (const scalar::Array& output : loop::evaluate(p, c.inputs, algebra, seed)) {
        for (int64_t n = 0; n < output.size(); ++n) {
          if (output.defined[n] == 0) continue;
          const std::vector<int64_t>& behind = algebra.points(output.cells[n]);
          ASSERT_EQ(std::adjacent_find(behind.begin(), behind.end()), behind.end()) << where;
          points += static_cast<int64_t>(behind.size());
        }
      }
      ASSERT_EQ(points, components * hl::points(c.program)) << where;
    });
  }
}

TEST(Pipeline, every_stage_is_printed_and_read_back) {
  for (uint64_t seed = 1; seed <= cases; ++seed) {
    at_every_stage(random_case(seed), [&](const loop::Program& p, const std::string& where) {
      ASSERT_EQ(loop::parse(loop::print(p)), p) << where << loop::print(p);
    });
  }
}

TEST(Pipeline, the_result_is_concrete_and_the_observer_sees_every_pass) {
  const Case c = random_case(7);
  for (const Teams teams : both) {
    std::vector<std::string> names;
    loop::Program last = c.structured;
    const loop::Program result =
        run_pipeline(c.structured, {.teams = teams}, [&](const Pass& pass, const loop::Program& p) {
          EXPECT_EQ(p, pass.run(last)) << pass.name;
          names.push_back(pass.name);
          last = p;
        });
    EXPECT_EQ(names, names_of(teams));
    EXPECT_EQ(result, last);
    EXPECT_TRUE(loop::is_concrete(result));
  }
}

TEST(Pipeline, facts_of_the_target_reach_the_passes) {
  const loop::Program p = matvec_with(R"(
    loop p {
      alloc row;
      copy (a < 10) row[a] = M[p, a] within () team () ahead p by 1;
      loop q { accumulate (w[i]) first (q) from (row[q], v[k]); }
    })",
                                      {{}, "buffer temporary row: i64[10] in L1 of core per ()\n"});
  const auto prefetches = [&](const TargetFacts& facts) {
    const std::string text = loop::print(run_pipeline(p, facts));
    int count = 0;
    for (size_t at = text.find("prefetch "); at != std::string::npos; ++count) {
      at = text.find("prefetch ", at + 1);
    }
    return count;
  };
  for (const Teams teams : both) {
    EXPECT_EQ(prefetches({.teams = teams}), 2);
    EXPECT_EQ(prefetches({.teams = teams, .line_bytes = 32}), 3);
    EXPECT_EQ(prefetches({.teams = teams, .line_bytes = 128}), 1);
  }
}

TEST(Pipeline, a_pass_that_breaks_the_program_is_named) {
  // Two accumulations in one block would name the same point twice; no plan has that.
  const loop::Program p = matvec_with(R"(
    loop p { loop q {
      accumulate (w[i]) first (q) from (M[i, k], v[k]);
      accumulate (w[i]) first () from (M[i, k], v[k]);
    } })");
  for (const Teams teams : both) {
    const Diagnostic d = diagnostic_of([&] { run_pipeline(p, {.teams = teams}); });
    EXPECT_EQ(d.kind, DiagnosticKind::internal);
    EXPECT_EQ(d.message.substr(0, d.message.rfind(" (")), "variable 'i' hides another one");
    EXPECT_EQ(d.notes.back(), "after pass first-write");
  }
}

TEST(Pipeline, every_property_is_given_once_and_needed) {
  for (const Teams teams : both) {
    std::set<Property> given, needed;
    for (const Pass& pass : pipeline(teams)) {
      for (const Property p : pass.needs) EXPECT_TRUE(given.contains(p)) << pass.name;
      for (const Property p : pass.gives) EXPECT_TRUE(given.insert(p).second) << pass.name;
      needed.insert(pass.needs.begin(), pass.needs.end());
    }
    EXPECT_EQ(given, needed);
    EXPECT_EQ(given, properties_of(matvec_with("")));
  }
}

TEST(Properties, say_what_is_left_of_structure) {
  const auto lacks = [](const std::string& body, const More& more = {}) {
    std::string names;
    const std::set<Property> all = properties_of(matvec_with(""));
    const std::set<Property> holds = properties_of(matvec_with(body, more));
    for (const Property p : all) names += holds.contains(p) ? "" : to_string(p) + " ";
    return names;
  };
  EXPECT_EQ(lacks("deal cores () { for L1.k s < 3 sequential { load m = v[s]; } }"), "");
  EXPECT_EQ(lacks("loop p { }"), "counted ");
  EXPECT_EQ(lacks("loop p { loop q { accumulate (w[i]) first (q) from (M[i, k], v[k]); } }"),
            "accumulated counted ");
  const More tile{{}, "buffer temporary row: i64[10] in L1 of core per ()\n"};
  EXPECT_EQ(lacks("copy (a < 10) row[a] = v[a] within () team ();", tile), "copied ");
  EXPECT_EQ(lacks("loop c { copy (a < 10) row[a] = v[a] within () team (c); }", tile),
            "dealt copied counted ");
  EXPECT_EQ(
      lacks("loop p { copy (a < 4) row[a] = v[p + a] within () team () roll p along a by 1; }",
            tile),
      "rolled copied counted ");
  const More deep{{}, "buffer temporary row: i64[10] in L1 of core per () depth 2\n"};
  EXPECT_EQ(lacks("", deep), "staggered ");
}

TEST(Pipeline, a_broken_program_is_not_blamed_on_a_pass) {
  loop::Program p = matvec_with("");
  p.body.push_back(loop::StmtNode{loop::Load{loop::named("a"), {loop::named("M"), {}}}});
  const Diagnostic d = diagnostic_of([&] { run_pipeline(p); });
  EXPECT_EQ(d.message.substr(0, d.message.rfind(" (")), "M[] does not have the rank of its buffer");
  for (const std::string& note : d.notes) EXPECT_EQ(note.find("after pass"), std::string::npos);
}

/// The tile of a part that holds no points has elements all the same: its copy is issued and lands.
TEST(Pipeline, copies_of_empty_parts_land) {
  const hl::Program program = computation(
      "halo = out_view( y: i64 = [i] ) * md_hom( i: 5 by cc ) { y = x.1 - x.2; }"
      " * inp_view( x: i64 = [i], [i + 4] )");
  const machine::Machine& machine = machine::find_machine("artificial");
  Random random(1);
  const std::vector<scalar::Array> inputs = random_inputs(random, program);
  for (const int depth : {1, 2, 3, 6}) {
    const ll::Config c = config(fmt::format(R"("layers": ["HM", "L1"],
      "split": {{"i": ["HM 4", "L1 2"]}}, "order": ["HM.i", "L1.i"],
      "stage": {{"x": [{{"from": "L1.i", "region": "L1"}}]}},
      "code": {{"stage": {{"x": [{{"transport": "async", "depth": {}}}]}}}})",
                                            depth));
    const loop::Program planned = plan(lower(program, machine, c), machine);
    for (const Teams teams : both) {
      const loop::Program loops = run_pipeline(planned, {.teams = teams});
      EXPECT_NE(loop::print(loops).find("async x_l1["), std::string::npos);
      EXPECT_EQ(loop::evaluate(loops, inputs), hl::evaluate(program, inputs)) << loop::print(loops);
    }
  }
}

}  // namespace
}  // namespace mdh::passes::pipeline_test
