// The search space of a program contains every configuration that is known to be fast, and valid
// ones only.
#include "mdh/search/search_space.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "examples/catalogue.h"
#include "mdh/driver/data.h"
#include "mdh/driver/stages.h"
#include "mdh/hl/analysis.h"
#include "mdh/hl/instantiate.h"
#include "mdh/ll/print.h"
#include "mdh/ll/staging.h"
#include "mdh/loop/evaluate.h"
#include "mdh/passes/lower/lower.h"
#include "mdh/scalar/resolve.h"
#include "mdh/support/files.h"
#include "tests/property/triples.h"

namespace mdh::spaces_test {
namespace {

struct Known {
  ll::Config config;
  hl::Program program;
  machine::Machine machine;
};

Known known(const std::filesystem::path& file) {
  const ll::Config config = ll::parse_config(read_file(file), file.filename().string());
  const examples::Entry* entry = examples::find_entry(config.program);
  internal_check(entry != nullptr, "{}: no program '{}'", file.string(), config.program);
  hl::Bindings bindings{.sizes = config.sizes};
  for (const auto& [name, type] : config.types) {
    bindings.types[name] = scalar_of(scalar::resolve_type(type, {}, {}));
  }
  return {config, hl::instantiate(entry->generic(), bindings),
          machine::find_machine(config.machine)};
}

std::vector<std::filesystem::path> files_in(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  const auto root = std::filesystem::path(MDH_SOURCE_DIR) / folder;
  for (const auto& entry : std::filesystem::directory_iterator(root)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// Digits of one part, names that only inform, and axes that can be written in two ways do not
/// make a difference.
ll::Config normal(ll::Config result) {
  result.program.clear();
  result.machine.clear();
  result.sizes.clear();
  result.types.clear();
  result.layers.clear();
  for (auto& [dimension, digits] : result.split) {
    std::erase_if(digits, [](const ll::Digit& d) { return d.parts == 1; });
  }
  std::erase_if(result.split, [](const auto& entry) { return entry.second.empty(); });
  std::erase_if(result.order, [&](const ll::LevelName& level) {
    const auto& digits = result.split[level.dimension];
    return std::none_of(digits.begin(), digits.end(),
                        [&](const ll::Digit& d) { return d.layer == level.layer; });
  });
  std::erase_if(result.split, [](const auto& entry) { return entry.second.empty(); });
  return result;
}

/// The low-level programs are the same: layouts may be spelled in several ways.
std::string low_level(const Known& k, const ll::Config& config) {
  ll::Config same = config;
  same.layers = k.config.layers;
  return ll::print(passes::lower(k.program, k.machine, same));
}

class KnownConfigs : public testing::TestWithParam<const char*> {};

/// What happens anyway, or nowhere, is not tried.
void leave_out_what_decides_nothing(const machine::Machine& machine, ll::Config& config) {
  for (auto& [buffer, places] : config.acc) {
    std::erase_if(places, [&](const ll::Relocation& r) {
      const machine::Region* region = machine.find_region(r.region);
      return region && !region->is_explicit && !ll::is_register(machine, r.region);
    });
  }
  std::erase_if(config.acc, [](const auto& entry) { return entry.second.empty(); });
  ll::Code& code = config.code;
  for (auto& [buffer, tiles] : code.stage) {
    for (ll::StageCode& tile : tiles) tile.width = tile.width < 16 ? tile.width : 0;
  }
  std::erase_if(code.edge, [](const auto& entry) {
    return entry.second == ll::Edge::pad || entry.second == ll::Edge::overlap;
  });
  std::erase_if(code.combine,
                [](const auto& entry) { return entry.second != ll::Combination::team_tree; });
}

TEST_P(KnownConfigs, are_members) {
  for (const auto& file : files_in(GetParam())) {
    SCOPED_TRACE(file.filename().string());
    Known k = known(file);
    leave_out_what_decides_nothing(k.machine, k.config);
    search::SpaceOptions options = {.cores = k.machine.name == "gpu" ? 132 : 2};
    options.obeys.transport = options.obeys.width = true;
    const search::SearchSpace space(k.program, k.machine, options);
    const auto point = space.point(k.config);
    EXPECT_TRUE(point.has_value());
    if (!point) continue;
    const ll::Config again = space.config(*point);
    EXPECT_TRUE(space.contains(*point));
    EXPECT_EQ(normal(again).split, normal(k.config).split);
    EXPECT_EQ(normal(again).order, normal(k.config).order);
    EXPECT_EQ(low_level(k, again), low_level(k, k.config));
    EXPECT_EQ(again.code, k.config.code);
  }
}

INSTANTIATE_TEST_SUITE_P(Tuning, KnownConfigs,
                         testing::Values("tests/golden/configs/cpu", "tests/golden/configs/gpu"));

TEST(SearchSpace, has_a_valid_point_near_every_configuration_of_the_benchmarks) {
  for (const auto& file : files_in("bench/configs/neon")) {
    const Known k = known(file);
    const search::SearchSpace space(k.program, k.machine, {.cores = 2});
    EXPECT_TRUE(space.nearest_to(k.config).has_value()) << file;
  }
}

hl::Program program_of(const char* name, std::map<std::string, int64_t> sizes) {
  return hl::instantiate(examples::find_entry(name)->generic(), {.sizes = std::move(sizes)});
}

struct Case {
  const char* program;
  std::map<std::string, int64_t> sizes;
  const char* machine;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"matmul", {{"I", 37}, {"J", 127}, {"K", 64}}, "cpu"},
      {"matvec", {{"I", 1}, {"K", 4093}}, "cpu"},
      {"conv2d", {{"P", 33}, {"Q", 17}, {"R", 3}, {"S", 3}}, "cpu"},
      {"scan", {{"N", 1000}}, "cpu"},
      {"histo", {{"E", 1000}, {"B", 10}}, "cpu"},
      {"matmul", {{"I", 64}, {"J", 64}, {"K", 64}}, "gpu"},
      {"matmul", {{"I", 1024}, {"J", 1024}, {"K", 1024}}, "gpu"},
      {"dot", {{"K", 100000}}, "gpu"},
      {"scan", {{"N", 100000}}, "gpu"},
      {"jacobi3d", {{"I1", 256}, {"I2", 256}, {"I3", 256}}, "gpu"},
  };
  return all;
}

TEST(SearchSpace, samples_and_changes_are_valid_and_few_points_are_refused) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.program);
    const hl::Program program = program_of(c.program, c.sizes);
    const machine::Machine& machine = machine::find_machine(c.machine);
    const search::SearchSpace space(program, machine, {.cores = 4});
    Random random(7);
    int refused = 0;
    for (int n = 0; n < 40; ++n) {
      refused += space.is_valid(space.parameters().sample(random)) ? 0 : 1;
      const tune::Point point = space.mutate(space.sample(random), random);
      EXPECT_NO_THROW(passes::lower(program, machine, space.config(point)));
      EXPECT_EQ(space.point(space.config(point)).has_value(), true) << point.key();
    }
    EXPECT_LE(refused, std::string(c.machine) == "gpu" ? 16 : 10);
  }
}

