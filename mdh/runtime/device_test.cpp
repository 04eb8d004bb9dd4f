#include "mdh/runtime/device.h"

#include <gtest/gtest.h>

#include "mdh/runtime/host/runtime.h"
#include "mdh/runtime/opencl/runtime.h"
#include "mdh/runtime/testing.h"
#include "mdh/support/testing.h"

namespace mdh::runtime::device_test {
namespace {

/// The same kernel in the language of each runtime: out[n] = n + add, for eight numbers.
kernel::Module numbers_in(const std::string& language, const std::string& name, int add) {
  const std::string store = fmt::format("out[n] = n + {};", add);
  kernel::Module module = module_of(name, "for (long n = 0; n < 8; ++n) " + store, 8);
  if (language == "c") return module;
  module.language = language;
  module.source = fmt::format(
      "__kernel void {}(__global long *out, __global char *workspace) {{\n"
      "  const long n = get_global_id(0);\n  {}\n}}\n",
      name, store);
  module.steps = {{kernel::Launch{name, {2, 1, 1}, {4, 1, 1}}}};
  return module;
}

struct Row {
  const Runtime* runtime;
  std::string language;
};

/// What holds for every runtime, whatever it is.
class EveryDevice : public testing::TestWithParam<Row> {
 protected:
  void SetUp() override {
    try {
      device_ = GetParam().runtime->open("");
    } catch (const Error& e) {
      if (e.diagnostic().kind != DiagnosticKind::missing) throw;
      GTEST_SKIP() << "SKIP: " << e.diagnostic().message;
    }
  }

  kernel::Module numbers(const std::string& name, int add) const {
    return numbers_in(GetParam().language, name, add);
  }

  std::shared_ptr<const Device> device_;
};

std::vector<long> called(const LoadedKernel& kernel) {
  std::vector<long> out(8, -1);
  void* const buffers[] = {out.data()};
  kernel.call(buffers, 1);
  return out;
}

TEST_P(EveryDevice, is_listed_by_its_runtime) {
  EXPECT_FALSE(GetParam().runtime->list().empty());
  EXPECT_FALSE(GetParam().runtime->list().front().name.empty());
}

TEST_P(EveryDevice, takes_its_own_language_and_no_other) {
  for (const std::string language : {"c", "opencl", "fortran"}) {
    EXPECT_EQ(device_->takes(language), language == GetParam().language) << language;
  }
}

TEST_P(EveryDevice, loads_several_modules_at_once_in_their_order) {
  const std::vector<kernel::Module> modules = {numbers("first", 10), numbers("second", 20)};
  const LoadedKernels kernels = device_->load(modules);
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0]->module().name, "first");
  EXPECT_EQ(called(*kernels[0]), (std::vector<long>{10, 11, 12, 13, 14, 15, 16, 17}));
  EXPECT_EQ(called(*kernels[1]), (std::vector<long>{20, 21, 22, 23, 24, 25, 26, 27}));
}

TEST_P(EveryDevice, loads_nothing_of_nothing) { EXPECT_TRUE(device_->load({}).empty()); }

TEST_P(EveryDevice, kernels_outlive_the_device_that_loaded_them) {
  const kernel::Module module = numbers("alone", 5);
  const auto kernel = device_->load({&module, 1}).front();
  device_.reset();
  EXPECT_EQ(called(*kernel).at(7), 12);
}

TEST_P(EveryDevice, times_on_data_of_the_host) {
  const kernel::Module module = numbers("timed", 1);
  const auto kernel = device_->load({&module, 1}).front();
  std::vector<long> out(8, -1);
  void* const buffers[] = {out.data()};
  const Timing timing =
      kernel->time(buffers, 1, {.warm_up = 1, .least = 3, .most = 3, .seconds = 10});
  EXPECT_EQ(timing.count, 3);
  EXPECT_GT(timing.median_us, 0);
}

/// A kernel that goes on for as many rounds as its data say takes longer if they say more.
TEST_P(EveryDevice, times_depend_on_the_data_that_it_is_given) {
  kernel::Module module = numbers("counting", 1);
  const size_t at = module.source.find("out[n] = n + 1;");
  module.source.replace(at, 15,
                        "{ long x = n; for (long r = 0; r < out[n]; ++r) x = x * 5 + r / 3; "
                        "if (x == 77) out[n] = x; }");
  const auto kernel = device_->load({&module, 1}).front();
  const auto time = [&](long rounds) {
    std::vector<long> out(8, rounds);
    void* const buffers[] = {out.data()};
    return kernel->time(buffers, 1, {.warm_up = 1, .least = 3, .most = 3, .seconds = 10}).median_us;
  };
  EXPECT_GT(time(4'000'000), 4 * time(4));
}

TEST_P(EveryDevice, has_a_grid_exactly_if_it_tells_what_functions_need) {
  const kernel::Module module = numbers("needs", 1);
  const std::vector<Resources> resources = device_->load({&module, 1}).front()->resources();
  ASSERT_EQ(resources.empty(), !device_->grid().has_value());
  if (resources.empty()) return;
  EXPECT_EQ(resources.front().function, "needs");
  EXPECT_GE(resources.front().items_per_group.value(), 4);
  EXPECT_GT(device_->grid()->items_per_group, 0);
  EXPECT_FALSE(device_->identity()->model.empty());
}

INSTANTIATE_TEST_SUITE_P(Runtimes, EveryDevice,
                         testing::Values(Row{&host::runtime(), "c"},
                                         Row{&opencl::runtime(), "opencl"}),
                         [](const auto& row) { return row.param.runtime->name; });

TEST(HostDevice, gives_a_worker_the_file_to_load) {
  const kernel::Module module = numbers_in("c", "filed", 1);
  const auto kernel = host::runtime().open("")->load({&module, 1}).front();
  EXPECT_TRUE(std::filesystem::exists(kernel->file()));
  EXPECT_TRUE(host::runtime().has_worker);
}

TEST(OpenCLDevices, that_are_not_there_are_missing) {
  if (opencl::runtime().list().empty()) GTEST_SKIP() << "SKIP: no OpenCL device";
  const Diagnostic d = diagnostic_of([] { opencl::runtime().open("opencl:99"); });
  EXPECT_EQ(d.kind, DiagnosticKind::missing);
  EXPECT_EQ(d.code, "E614") << d.message;
}

/// Flags that a compiler refuses are reported to who asked for them, and do not hinder a check.
TEST(HostDevice, for_checks_any_compiler_will_do) {
  if (host::find_compilers().size() < 2) GTEST_SKIP() << "SKIP: there is only one compiler";
  kernel::Module module = numbers_in("c", "flagged", 3);
  module.compiler = "gcc";
  module.flags = {"-march=no-such-processor"};
  const auto here = host::runtime().open("");
  EXPECT_EQ(diagnostic_of([&] { here->load({&module, 1}); }).code, "E605");
  EXPECT_EQ(called(*here->load({&module, 1}, Purpose::checks).front()).at(0), 3);
}

TEST(HostDevice, other_languages_are_a_bug) {
  const kernel::Module module = numbers_in("opencl", "foreign", 3);
  EXPECT_EQ(diagnostic_of([&] {
              host::runtime().open("")->load({&module, 1});
            }).kind,
            DiagnosticKind::internal);
}

}  // namespace
}  // namespace mdh::runtime::device_test
