// Every valid configuration computes the same function, at the low level: all programs, all
// machines, phases with orders, assignments, regions and layouts of their own.
#include <gtest/gtest.h>

#include "examples/catalogue.h"
#include "mdh/driver/data.h"
#include "mdh/driver/verification.h"
#include "mdh/hl/evaluate.h"
#include "mdh/hl/print.h"
#include "mdh/ll/evaluate.h"
#include "mdh/ll/footprint.h"
#include "mdh/ll/parameters.h"
#include "mdh/ll/parse.h"
#include "mdh/ll/print.h"
#include "mdh/ll/table.h"
#include "mdh/passes/lower/lower.h"
#include "tests/property/low_level_generator.h"
#include "tests/property/properties.h"
#include "tests/property/triples.h"

namespace mdh::test::low_level_test {
namespace {

using scalar::Array;

void expect_texts_round_trip(const Triple& t, const ll::Program& low) {
  ASSERT_EQ(ll::parse(ll::print(low)), low);
  ASSERT_EQ(ll::parse_config(ll::print(t.config)), t.config);
  const hl::Program& p = low.computation;
  const ll::Parameters parameters = ll::parameters_of(t.config, p, t.machine);
  const ll::Config read = ll::parse_table(ll::print_table(t.config, p, t.machine), p, t.machine);
  ASSERT_EQ(ll::parameters_of(read, p, t.machine), parameters);
}

struct Seen {
  int unfused = 0, staged = 0, digits = 0, scans = 0, padded = 0, fused_dimensions = 0;
};

void count(const Triple& t, const ll::Program& low, Seen& seen) {
  seen.unfused += ll::common_prefix(low) < static_cast<int>(low.decompose.size()) ? 1 : 0;
  seen.staged += !t.config.stage.empty() || !t.config.acc.empty() ? 1 : 0;
  bool digits = false;
  for (const auto& [buffer, list] : t.config.stage) {
    for (const ll::Relocation& one : list) {
      for (const ll::LayoutAxis& axis : one.layout) digits |= !axis.layer.empty();
    }
  }
  seen.digits += digits ? 1 : 0;
  bool scans = false;
  for (const hl::Dimension& d : t.program.dimensions) {
    scans |= d.combine.shape == hl::Shape::scan;
  }
  seen.scans += scans ? 1 : 0;
  int64_t parts = 1;
  for (const ll::TaggedOperator& op : low.decompose) parts *= op.parts;
  seen.padded += parts > hl::points(t.program) ? 1 : 0;
  seen.fused_dimensions += t.config.fuse.empty() ? 0 : 1;
}

void expect_right(const Triple& t, uint64_t seed, Seen& seen) {
  const ll::Program low = passes::lower(t.program, t.machine, t.config);
  expect_texts_round_trip(t, low);
  const ll::Footprint counts = ll::footprint(low, t.machine);
  if (!counts.levels.empty()) {
    ASSERT_EQ(counts.levels.back().iterations.number(), hl::points(t.program));
  }
  const std::vector<Array> inputs = driver::random_inputs(t.program, seed);
  const std::vector<Array> fused = reshaped(inputs, low.computation, low.computation.inputs);
  const std::vector<Array> outputs =
      reshaped(ll::evaluate(low, fused), t.program, t.program.outputs);
  expect_same(t.program, inputs, outputs);
  expect_same_provenance(low.computation, fused, [&](const auto& given, auto& algebra) {
    return ll::evaluate(low, given, algebra);
  });
  count(t, low, seen);
}

/// Four tests, so that several cores can share the work.
void run_share(int share) {
  Seen seen;
  const int cases = case_count(7000);
  for (int n = share; n < cases; n += 4) {
    const Triple t = make_triple(static_cast<uint64_t>(n) + 1);
    SCOPED_TRACE(fmt::format("seed {}\n{}{}", n + 1, hl::print(t.program), ll::print(t.config)));
    ASSERT_NO_THROW(expect_right(t, static_cast<uint64_t>(n) + 1, seen));
    if (testing::Test::HasFatalFailure()) return;
  }
  // The generator reaches what is hard.
  const int share_of_cases = cases / 4;
  EXPECT_GE(seen.unfused, share_of_cases / 6);
  EXPECT_GE(seen.staged, share_of_cases / 4);
  EXPECT_GE(seen.digits, share_of_cases / 60);
  EXPECT_GE(seen.scans, share_of_cases / 60);
  EXPECT_GE(seen.padded, share_of_cases / 6);
  EXPECT_GE(seen.fused_dimensions, share_of_cases / 400);
}

TEST(LowLevel, every_valid_configuration_computes_the_same_function_1) { run_share(0); }
TEST(LowLevel, every_valid_configuration_computes_the_same_function_2) { run_share(1); }
TEST(LowLevel, every_valid_configuration_computes_the_same_function_3) { run_share(2); }
TEST(LowLevel, every_valid_configuration_computes_the_same_function_4) { run_share(3); }

/// All orders of re-composition and de-composition for few levels.
TEST(LowLevel, all_orders_of_few_levels_compute_the_same_function) {
  Random random(7);
  for (const char* name : {"scan", "mbbs", "dot", "matvec"}) {
    const examples::Entry& entry = *examples::find_entry(name);
    const size_t dimensions = entry.generic().dimensions.size();
    const hl::Program p = entry.build({scalar::Scalar::i32, std::vector<int64_t>(dimensions, 5)});
    const machine::Machine& machine = machine::find_machine("openmp");
    ll::Config config{.machine = "openmp", .layers = {"MM", "COR", "L1"}};
    for (const hl::Dimension& d : p.dimensions) {
      const std::string& dimension = d.symbol.name;
      config.split[dimension] = dimensions == 1
                                    ? std::vector<ll::Digit>{{"MM", 2}, {"COR", 2}, {"L1", 2}}
                                    : std::vector<ll::Digit>{{"MM", 3}, {"L1", 2}};
      for (const ll::Digit& digit : config.split[dimension]) {
        config.order.push_back({digit.layer, dimension});
      }
    }
    std::sort(config.order.begin(), config.order.end());
    const std::vector<Array> inputs = driver::random_inputs(p, 3);
    ll::Config shuffled = config;
    do {
      shuffled.order = config.order;
      random.shuffle(shuffled.order);
      shuffled.phases["recomposition"].order = config.order;
      const ll::Program low = passes::lower(p, machine, shuffled);
      expect_same(p, inputs, ll::evaluate(low, inputs));
    } while (std::next_permutation(config.order.begin(), config.order.end()));
  }
}

}  // namespace
}  // namespace mdh::test::low_level_test
