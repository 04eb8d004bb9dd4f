#include "mdh/driver/rates.h"

#include <gtest/gtest.h>

#include "mdh/calibration/grid_calibration.h"
#include "mdh/driver/devices.h"
#include "mdh/runtime/cuda/fake/host_gpu.h"

namespace mdh::driver::rates_test {
namespace {

/// Memory of half the rate, and all else as the probes find it on an H200.
std::string slow_memory() {
  calibration::GridCalibration c{"Fake GPU", {}, "2026-11-19T20:00:00Z"};
  for (const auto& number : calibration::grid_numbers()) c.measured[number.name] = number.usual;
  c.measured["memory_gbs"] /= 2;
  return print(c);
}

TEST(RatesOn, device_are_its_own_and_the_machine_says_how_large_it_is) {
  const runtime::cuda::HostGpu gpu;
  const TemporaryDirectory folder;
  write_file(folder.path() / "rates.json", slow_memory());
  const Target& cuda = find_target("cuda");
  machine::Machine machine = machine_of(cuda, "cuda:0");
  const model::GridRates typical = rates_on(cuda, "cuda:0", machine, 2).grid;
  EXPECT_EQ(typical.memory_rate, model::GridRates{}.memory_rate);
  const runtime::ScopedEnvironment set("MDH_RATES", folder.path() / "rates.json");
  const model::GridRates slow = rates_on(cuda, "", machine, 2).grid;
  EXPECT_EQ(slow.memory_rate, model::GridRates{}.memory_rate / 2);
  EXPECT_EQ(slow.multiprocessors, typical.multiprocessors);
  // A CPU does not become slower by it.
  const Target& openmp = find_target("openmp");
  EXPECT_EQ(rates_on(openmp, "", machine::find_machine("cpu"), 2).operation,
            model::Rates{}.operation);
}

TEST(RatesOn, target_without_a_device_are_typical) {
  const runtime::ScopedEnvironment none("MDH_LIBCUDA", "/nonexistent/libcuda.so.1");
  const runtime::ScopedEnvironment arch("MDH_CUDA_ARCH", std::nullopt);
  const Target& cuda = find_target("cuda");
  EXPECT_EQ(rates_on(cuda, "", machine::find_machine("gpu"), 2).grid, model::GridRates{});
}

}  // namespace
}  // namespace mdh::driver::rates_test