TEST(SearchSpace, results_of_a_tile_fit_the_registers) {
  const hl::Program program = program_of("matmul", {{"I", 512}, {"J", 512}, {"K", 512}});
  const search::SearchSpace space(program, machine::find_machine("cpu"),
                                  {.cores = 2, .vectors = {.bytes = 16, .registers = 32}});
  Random random(5);
  int64_t largest = 0;
  for (int n = 0; n < 200; ++n) {
    const tune::Point p = space.parameters().sample(random);
    const int64_t lanes = p.integer("SIMD.i") * p.integer("SIMD.j") * p.integer("SIMD.k");
    const int64_t vectors = std::max<int64_t>(1, lanes / 4);
    const int64_t results = p.integer("REG.i") * p.integer("REG.j") * vectors;
    EXPECT_LE(results, 32) << p.key();
    EXPECT_LE(results * p.integer("REG.k"), 400) << p.key();
    largest = std::max(largest, results);
  }
  EXPECT_GE(largest, 28) << "all of them are used";
}

TEST(SearchSpace, tiles_whose_results_are_stored_one_by_one_are_small) {
  const hl::Program program = program_of("matmul", {{"I", 512}, {"J", 512}, {"K", 512}});
  const search::SearchSpace space(program, machine::find_machine("cpu"),
                                  {.cores = 2, .vectors = {.bytes = 16, .registers = 32}});
  Random random(5);
  int across = 0;
  for (int n = 0; n < 200; ++n) {
    const tune::Point p = space.parameters().sample(random);
    const int64_t lanes = p.integer("SIMD.i");  // C is [i, j]
    if (lanes == 1) continue;
    ++across;
    const int64_t tile = p.integer("REG.i") * p.integer("REG.j") * p.integer("REG.k");
    EXPECT_LE(tile * (std::max<int64_t>(1, lanes / 4) + lanes), 400) << p.key();
  }
  EXPECT_GT(across, 20);
}

