// Every valid configuration computes the same function, as loops: planned, and after every pass,
// for one team of cores and for a grid of teams.
#include <gtest/gtest.h>

#include <array>

#include "mdh/driver/data.h"
#include "mdh/hl/analysis.h"
#include "mdh/hl/print.h"
#include "mdh/ll/footprint.h"
#include "mdh/loop/evaluate.h"
#include "mdh/loop/parse.h"
#include "mdh/loop/print.h"
#include "mdh/loop/verify.h"
#include "mdh/passes/lower/lower.h"
#include "mdh/passes/pipeline.h"
#include "mdh/passes/plan/plan.h"
#include "tests/property/low_level_generator.h"
#include "tests/property/properties.h"
#include "tests/property/triples.h"

namespace mdh::test::loops_test {
namespace {

using scalar::Array;

/// Code is not made for these; they are refused with an error.
bool is_refused(const Triple& t) {
  for (const hl::BufferView& output : t.program.outputs) {
    if (!hl::is_injective(t.program, output)) return true;
  }
  return hl::has_custom_operator(t.program);
}

/// Tiles of any depth, padding and transport, whatever the configuration says.
ll::Program with_stages(ll::Program low, uint64_t seed) {
  Random random(seed);
  for (const hl::BufferView& input : low.computation.inputs) {
    std::vector<ll::StageCode>& stages = low.code.stage[input.symbol.name];
    stages.resize(4);
    for (ll::StageCode& stage : stages) {
      if (random.chance(40) && !stage.roll) stage.depth = random.between(1, 3);
      if (random.chance(20)) stage.pad = random.between(0, 2);
      if (stage.pad > 0) stage.line = random.between(1, 3);
      if (random.chance(20)) stage.swizzle = int64_t{1} << random.between(1, 4);
      if (random.chance(20)) stage.width = int64_t{4} << random.between(0, 2);
      if (random.chance(40)) stage.transport = ll::Transport::async;
      if (random.chance(20)) stage.transport = ll::Transport::registers;
    }
  }
  return low;
}

void expect_right_loops(const Triple& t, const ll::Program& low, const loop::Program& loops,
                        const std::vector<Array>& inputs, uint64_t seed) {
  SCOPED_TRACE(loop::print(loops));
  ASSERT_EQ(loop::parse(loop::print(loops)), loops);
  const std::vector<Array> fused = reshaped(inputs, low.computation, low.computation.inputs);
  expect_same(t.program, inputs,
              reshaped(loop::evaluate(loops, fused, seed), t.program, t.program.outputs));
  expect_same_provenance(low.computation, fused, [&](const auto& given, auto& algebra) {
    return loop::evaluate(loops, given, algebra, seed);
  });
}

/// What loops allocate is what the footprint counts, region by region.
void expect_counted(const Triple& t, const ll::Program& low, const loop::Program& planned) {
  const ll::Footprint counts = ll::footprint(low, t.machine);
  std::map<std::string, int64_t> counted, allocated;
  for (const ll::TileCount& tile : counts.tiles) {
    if (!tile.is_hint) counted[tile.place.region] += tile.bytes * tile.instances;
  }
  for (const ll::AccumulatorCount& acc : counts.accumulators) {
    counted[acc.place.region] += acc.bytes * acc.instances;
  }
  for (const loop::Buffer& b : planned.buffers) {
    if (b.role != loop::Role::temporary) continue;
    allocated[b.region] += loop::bytes_of(b) * loop::instances_of(planned, b);
  }
  ASSERT_EQ(allocated, counted) << ll::print(counts, low) << loop::print(planned);
}

/// With warps of several sizes: small ones, because programs are small.
std::vector<machine::TargetFacts> facts_for(uint64_t seed) {
  constexpr std::array<int64_t, 4> warps = {1, 2, 4, 32};
  return {{.teams = machine::Teams::one},
          {.teams = machine::Teams::nested,
           .access_bytes = seed % 3 == 0 ? 0 : 16,
           .lockstep = warps[seed / 4 % warps.size()],
           .exchanges = seed / 4 % 2 == 1,
           .knows_last = seed % 5 != 0,
           .atomics = seed % 11 != 0,
           .follows = seed % 7 != 0,
           .most_that_meet = seed % 6 == 1 ? 0 : 8}};
}

void expect_right(const Triple& t, uint64_t seed, int& with_warps) {
  const ll::Program lowered = passes::lower(t.program, t.machine, t.config);
  ll::Program low = with_stages(lowered, seed);
  // Tiles that are filled in another way may neither be padded nor shifted.
  if (low != lowered) {
    std::erase_if(low.code.edge, [](const auto& entry) {
      return entry.second == ll::Edge::pad || entry.second == ll::Edge::overlap;
    });
  }
  const std::vector<Array> inputs = driver::random_inputs(t.program, seed);
  const loop::Program planned = passes::plan(low, t.machine);
  expect_counted(t, low, planned);
  ASSERT_NO_THROW(expect_right_loops(t, low, planned, inputs, seed)) << loop::print(planned);
  for (const machine::TargetFacts& facts : facts_for(seed)) {
    loop::Program last = planned;
    std::string before;
    try {
      last = passes::run_pipeline(planned, facts, [&](const auto& pass, const auto& now) {
        before = pass.name;
        last = now;
        // Until cores are dealt to, and from the barriers on, programs can be run.
        const bool runs = pass.name == "interchange" || pass.name == "pad" ||
                          pass.name == "barriers" || pass.name == "settle";
        if (runs && seed % 4 == 0) expect_right_loops(t, low, now, inputs, seed);
      });
      expect_right_loops(t, low, last, inputs, seed);
      with_warps += last.warp > 1 ? 1 : 0;
    } catch (const Error& e) {
      FAIL() << e.diagnostic().message << "\nafter " << before << "\n" << loop::print(last);
    }
  }
}

void run_share(int share) {
  const int cases = case_count(2000);
  int done = 0, with_warps = 0;
  for (int n = share; n < cases; n += 4) {
    const uint64_t seed = static_cast<uint64_t>(n) + 1;
    const Triple t = make_triple(seed);
    if (is_refused(t)) continue;
    SCOPED_TRACE(fmt::format("seed {}\n{}{}", n + 1, hl::print(t.program), ll::print(t.config)));
    try {
      expect_right(t, seed, with_warps);
    } catch (const Error& e) {
      FAIL() << e.diagnostic().message;
    }
    if (testing::Test::HasFatalFailure()) return;
    ++done;
  }
  EXPECT_GE(done, cases / 6);
  EXPECT_GE(with_warps, cases / 400) << "programs in which a warp waits";
}

/// Records, functions of the user and locals of f are in the text, too.
TEST(Loops, every_program_of_the_catalogue_is_read_back) {
  const machine::Machine& machine = machine::find_machine("cpu");
  for (const examples::Entry& entry : examples::catalogue()) {
    SCOPED_TRACE(entry.name);
    Random random(1);
    const hl::Program program = catalogue_instance(entry, random);
    if (hl::has_custom_operator(program)) continue;
    const ll::Config config = ll::default_config(program, machine, 2);
    const loop::Program planned = passes::plan(passes::lower(program, machine, config), machine);
    EXPECT_EQ(loop::parse(loop::print(planned)), planned) << loop::print(planned);
    passes::run_pipeline(planned, {}, [](const auto& pass, const auto& now) {
      EXPECT_EQ(loop::parse(loop::print(now)), now) << pass.name << "\n" << loop::print(now);
    });
  }
}

TEST(Loops, first_quarter) { run_share(0); }
TEST(Loops, second_quarter) { run_share(1); }
TEST(Loops, third_quarter) { run_share(2); }
TEST(Loops, fourth_quarter) { run_share(3); }

}  // namespace
}  // namespace mdh::test::loops_test
