// Configurations of the benchmarks for GPUs are points of the search space, and their points stand
// for the same code.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "examples/catalogue.h"
#include "mdh/driver/stages.h"
#include "mdh/hl/instantiate.h"
#include "mdh/scalar/resolve.h"
#include "mdh/search/search_space.h"
#include "mdh/support/diagnostic.h"
#include "mdh/support/files.h"

namespace mdh::spaces_test::stored_configs_test {
namespace {

namespace fs = std::filesystem;

struct Stored {
  fs::path file;
  ll::Config config;
  hl::Program program;
};

Stored stored_in(const fs::path& file) {
  const ll::Config config = ll::parse_config(read_file(file), file.filename().string());
  const examples::Entry* entry = examples::find_entry(config.program);
  internal_check(entry != nullptr, "{}: no program '{}'", file.string(), config.program);
  hl::Bindings bindings{.sizes = config.sizes};
  for (const auto& [name, type] : config.types) {
    bindings.types[name] = scalar_of(scalar::resolve_type(type, {}, {}));
  }
  return {file, config, hl::instantiate(entry->generic(), bindings)};
}

std::vector<fs::path> files_in(const std::string& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(fs::path(MDH_SOURCE_DIR) / folder)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// Source and launches.
std::string printed(const Stored& stored, const ll::Config& config, const driver::Target& target) {
  const auto& machine = machine::find_machine(stored.config.machine);
  const kernel::Module m =
      driver::lower_all(stored.program, machine, config, target, "kernel").module;
  std::string text = m.source;
  kernel::for_each_written_launch(m.steps, [&](const kernel::Launch& launch, size_t) {
    text += fmt::format("{} {}\n", fmt::join(launch.groups, " "), fmt::join(launch.items, " "));
  });
  return text;
}

struct Folder {
  const char* target;
  const char* path;
};

class StoredConfigs : public testing::TestWithParam<Folder> {};

TEST_P(StoredConfigs, are_points_that_stand_for_the_same_code) {
  const driver::Target& target = driver::find_target(GetParam().target);
  const std::vector<fs::path> files = files_in(GetParam().path);
  ASSERT_FALSE(files.empty());
  for (const fs::path& file : files) {
    SCOPED_TRACE(file.filename().string());
    const Stored stored = stored_in(file);
    const machine::Machine& machine = machine::find_machine(stored.config.machine);
    const search::SearchSpace space(stored.program, machine, {.cores = 132, .obeys = target.obeys});
    const auto point = space.point(stored.config);
    EXPECT_TRUE(point.has_value());
    if (!point) continue;
    EXPECT_TRUE(space.contains(*point));
    const auto nearest = space.nearest_to(stored.config);
    ASSERT_TRUE(nearest.has_value());
    EXPECT_EQ(nearest->key(), point->key()) << "a search that begins there begins elsewhere";
    const ll::Config again = space.config(*point);
    EXPECT_EQ(printed(stored, again, target), printed(stored, stored.config, target));
  }
}

INSTANTIATE_TEST_SUITE_P(Tuning, StoredConfigs,
                         testing::Values(Folder{"cuda", "bench/configs/sm_90"},
                                         Folder{"opencl", "bench/configs/sm_90/opencl"}),
                         [](const auto& row) { return std::string(row.param.target); });

}  // namespace
}  // namespace mdh::spaces_test::stored_configs_test
