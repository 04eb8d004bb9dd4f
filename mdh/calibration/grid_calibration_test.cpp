#include "mdh/calibration/grid_calibration.h"

#include <gtest/gtest.h>

#include "mdh/calibration/grid_rates.h"
#include "mdh/calibration/stored.h"
#include "mdh/runtime/cuda/fake/host_gpu.h"
#include "mdh/runtime/cuda/runtime.h"
#include "mdh/support/testing.h"

namespace mdh::calibration::grid_calibration_test {
namespace {

using runtime::ScopedEnvironment;

/// What the probes find on an H200.
GridCalibration usual() {
  GridCalibration c{"Fake GPU", {}, "2026-11-19T20:00:00Z"};
  for (const GridNumber& number : grid_numbers()) c.measured[number.name] = number.usual;
  return c;
}

MachineIdentity identity(const std::string& model = "Fake GPU") {
  return {"NVIDIA", model, 132, "sm_90, CUDA 13.0", {{"L2", 1 << 20}}};
}

// ---- what numbers mean

TEST(GridRatesBy, device_that_is_about_as_fast_are_the_typical_ones) {
  GridCalibration c = usual();
  EXPECT_EQ(rates_by(c), model::GridRates{});
  for (auto& [name, number] : c.measured) number *= 1.1;
  EXPECT_EQ(rates_by(c), model::GridRates{});
  for (auto& [name, number] : c.measured) number /= 1.1 * 1.1;
  EXPECT_EQ(rates_by(c), model::GridRates{});
  EXPECT_TRUE(not_believed(c).empty());
}

TEST(GridRatesBy, others_change_in_proportion) {
  GridCalibration c = usual();
  c.measured["memory_gbs"] /= 4;
  c.measured["launch_ns"] *= 2;
  const model::GridRates rates = rates_by(c), typical;
  EXPECT_DOUBLE_EQ(rates.memory_rate, typical.memory_rate / 4);
  EXPECT_DOUBLE_EQ(rates.launch, typical.launch * 2);
  EXPECT_EQ(rates.l2_rate, typical.l2_rate);
}

TEST(GridRatesBy, what_is_hardly_believable_or_missing_is_typical_and_named) {
  GridCalibration c = usual();
  c.measured["l2_latency_cycles"] = 2;
  c.measured["cycles_per_ns"] *= 100;
  c.measured.erase("barrier_cycles");
  EXPECT_EQ(rates_by(c), model::GridRates{});
  const std::vector<std::string> named = not_believed(c);
  ASSERT_EQ(named.size(), 3u);
  EXPECT_EQ(named[0].find("cycles_per_ns: measured "), 0u) << named[0];
  EXPECT_EQ(named[1], "barrier_cycles: not measured");
  EXPECT_EQ(named[2].find("l2_latency_cycles: measured 2, hardly believable"), 0u) << named[2];
}

// ---- texts and files

TEST(GridCalibrationText, comes_back) {
  GridCalibration c = usual();
  c.measured["memory_gbs"] = 123.5;
  const auto back = parse_grid_calibration(print(c));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->model, c.model);
  EXPECT_EQ(back->when, c.when);
  EXPECT_EQ(back->measured, c.measured);
}

TEST(GridCalibrationText, that_is_none_gives_nothing) {
  const std::string whole = print(usual());
  for (const std::string& bad :
       {std::string(), std::string("{}"), std::string("[1]"), whole.substr(0, whole.size() / 2),
        std::string("{\"mdh_grid_rates\": 1}"),
        std::string(R"({"mdh_grid_rates": 1, "model": "x", "when": "y", "measured": {"a": "b"}})"),
        std::string(R"({"mdh_grid_rates": 1, "model": "x", "when": "y", "measured": {"a": 0}})")}) {
    EXPECT_FALSE(parse_grid_calibration(bad)) << bad;
  }
}

class KnownGridRatesOf : public testing::Test {
 protected:
  std::filesystem::path file() const { return grid_calibration_file(identity()); }
  void store(const std::string& text) const {
    std::filesystem::create_directories(file().parent_path());
    write_file(file(), text);
  }