/// Where a tile divides the dimension there is no edge to decide about; elsewhere it is as locked.
TEST(SearchSpace, a_lock_holds_wherever_there_is_something_to_decide) {
  const hl::Program program = program_of("matmul", {{"I", 61}, {"J", 61}, {"K", 61}});
  const search::SearchSpace space(program, machine::find_machine("cpu"),
                                  {.cores = 2,
                                   .obeys = {.team_tree = true},
                                   .locks = {"edge.i=clamp", "combine.COR=team_tree"}});
  Random random(3);
  int clamped = 0, in_steps = 0;
  for (int n = 0; n < 60; ++n) {
    const ll::Config config = space.config(space.sample(random));
    const auto edge = config.code.edge.find("i");
    if (edge != config.code.edge.end()) {
      EXPECT_EQ(edge->second, ll::Edge::clamp);
      ++clamped;
    }
    in_steps += config.code.combine.empty() ? 0 : 1;
  }
  EXPECT_GT(clamped, 10);
  EXPECT_GT(in_steps, 3);
}

TEST(SearchSpace, what_is_locked_is_in_every_configuration) {
  const hl::Program program = program_of("matmul", {{"I", 64}, {"J", 64}, {"K", 64}});
  const search::SearchSpace space(
      program, machine::find_machine("cpu"),
      {.cores = 2, .locks = {"split.j=COR 2, L1 4, REG 2, SIMD 4", "emit=serpentine"}});
  Random random(3);
  for (int n = 0; n < 20; ++n) {
    const ll::Config config = space.config(space.sample(random));
    EXPECT_EQ(config.code.kernel.emit, "serpentine");
    int64_t parts = 1;
    for (const ll::Digit& d : config.split.at("j")) {
      parts *= d.parts;
      EXPECT_TRUE(d.layer != "REG" || d.parts == 2);
    }
    EXPECT_EQ(parts, 64);
  }
}

/// The heart of it all, on configurations of the kind that a search tries: sizes are small and odd,
/// so that every tile has an edge.
TEST(SearchSpace, every_configuration_computes_the_program) {
  const std::vector<Case> small = {
      {"matmul", {{"I", 7}, {"J", 13}, {"K", 5}}, "cpu"},
      {"matvec", {{"I", 9}, {"K", 31}}, "cpu"},
      {"conv2d", {{"P", 6}, {"Q", 17}, {"R", 3}, {"S", 2}}, "cpu"},
      {"jacobi3d", {{"I1", 3}, {"I2", 4}, {"I3", 23}}, "cpu"},
      {"bmatmul", {{"NB", 2}, {"I", 3}, {"J", 11}, {"K", 4}}, "cpu"},
      {"histo", {{"E", 19}, {"B", 6}}, "cpu"},
      {"dot", {{"K", 45}}, "cpu"},
  };
  const char* wished = std::getenv("MDH_CASES");
  const int samples = wished ? std::atoi(wished) : 12;
  for (const Case& c : small) {
    const hl::Program program = program_of(c.program, c.sizes);
    const machine::Machine& machine = machine::find_machine(c.machine);
    const search::SearchSpace space(program, machine, {.cores = 2});
    const std::vector<scalar::Array> inputs = driver::random_inputs(program, 3);
    Random random(11);
    for (int n = 0; n < samples; ++n) {
      const ll::Config config = space.config(space.sample(random));
      SCOPED_TRACE(std::string(c.program) + " " + ll::print(config));
      const driver::Stages stages =
          driver::lower_all(program, machine, config, driver::find_target("openmp"), "kernel");
      const auto fused =
          test::reshaped(inputs, stages.low.computation, stages.low.computation.inputs);
      const auto outputs = loop::evaluate(stages.concrete, fused);
      test::expect_same(program, inputs, test::reshaped(outputs, program, program.outputs));
      if (testing::Test::HasFailure()) return;
    }
  }
}

void expect_lock_error(const std::string& lock, const std::string& code, const std::string& text) {
  const hl::Program program = program_of("matmul", {{"I", 8}, {"J", 8}, {"K", 8}});
  try {
    const search::SearchSpace space(program, machine::find_machine("cpu"), {.locks = {lock}});
    FAIL() << lock;
  } catch (const Error& e) {
    EXPECT_EQ(e.diagnostic().code, code) << e.what();
    EXPECT_NE(e.diagnostic().message.find(text), std::string::npos) << e.what();
  }
}

