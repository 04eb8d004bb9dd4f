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
#include "mdh/driver/rates.h"
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

TEST(SearchSpace, speed) {
  for (const char* f : {"bench/configs/neon/matmul_1024.json", "bench/configs/neon/mcc_512.json", "bench/configs/neon/ccsdt_gdab_efgc.json"}) {
    const Known k = known(std::filesystem::path(MDH_SOURCE_DIR) / f);
    const auto t0 = std::chrono::steady_clock::now();
    const driver::SearchSpace space(k.program, k.machine, {.cores = 2});
    const auto t1 = std::chrono::steady_clock::now();
    Random random(1);
    int valid = 0;
    std::map<std::string,int> why;
    std::vector<tune::Point> ps;
    for (int n = 0; n < 300; ++n) ps.push_back(space.parameters().sample(random));
    const auto t2 = std::chrono::steady_clock::now();
    for (const auto& p : ps) { try { passes::lower(k.program, k.machine, space.config(p)); ++valid; } catch (const Error& e) { why[e.diagnostic().code + " " + e.diagnostic().message.substr(0, 90)]++; } }
    const auto t3 = std::chrono::steady_clock::now();
    for (const auto& p : ps) space.config(p);
    const auto t4 = std::chrono::steady_clock::now();
    const auto shape = model::shape_of(k.program);
    const auto rates = driver::rates_of(k.machine, 2);
    double sum = 0;
    for (const auto& p : ps) { const auto c = space.config(p); sum += model::estimate(shape, k.machine, c, rates).total(); }
    const auto t5 = std::chrono::steady_clock::now();
    for (int n = 0; n < 20; ++n) space.parameters().neighbours(ps[n]);
    const auto t6 = std::chrono::steady_clock::now();
    for (int n = 0; n < 300; ++n) space.parameters().mutate(ps[n], random);
    const auto t7 = std::chrono::steady_clock::now();
    auto ms = [](auto a, auto b) { return std::chrono::duration<double, std::milli>(b - a).count(); };
    std::printf("%s build %.1f ms, sample %.3f, lower %.3f, config %.3f, estimate+config %.3f, neighbours %.2f mutate %.3f ms; valid %d/300\n", f, ms(t0,t1), ms(t1,t2)/300, ms(t2,t3)/300, ms(t3,t4)/300, ms(t4,t5)/300, ms(t5,t6)/20, ms(t6,t7)/300, valid);
    for (auto& [w, n] : why) std::printf("  %4d %s\n", n, w.c_str());
  }
}

INSTANTIATE_TEST_SUITE_P(Tuning, KnownConfigs,
                         testing::Values("tests/golden/configs/cpu", "tests/golden/configs/gpu",
                                         "bench/configs/neon"));

}  // namespace
}  // namespace mdh::tuning_test
