#include "mdh/driver/try_out.h"

#include <gtest/gtest.h>

#include "mdh/runtime/testing.h"
#include "mdh/support/testing.h"

namespace mdh::driver::try_out_test {
namespace {

TEST(TryOut, every_device_that_is_there_computes) {
  runtime::Worker worker({.program = MDH_WORKER_FILE});
  for (const Target& target : targets()) {
    for (const std::string& device : devices_of(target)) {
      EXPECT_NE(try_out(target, device, nullptr), "") << device;
      EXPECT_NE(try_out(target, device, &worker), "") << device;
    }
  }
  EXPECT_GT(worker.process(), 0);
}

TEST(TryOut, reference_has_no_devices_and_the_host_is_one) {
  EXPECT_TRUE(devices_of(find_target("reference")).empty());
  EXPECT_EQ(devices_of(find_target("openmp")), std::vector<std::string>{"openmp"});
}

TEST(TryOut, a_target_whose_printer_is_wrong_is_found_out) {
  Target wrong = find_target("openmp");
  wrong.print = [print = wrong.print](const loop::Program& p, const std::string& name) {
    kernel::Module module = print(p, name);
    const size_t at = module.source.find(" * ");
    module.source.replace(module.source.find("_in * "), 6, "_in + ");
    EXPECT_NE(at, std::string::npos);
    return module;
  };
  const Diagnostic d = diagnostic_of([&] { try_out(wrong, "", nullptr); });
  EXPECT_EQ(d.code, "E629");
  EXPECT_NE(d.message.find(" computes a small dot product wrongly: "), std::string::npos)
      << d.message;
}

TEST(TryOut, what_is_missing_is_said) {
  const runtime::ScopedEnvironment cc("MDH_CC", "/nonexistent");
  EXPECT_EQ(diagnostic_of([] { try_out(find_target("openmp"), "", nullptr); }).code, "E601");
}

}  // namespace
}  // namespace mdh::driver::try_out_test
