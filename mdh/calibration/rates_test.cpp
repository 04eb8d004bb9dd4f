#include "mdh/calibration/rates.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "mdh/calibration/machine_identity.h"
#include "mdh/calibration/stored.h"
#include "mdh/runtime/testing.h"
#include "mdh/support/cores.h"
#include "mdh/support/files.h"
#include "mdh/support/testing.h"

namespace mdh::calibration::rates_test {
namespace {

namespace fs = std::filesystem;
using runtime::ScopedEnvironment;

const machine::Machine& cpu() { return machine::find_machine("cpu"); }

/// Rates that no machine has by chance.
Calibration strange(int threads) {
  Calibration c{model::typical_rates(machine::find_machine("host"), threads),
                "2026-11-15T17:20:25Z",
                {"barrier_ns: nobody knows"}};
  c.rates.operation = 0.123;
  return c;
}

// ---- files

TEST(StoredCalibration, is_read_as_it_was_written) {
  const TemporaryDirectory folder;
  const fs::path file = folder.path() / "deep" / "rates.json";
  ASSERT_TRUE(store(strange(3), file));
  const std::optional<Calibration> back = load_calibration(file, 3);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->rates, strange(3).rates);
  EXPECT_EQ(back->when, strange(3).when);
  EXPECT_EQ(back->typical, strange(3).typical);
  EXPECT_EQ(std::distance(fs::directory_iterator(file.parent_path()), fs::directory_iterator()), 1)
      << "nothing else is left there";
}

TEST(StoredCalibration, of_other_threads_or_versions_is_none) {
  const TemporaryDirectory folder;
  const fs::path file = folder.path() / "rates.json";
  ASSERT_TRUE(store(strange(3), file));
  EXPECT_FALSE(load_calibration(file, 2));
  EXPECT_FALSE(load_calibration(folder.path() / "none.json", 3));
  std::string text = read_file(file);
  text.replace(text.find("\"version\": \""), 12, "\"version\": \"9");
  write_file(file, text);
  EXPECT_FALSE(load_calibration(file, 3));
}

TEST(StoredCalibration, that_is_torn_or_impossible_is_measured_again) {
  const TemporaryDirectory folder;
  const fs::path file = folder.path() / "rates.json";
  const std::string whole = print(strange(2));
  std::string zero = whole, text = whole;
  zero.replace(zero.find("0.123"), 5, "0.000");
  text.replace(text.find("0.123"), 5, "\"fast\"");
  for (const std::string& bad : {whole.substr(0, whole.size() / 2), std::string(), zero, text,
                                 std::string("[1]"), std::string("{\"mdh_rates\": \"1\"}")}) {
    write_file(file, bad);
    int measured = 0;
    const Calibration c = load_or_measure(file, 2, [&](int threads) {
      ++measured;
      return strange(threads);
    });
    EXPECT_EQ(measured, 1) << bad;
    EXPECT_EQ(c.rates, strange(2).rates);
    EXPECT_EQ(read_file(file), whole) << "and stored";
  }
  load_or_measure(file, 2, [](int) -> Calibration {
    ADD_FAILURE() << "it is stored already";
    return {};
  });
}

TEST(StoredCalibration, folder_that_cannot_be_written_does_no_harm) {
  const TemporaryDirectory folder;
  write_file(folder.path() / "file", "");
  const fs::path file = folder.path() / "file" / "mdh" / "rates.json";  // below a file
  EXPECT_FALSE(store(strange(2), file));
  EXPECT_FALSE(store(strange(2), ""));
  EXPECT_EQ(load_or_measure(file, 2, strange).rates, strange(2).rates);
  EXPECT_EQ(load_or_measure("", 2, strange).rates, strange(2).rates);
}

TEST(StoredCalibration, has_a_file_for_each_machine_and_number_of_threads) {
  const ScopedEnvironment data("XDG_DATA_HOME", "/data");
  const tune::MachineIdentity here = host_identity();
  tune::MachineIdentity other = here;
  other.caches["L2"] += 1;
  EXPECT_EQ(calibration_file(here, 2).parent_path(), "/data/mdh");
  EXPECT_NE(calibration_file(here, 2), calibration_file(here, 3));
  EXPECT_NE(calibration_file(here, 2), calibration_file(other, 2));
  other = here;
  other.vendor = "somebody";  // vendors are written in several ways
  EXPECT_EQ(calibration_file(here, 2), calibration_file(other, 2));
  const ScopedEnvironment none("XDG_DATA_HOME", std::nullopt), home("HOME", std::nullopt);
  EXPECT_TRUE(calibration_file(here, 2).empty());
}

// ---- which rates

TEST(RatesOf, machine_are_the_stored_ones_for_this_cpu_only) {
  const TemporaryDirectory folder;
  const ScopedEnvironment set("MDH_RATES", std::nullopt);
  const ScopedEnvironment data("XDG_DATA_HOME", folder.path().string());
  const int cores = available_cores();
  EXPECT_EQ(known_rates(cores).source, "typical, not measured yet");
  ASSERT_TRUE(store(strange(cores), calibration_file(host_identity(), cores)));
  EXPECT_EQ(rates_of(cpu(), cores).operation, 0.123);
  EXPECT_EQ(rates_of(machine::find_machine("host"), cores).operation, 0.123);
  const model::Rates many = rates_of(cpu(), cores + 5);
  EXPECT_EQ(many.operation, 0.123) << "the machine has no more cores";
  EXPECT_EQ(many.cores, cores + 5);
  EXPECT_EQ(rates_of(machine::find_machine("gpu"), cores).operation, model::Rates().operation);
  EXPECT_EQ(known_rates(cores).source, "measured 2026-11-15T17:20:25Z");
  EXPECT_EQ(known_rates(cores).typical.size(), 1u);
}

TEST(RatesOf, machine_that_says_something_else_is_typical) {
  machine::Machine other = cpu();
  EXPECT_TRUE(may_be_host(other));
  EXPECT_TRUE(may_be_host(machine::find_machine("host")));
  EXPECT_TRUE(may_be_host(machine::find_machine("openmp")));
  EXPECT_FALSE(may_be_host(machine::find_machine("gpu")));
  EXPECT_FALSE(may_be_host(machine::find_machine("opencl")));
  other.vectors = {128, 7};
  EXPECT_FALSE(may_be_host(other));
  const model::Rates rates = rates_of(other, 2);
  EXPECT_EQ(rates.vector_bytes, 128);
  EXPECT_EQ(rates.registers, 7);
}

TEST(RatesOf, machine_can_be_overridden) {
  const TemporaryDirectory folder;
  const std::string file = folder.path() / "rates.json";
  const model::Rates typical = rates_of(cpu(), 2);  // as all tests
  EXPECT_EQ(typical.operation, model::Rates().operation);
  EXPECT_EQ(known_rates(2).source, "typical");
  write_file(file, model::print(strange(7).rates));  // rates alone will do
  const ScopedEnvironment set("MDH_RATES", file);
  EXPECT_EQ(rates_of(cpu(), 2).operation, 0.123);
  EXPECT_EQ(rates_of(cpu(), 2).cores, 2);
  EXPECT_EQ(rates_of(machine::find_machine("gpu"), 2).operation, 0.123);
  EXPECT_EQ(known_rates(2).source, "file " + file);
  write_file(file, "{}");
  const Diagnostic d = diagnostic_of([] { rates_of(cpu(), 2); });
  EXPECT_EQ(d.code, "E884");
  EXPECT_EQ(d.message, "MDH_RATES: '" + file + "' holds no rates of a machine");
  const ScopedEnvironment nowhere("MDH_RATES", "/nonexistent/rates.json");
  EXPECT_EQ(diagnostic_of([] { rates_of(cpu(), 2); }).code, "E001");
}

TEST(MeasureRates, stores_what_it_finds) {
  const TemporaryDirectory folder;
  const ScopedEnvironment data("XDG_DATA_HOME", folder.path().string());
  const FreshRates fresh = measure_rates(1);
  EXPECT_TRUE(fresh.stored);
  const std::optional<Calibration> back = load_calibration(fresh.file, 1);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->rates, fresh.calibration.rates);
}

TEST(DescribedRates, have_every_number) {
  model::Rates r;
  r.barrier = 432.1;
  const std::string text = describe(r);
  EXPECT_NE(text.find("barrier 432 ns"), std::string::npos) << text;
  EXPECT_NE(text.find("1 together: 32 GB/s"), std::string::npos) << text;
}

}  // namespace
}  // namespace mdh::calibration::rates_test