  TemporaryDirectory folder_;
  const ScopedEnvironment set_{"MDH_RATES", std::nullopt};
  const ScopedEnvironment data_{"XDG_DATA_HOME", folder_.path().string()};
};

TEST_F(KnownGridRatesOf, device_are_typical_until_it_is_measured) {
  EXPECT_EQ(known_grid_rates(identity()).source,
            "typical, not measured; 'mdh doctor --measure' measures");
  GridCalibration slow = usual();
  slow.measured["memory_gbs"] /= 10;
  store(print(slow));
  const KnownGridRates known = known_grid_rates(identity());
  EXPECT_EQ(known.source, "measured 2026-11-19T20:00:00Z");
  EXPECT_DOUBLE_EQ(known.rates.memory_rate, model::GridRates{}.memory_rate / 10);
  EXPECT_EQ(known_grid_rates(identity("another")).rates, model::GridRates{});
  const ScopedEnvironment off("MDH_RATES", "typical");
  EXPECT_EQ(known_grid_rates(identity()).rates, model::GridRates{});
  EXPECT_EQ(known_grid_rates(identity()).source, "typical");
}

TEST_F(KnownGridRatesOf, damaged_file_are_typical_and_it_says_so) {
  store("{");
  const KnownGridRates known = known_grid_rates(identity());
  EXPECT_EQ(known.rates, model::GridRates{});
  EXPECT_EQ(known.source,
            "typical, '" + file().string() + "' is damaged; 'mdh doctor --measure' measures");
  std::string other = print(usual());
  const size_t at = other.find("version\": \"") + 11;
  store(other.insert(at, "9"));
  EXPECT_NE(known_grid_rates(identity()).source.find("is of another version"), std::string::npos);
}

TEST_F(KnownGridRatesOf, file_of_the_user_count_if_it_is_about_a_device) {
  const std::string name = folder_.path() / "rates.json";
  const ScopedEnvironment set("MDH_RATES", name);
  GridCalibration slow = usual();
  slow.measured["l2_gbs"] /= 2;
  write_file(name, print(slow));
  EXPECT_EQ(known_grid_rates(identity()).rates.l2_rate, model::GridRates{}.l2_rate / 2);
  EXPECT_EQ(known_grid_rates(identity()).source, "file " + name);
  write_file(name, model::print(model::Rates{}));
  EXPECT_EQ(known_grid_rates(identity()).rates, model::GridRates{}) << "about a CPU";
  write_file(name, "{");
  const Diagnostic d = diagnostic_of([] { known_grid_rates(identity()); });
  EXPECT_EQ(d.code, "E884");
}

// ---- measuring

/// So little that the threads of the host, which stand for those of a GPU, are soon done.
ProbeSizes little() {
  return {.items = 8,
          .rounds = 64,
          .hops = 64,
          .memory = 1 << 20,
          .cache = 1 << 16,
          .times = 2,
          .launches = 4,
          .groups_of_reader = 1};
}

TEST(CalibrateGrid, every_probe_runs_and_tells_a_number) {
  const runtime::cuda::HostGpu gpu;
  const GridCalibration c = calibrate_grid(*runtime::cuda::runtime().open("cuda:0"), little());
  EXPECT_EQ(c.model, "Fake GPU");
  EXPECT_EQ(c.when.size(), std::string("2026-11-15T17:20:25Z").size()) << c.when;
  for (const GridNumber& number : grid_numbers()) {
    ASSERT_TRUE(c.measured.contains(number.name)) << number.name;
    EXPECT_GT(c.measured.at(number.name), 0) << number.name;
  }
  // By its clock every group takes a microsecond, and each of the 132 multiprocessors has one.
  EXPECT_NEAR(c.measured.at("launch_ns"), 1000, 1);
  EXPECT_NEAR(c.measured.at("following_launch_ns"), 1000, 1);
  EXPECT_NEAR(c.measured.at("l2_gbs"), 2.0 * (1 << 16) / 132e3, 1e-3);
}

TEST(CalibrateGrid, what_it_finds_is_stored) {
  const runtime::cuda::HostGpu gpu;
  const TemporaryDirectory folder;
  const ScopedEnvironment data("XDG_DATA_HOME", folder.path().string());
  const auto device = runtime::cuda::runtime().open("cuda:0");
  const FreshGridRates fresh = measure_grid_rates(*device, little());
  EXPECT_TRUE(fresh.stored);
  const auto back = parse_grid_calibration(read_file(fresh.file));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->model, "Fake GPU");
  const std::string text = describe(fresh.calibration);
  EXPECT_NE(text.find("launch_ns: 1000, "), std::string::npos) << text;
}

}  // namespace
}  // namespace mdh::calibration::grid_calibration_test
