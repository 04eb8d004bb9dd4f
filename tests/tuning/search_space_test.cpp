// The search space of a program contains every configuration that is known to be fast, and valid
// ones only.
#include "mdh/driver/search_space.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "examples/catalogue.h"
#include "mdh/hl/analysis.h"
#include "mdh/hl/instantiate.h"
#include "mdh/ll/print.h"
#include "mdh/model/cost.h"
#include "mdh/driver/first_choice.h"
#include "mdh/driver/rates.h"
#include "mdh/passes/fuse.h"
#include "mdh/passes/lower.h"
#include "mdh/scalar/resolve.h"
#include "mdh/support/files.h"

namespace mdh::tuning_test {
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
ll::Config normal(const Known& k, ll::Config config) {
  ll::Config result = config;
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
  (void)k;
  return result;
}

/// The low-level programs are the same: layouts may be spelled in several ways.
std::string low_level(const Known& k, const ll::Config& config) {
  ll::Config same = config;
  same.layers = k.config.layers;
  return ll::print(passes::lower(k.program, k.machine, same));
}

class KnownConfigs : public testing::TestWithParam<const char*> {};

TEST_P(KnownConfigs, are_members) {
  for (const auto& file : files_in(GetParam())) {
    SCOPED_TRACE(file.filename().string());
    const Known k = known(file);
    const driver::SearchSpace space(k.program, k.machine,
                                    {.cores = k.machine.name == "gpu" ? 132 : 2});
    const auto point = space.point(k.config);
    EXPECT_TRUE(point.has_value());
    if (!point) continue;
    const ll::Config again = space.config(*point);
    EXPECT_TRUE(space.contains(*point));
    EXPECT_EQ(normal(k, again).split, normal(k, k.config).split);
    EXPECT_EQ(normal(k, again).order, normal(k, k.config).order);
    EXPECT_EQ(low_level(k, again), low_level(k, k.config));
    EXPECT_EQ(again.code, k.config.code);
  }
}

TEST(Lab, DISABLED_first_choice) {
  const char* out = std::getenv("OUT");
  for (const auto& file : files_in("bench/configs/neon")) {
    if (const char* only = std::getenv("ONLY"); only && file.stem().string() != only) continue;
    const Known k = known(file);
    const auto t0 = std::chrono::steady_clock::now();
    const driver::SearchSpace space(k.program, k.machine, {.cores = 2});
    const auto rates = driver::rates_of(k.machine, 2);
    const char* steps = std::getenv("STEPS");
    const auto best = driver::first_choice(space, k.machine, rates, {.steps = steps ? std::stoul(steps) : 3000});
    const auto t1 = std::chrono::steady_clock::now();
    const auto hand = model::estimate(model::shape_of(k.config.fuse.empty() ? k.program : passes::fuse(k.program, k.config.fuse)), k.machine, k.config, rates);
    std::printf("%-28s %.2f s  hand est %.1f us, found est %.1f us\n", file.stem().c_str(), std::chrono::duration<double>(t1 - t0).count(), hand.total() / 1e3, best.empty() ? -1.0 : best.front().cost / 1e3);
    std::fflush(stdout);
    if (out && !best.empty()) {
      ll::Config c = space.config(best.front().point);
      c.sizes = k.config.sizes; c.types = k.config.types;
      write_file(std::string(out) + "/" + file.filename().string(), ll::print(c));
      std::string buffers;
      for (const auto& v : k.program.outputs) buffers += (buffers.empty() ? "o" : ",o") + std::to_string(scalar::volume(hl::extents(k.program, v)) * bytes_of(v.type));
      for (const auto& v : k.program.inputs) buffers += ",i" + std::to_string(scalar::volume(hl::extents(k.program, v)) * bytes_of(v.type));
      write_file(std::string(out) + "/" + file.stem().string() + ".buf", buffers);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Tuning, KnownConfigs,
                         testing::Values("tests/golden/configs/cpu", "tests/golden/configs/gpu",
                                         "bench/configs/neon"));

}  // namespace
}  // namespace mdh::tuning_test