TEST(SearchSpace, locks_that_mean_nothing_are_refused) {
  expect_lock_error("split.x=COR 2", "E882", "there is no dimension 'x'");
  expect_lock_error("split.i=GPU 2", "E882", "layer 'GPU' is not searched");
  expect_lock_error("split.i=COR two", "E882", "'two' is no number of parts");
  expect_lock_error("edge.i=sharp", "E882", "it is one of auto, clamp, pad, mask, overlap");
  expect_lock_error("order", "E882", "there is no '='");
  expect_lock_error("colour=red", "E882", "there is no parameter 'colour'");
  expect_lock_error("split.i=REG 25", "E881", "no configuration has all that is locked");
}

/// What random points of a space have: orders of significance, phases with an order of their own,
/// copies that begin inside of loops.
struct Drawn {
  std::set<std::string> significance, phases;
  int inside = 0;
};

Drawn drawn_with(const search::Restrictions& restricted) {
  const hl::Program program = program_of("matmul", {{"I", 64}, {"J", 64}, {"K", 64}});
  const search::SearchSpace space(program, machine::find_machine("gpu"),
                                  {.cores = 4, .restricted = restricted});
  Drawn drawn;
  Random random(5);
  for (int n = 0; n < 100; ++n) {
    const tune::Point point = space.parameters().sample(random);
    drawn.significance.insert(point.label("layers"));
    for (const auto& [name, phase] : space.config(point).phases) drawn.phases.insert(name);
    for (const char* buffer : {"pack.A", "pack.B", "registers.A", "registers.B"}) {
      const std::string& place = point.label(buffer);
      drawn.inside += place != "none" && !place.ends_with("+0") ? 1 : 0;
    }
  }
  return drawn;
}

TEST(SearchSpace, restrictions_of_the_paper_are_switches_of_their_own) {
  const Drawn free = drawn_with({});
  EXPECT_EQ(free.significance.size(), 6U);
  EXPECT_EQ(free.phases, (std::set<std::string>{"decomposition", "recomposition"}));
  EXPECT_GT(free.inside, 5);
  const Drawn same_phases = drawn_with({.phases = true});
  EXPECT_TRUE(same_phases.phases.empty());
  EXPECT_EQ(same_phases.significance.size(), 6U);
  EXPECT_GT(same_phases.inside, 5);
  const Drawn two_orders = drawn_with({.parallelism = true});
  EXPECT_EQ(two_orders.significance.size(), 2U);
  EXPECT_FALSE(two_orders.phases.empty());
  EXPECT_GT(two_orders.inside, 5);
  const Drawn whole_tiles = drawn_with({.tiles = true});
  EXPECT_EQ(whole_tiles.inside, 0);
  EXPECT_EQ(whole_tiles.significance.size(), 6U);
  EXPECT_FALSE(whole_tiles.phases.empty());
}

TEST(SearchSpace, restrictions_have_names) {
  EXPECT_EQ(search::restrictions_from("all"), search::all_restrictions);
  EXPECT_EQ(search::restrictions_from("tiles,phases"),
            (search::Restrictions{.phases = true, .tiles = true}));
  EXPECT_EQ(to_string(search::restrictions_from("tiles,phases")), "phases,tiles");
  for (const char* wrong : {"", "tile", "tiles,,phases"}) {
    try {
      search::restrictions_from(wrong);
      FAIL() << wrong;
    } catch (const Error& e) {
      EXPECT_EQ(e.diagnostic().code, "E885") << e.what();
    }
  }
}

TEST(SearchSpace, restrictions_of_the_paper_leave_two_orders_and_whole_tiles) {
  const hl::Program program = program_of("matmul", {{"I", 64}, {"J", 64}, {"K", 64}});
  const search::SearchSpace space(program, machine::find_machine("gpu"),
                                  {.cores = 4, .restricted = search::all_restrictions});
  std::set<std::string> orders;
  Random random(5);
  for (int n = 0; n < 60; ++n) {
    const tune::Point point = space.parameters().sample(random);
    orders.insert(point.label("layers"));
    for (const char* buffer : {"pack.A", "pack.B"}) {
      const std::string& place = point.label(buffer);
      EXPECT_TRUE(place == "none" || place.ends_with("+0")) << place;
    }
  }
  EXPECT_EQ(orders.size(), 2U);
}

}  // namespace
}  // namespace mdh::spaces_test
