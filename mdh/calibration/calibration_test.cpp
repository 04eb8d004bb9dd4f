#include "mdh/calibration/calibration.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "mdh/calibration/kernels.h"
#include "mdh/calibration/memory.h"
#include "mdh/calibration/team.h"
#include "mdh/machine/probe.h"

namespace mdh::calibration::calibration_test {
namespace {

bool names(const std::vector<std::string>& notes, const std::string& number) {
  return std::any_of(notes.begin(), notes.end(), [&](const std::string& note) {
    return note.find(number) != std::string::npos;
  });
}

TEST(Calibrate, measures_numbers_that_fit_together) {
  const Calibration c = calibrate(2);
  const model::Rates& r = c.rates;
  EXPECT_EQ(r.cores, 2);
  EXPECT_EQ(c.when.size(), std::string("2026-11-15T17:20:25Z").size()) << c.when;
  // Busy machines are slow, but no loop is left out by the compiler, and none is for nothing.
  EXPECT_GT(r.operation, 0.005);
  EXPECT_GT(r.load, 0.005);
  EXPECT_GT(r.instruction, 0.005);
  EXPECT_LT(r.operation, 1.1 * r.latency) << "many at once take no longer than one after the other";
  EXPECT_LT(r.instruction, r.latency);
  EXPECT_LT(r.farthest().rate, 1000);
  EXPECT_GT(r.memories[1].rate, r.farthest().rate / 3);
  EXPECT_GT(r.memory_of_all, r.farthest().rate / 4);
  EXPECT_GT(r.page_miss, 0);
  EXPECT_GT(r.barrier, 0);
  EXPECT_GT(r.launch, 0);
  const machine::Probe host = machine::probe_host();
  if (host.l2_bytes) {
    EXPECT_EQ(r.memories[1].bytes, *host.l2_bytes);
  }
}

TEST(Calibrate, team_of_one_thread_has_no_barriers) {
  const Calibration c = calibrate(1);
  EXPECT_TRUE(names(c.typical, "barrier_ns"));
  EXPECT_EQ(c.rates.memory_of_all, c.rates.farthest().rate);
  EXPECT_EQ(c.rates.barrier, model::Rates().barrier);
}

TEST(Take, is_the_measured_number_unless_it_is_far_off) {
  std::vector<std::string> typical;
  double rate = 10;
  take("x_ns", 190, rate, typical);
  EXPECT_EQ(rate, 190);
  rate = 10;
  for (const double strange :
       {201.0, 0.49, 0.0, -1.0, static_cast<double>(INFINITY), static_cast<double>(NAN)}) {
    typical.clear();
    take("x_ns", strange, rate, typical);
    EXPECT_EQ(rate, 10) << strange;
    ASSERT_EQ(typical.size(), 1u);
    EXPECT_EQ(typical[0].find("x_ns: measured "), 0u) << typical[0];
  }
}

// ---- the loops do what they say

TEST(CalibrationKernels, widths_are_those_of_the_processor) {
  EXPECT_EQ(kernels_for(16).vector_bytes, 16u);
  const auto here = static_cast<size_t>(machine::probe_host().vectors.bytes);
  EXPECT_LE(kernels_for(here).vector_bytes, std::max<size_t>(16, here));
}

TEST(CalibrationKernels, results_depend_on_all_of_the_work) {
  const auto here = static_cast<size_t>(machine::probe_host().vectors.bytes);
  for (const size_t bytes : {size_t{16}, here}) {
    const Kernels& k = kernels_for(bytes);
    alignas(64) float ones[1024];
    for (float& x : ones) x = 1;
    const double tile = static_cast<double>(k.multiply_adds_of_tile);
    EXPECT_EQ(k.multiply_adds(ones, 3), 3 * tile);
    EXPECT_EQ(k.chain(ones, 3), 3 * 8);
    EXPECT_EQ(k.mixed(ones, 3), 3 * tile + 3 * tile);
    EXPECT_EQ(k.mostly_integers(ones, 3), 3 * tile + 3 * 2 * tile);
    EXPECT_EQ(k.gather(ones, 8, 4, 3), 3 * 4);
    alignas(64) unsigned bits[1024] = {};
    bits[8 * k.vector_bytes / sizeof(unsigned)] = 5;  // the second eight
    EXPECT_EQ(k.read(bits, sizeof(bits), 2), 5);
    EXPECT_EQ(k.read(bits, 8 * k.vector_bytes, 2), 0);
  }
}

TEST(CalibrationKernels, panels_are_transposed) {
  std::vector<float> from(16 * 3), to(16 * 3);
  for (size_t n = 0; n < from.size(); ++n) from[n] = static_cast<float>(n);
  kernels_for(16).transpose(from.data(), to.data(), 16, 3, 1);
  for (size_t i = 0; i < 16; ++i) {
    for (size_t k = 0; k < 3; ++k) {
      EXPECT_EQ(to[i / 8 * 24 + k * 8 + i % 8], from[i * 3 + k]) << i << " " << k;
    }
  }
}

TEST(CalibrationKernels, one_byte_of_each_line_is_touched) {
  std::vector<char> bytes(8 * 100);
  for (size_t line = 0; line < 8; ++line) bytes[line * 100] = static_cast<char>(line + 1);
  EXPECT_EQ(kernels_for(16).touch(bytes.data(), 100, 8, 2), 2 * 36);
}

TEST(CalibrationPages, are_there_or_empty) {
  const Pages some(10000);
  ASSERT_FALSE(some.empty());
  some.fill(0, some.size());
  EXPECT_EQ(reinterpret_cast<const float*>(some.data())[1024], 1);
  EXPECT_EQ(reinterpret_cast<const float*>(some.data())[1025], 0);
  EXPECT_TRUE(Pages(size_t{1} << 60).empty());
}

TEST(CalibrationTeam, runs_all_threads_at_the_same_time) {
  const std::optional<Team> team = Team::of(3);
  if (!team) GTEST_SKIP() << "there is no OpenMP library";
  std::vector<int> before(3), after(3);
  team->run([&](int number) {
    before[number] = 1;
    team->wait();
    after[number] = before[0] + before[1] + before[2];
  });
  EXPECT_EQ(after, (std::vector<int>{3, 3, 3}));
}

TEST(CalibrationTeam, gives_its_cores_back) {
  const std::optional<Team> team = Team::of(2);
  if (!team) GTEST_SKIP() << "there is no OpenMP library";
  const auto cores = [&] {
    std::vector<int> counts(2);
    team->run([&](int number) {
      cpu_set_t set;
      sched_getaffinity(0, sizeof(set), &set);
      counts[number] = CPU_COUNT(&set);
    });
    return counts;
  };
  const std::vector<int> before = cores();
  {
    const SpreadTeam spread(*team);
    if (before[0] >= 2) {
      EXPECT_EQ(cores(), (std::vector<int>{1, 1}));
    }
  }
  EXPECT_EQ(cores(), before);
}

}  // namespace
}  // namespace mdh::calibration::calibration_test
