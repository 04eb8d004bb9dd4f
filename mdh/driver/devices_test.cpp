#include "mdh/driver/devices.h"

#include <gtest/gtest.h>

#include "mdh/calibration/machine_identity.h"
#include "mdh/machine/machine_json.h"
#include "mdh/runtime/testing.h"
#include "mdh/support/diagnostic.h"

namespace mdh::driver::devices_test {
namespace {

TEST(Devices, host_comes_first_with_cores_and_compilers) {
  const runtime::DeviceInfo host = all_devices().at(0);
  EXPECT_EQ(host.kind, "host");
  EXPECT_FALSE(host.name.empty());
  ASSERT_GE(host.details.size(), 2u);
  EXPECT_EQ(host.details[0].first, "cores");
  EXPECT_EQ(host.details[1].first.find("compiler /"), 0u) << host.details[1].first;
  EXPECT_NE(host.details[1].second.find("; instruction set: "), std::string::npos);
}

TEST(Devices, host_without_a_compiler_says_why) {
  const runtime::ScopedEnvironment cc("MDH_CC", "/nonexistent");
  const runtime::DeviceInfo host = all_devices().at(0);
  EXPECT_EQ(host.details.at(1).first, "compiler");
  EXPECT_EQ(host.details.at(1).second,
            "none: the C compiler '/nonexistent' named by MDH_CC was not found");
}

constexpr runtime::GridNumbers numbers = {.groups_at_once = 7,
                                          .items_per_group = 96,
                                          .local_bytes = 4321,
                                          .lockstep = 16,
                                          .copies_in_flight = true,
                                          .groups_of_cluster = 5,
                                          .register_bytes = 512,
                                          .groups_per_axis = {1000, 200, 30}};

int64_t limit_on(const machine::Machine& m, const std::vector<std::string>& layers,
                 const std::string& axis = "") {
  for (const machine::Constraint& rule : m.constraints) {
    const auto* most = std::get_if<machine::PartsAtMost>(&rule);
    if (most && most->layers == layers && most->axis == axis) return most->limit;
  }
  return 0;
}

TEST(NumbersOfADevice, are_put_where_they_belong) {
  machine::Machine m = machine::find_machine("gpu_nowarp");
  take_numbers(numbers, m);
  EXPECT_EQ(m.find_layer("BLK")->count, 7);
  EXPECT_EQ(m.find_layer("THR")->count, 96);
  EXPECT_EQ(m.find_region("SM")->capacity, 4321);
  EXPECT_EQ(limit_on(m, {"THR"}), 96);
}

/// What layers are called does not matter.
TEST(NumbersOfADevice, are_put_there_whatever_the_layers_are_called) {
  machine::Machine m = machine::find_machine("gpu_nowarp");
  const auto rename = [](std::string& name) {
    if (name == "BLK") name = "squad";
    if (name == "THR") name = "soldier";
  };
  for (machine::Layer& layer : m.layers) rename(layer.name);
  for (machine::Region& region : m.regions) rename(region.owner);
  for (machine::Constraint& rule : m.constraints) {
    if (auto* most = std::get_if<machine::PartsAtMost>(&rule)) {
      for (std::string& layer : most->layers) rename(layer);
    }
  }
  take_numbers(numbers, m);
  EXPECT_EQ(m.find_layer("squad")->count, 7);
  EXPECT_EQ(m.find_layer("soldier")->count, 96);
  EXPECT_EQ(m.find_region("SM")->capacity, 4321);
  EXPECT_EQ(limit_on(m, {"soldier"}), 96);
}

/// Which items run together is said by the layers, or else by the device.
TEST(NumbersOfADevice, say_how_wide_warps_are_where_no_layer_does) {
  machine::Machine without = machine::find_machine("gpu_nowarp"),
                   with = machine::find_machine("gpu");
  take_numbers({.warp = 64}, without);
  take_numbers({.warp = 64}, with);
  EXPECT_EQ(without.warp, 64);
  EXPECT_EQ(with.warp, 0);
}

/// With warps, the items of a group are members of two layers together.
TEST(NumbersOfADevice, limit_all_members_of_a_group_together) {
  machine::Machine m = machine::find_machine("gpu");
  take_numbers(numbers, m);
  EXPECT_EQ(limit_on(m, {"THR"}), 16) << "those of a warp run in step";
  EXPECT_EQ(limit_on(m, {"WRP", "THR"}), 96);
  EXPECT_FALSE(m.find_layer("THR")->count);
}

/// A machine with a grid, and what its layers and regions are called.
struct Named {
  std::string machine, groups, threads, shared, registers;
  std::vector<std::string> members;  // of a group
};

class MachineOfADevice : public testing::TestWithParam<Named> {};

TEST_P(MachineOfADevice, has_the_numbers_of_the_device) {
  const Named& named = GetParam();
  machine::Machine m = machine::find_machine(named.machine);
  take_numbers(numbers, m);
  EXPECT_EQ(m.find_layer(named.groups)->count, 7);
  EXPECT_EQ(m.find_region(named.shared)->capacity, 4321);
  EXPECT_FALSE(m.find_region(named.shared)->soft) << "more is refused";
  EXPECT_EQ(m.find_region(named.registers)->capacity, 512);
  EXPECT_TRUE(m.find_region(named.registers)->soft) << "more is spilled";
  EXPECT_EQ(limit_on(m, named.members), 96);
  EXPECT_EQ(limit_on(m, {named.threads}), named.members.size() > 1 ? 16 : 96);
  verify(m);
}

/// What a device does not tell stays as it is described.
TEST_P(MachineOfADevice, keeps_what_is_not_known) {
  machine::Machine m = machine::find_machine(GetParam().machine);
  take_numbers({}, m);
  EXPECT_EQ(m, machine::find_machine(GetParam().machine));
}

INSTANTIATE_TEST_SUITE_P(All, MachineOfADevice,
                         testing::Values(Named{"cuda", "SMX", "CC", "SM", "RM", {"CC"}},
                                         Named{"cuda_wrp", "SMX", "CC", "SM", "RM", {"WRP", "CC"}},
                                         Named{"opencl", "CU", "PE", "LM", "PM", {"PE"}},
                                         Named{"gpu", "BLK", "THR", "SM", "RM", {"WRP", "THR"}},
                                         Named{"gpu_nowarp", "BLK", "THR", "SM", "RM", {"THR"}}),
                         [](const auto& info) { return info.param.machine; });

/// A device that knows more than its language.
class KnowingDevice : public runtime::Device {
 public:
  std::string name() const override { return "knowing"; }
  runtime::Accuracy accuracy() const override { return {}; }
  std::optional<runtime::GridNumbers> grid() const override { return numbers; }
  bool takes(const std::string&) const override { return false; }
  std::vector<std::vector<runtime::Built>> build(const runtime::ModuleGroups&,
                                                 const runtime::BuildLimits&) const override {
    return {};
  }
  std::shared_ptr<const runtime::LoadedKernel> load_object(const kernel::Module&,
                                                           const std::string&) const override {
    return nullptr;
  }
  std::shared_ptr<const runtime::DeviceMemory> allocate(int64_t,
                                                        const std::string&) const override {
    return nullptr;
  }

 private:
  runtime::LoadedKernels load_for(runtime::Purpose,
                                  std::span<const kernel::Module>) const override {
    return {};
  }
};

runtime::Runtime knowing_runtime() {
  runtime::Runtime r{.name = "knowing"};
  r.list = [] { return std::vector<runtime::DeviceInfo>{{"one", "knowing", {}}}; };
  r.open = [](const std::string& name) -> std::shared_ptr<const runtime::Device> {
    if (name == "gone") missing("E614", "there is no such device", "");
    return std::make_shared<KnowingDevice>();
  };
  return r;
}

TEST(MachineThatIsNamed, has_the_numbers_of_the_device_too) {
  const runtime::Runtime knowing = knowing_runtime();
  Target target = find_target("opencl");
  target.runtime = &knowing;
  EXPECT_EQ(machine_named("cuda_wrp", target, "").find_layer("SMX")->count, 7);
  EXPECT_EQ(machine_named("OpenCL", target, "").find_layer("CU")->count, 7);
  EXPECT_EQ(machine_named("cpu", target, ""), machine::find_machine("cpu"));
  EXPECT_EQ(machine_named("cuda", target, "gone"), machine::find_machine("cuda"));
  EXPECT_EQ(why_no_device(target), "");
}

TEST(MachineThatIsNamed, in_a_file_is_taken_as_it_is) {
  const runtime::Runtime knowing = knowing_runtime();
  Target target = find_target("opencl");
  target.runtime = &knowing;
  machine::Machine own = machine::find_machine("gpu");
  own.name = "own";
  const TemporaryDirectory folder;
  const std::string file = folder.path() / "own.json";
  write_file(file, machine::print(own));
  EXPECT_EQ(machine_named(file, target, ""), own);
}

TEST(NumbersOfADevice, limit_the_groups_of_each_axis) {
  machine::Machine m = machine::find_machine("gpu");
  take_numbers(numbers, m);
  EXPECT_EQ(limit_on(m, {"BLK"}, "x"), 1000);
  EXPECT_EQ(limit_on(m, {"BLK"}, "y"), 200);
  EXPECT_EQ(limit_on(m, {"BLK"}, "z"), 30);
}

TEST(NumbersOfADevice, change_nothing_on_a_machine_without_a_grid) {
  machine::Machine m = machine::find_machine("cpu");
  take_numbers(numbers, m);
  EXPECT_EQ(m, machine::find_machine("cpu"));
}

TEST(TargetFacts, are_corrected_by_the_device) {
  const Target& row = find_target("opencl");
  const Target on = target_on(row, KnowingDevice());
  EXPECT_EQ(on.facts.lockstep, 16);
  EXPECT_TRUE(on.facts.copies_in_flight);
  EXPECT_EQ(on.facts.most_that_meet, 0) << "not in this language";
  EXPECT_EQ(on.facts.teams, row.facts.teams);
  const Target cuda = target_on(find_target("cuda"), KnowingDevice());
  EXPECT_EQ(cuda.facts.most_that_meet, 5);
  EXPECT_TRUE(cuda.obeys.cluster);
  const Target& usual = usual_target();
  EXPECT_EQ(target_on(usual, *usual.runtime->open("")).facts, usual.facts)
      << "the host has no grid";
}

/// Text is made for what is described, and for any device where nothing is known.
TEST(TargetFacts, are_corrected_by_a_device_that_is_only_described) {
  const runtime::ScopedEnvironment driver("MDH_LIBCUDA", "/nonexistent/libcuda.so.1");
  const Target& row = find_target("cuda");
  const auto most_that_meet = [&](const std::optional<std::string>& kind) {
    const runtime::ScopedEnvironment arch("MDH_CUDA_ARCH", kind);
    return target_on(row, "cuda").facts.most_that_meet;
  };
  EXPECT_EQ(most_that_meet("sm_80"), 1);
  EXPECT_EQ(most_that_meet("sm_90"), 8);
  EXPECT_EQ(most_that_meet(std::nullopt), 8);
  const runtime::ScopedEnvironment arch("MDH_CUDA_ARCH", "hopper");
  EXPECT_THROW(target_on(row, "cuda"), Error) << "who describes one is told of mistakes";
  const Target& reference = find_target("reference");
  EXPECT_EQ(target_on(reference, "").name, "reference") << "it has no devices";
}

TEST(HostTarget, is_identified_as_this_machine) {
  EXPECT_TRUE(is_same(identity_of(find_target("openmp"), ""), calibration::host_identity()));
}

TEST(DeviceIdentity, is_that_of_the_device_and_not_of_this_machine) {
  tune::MachineIdentity device;
  try {
    device = identity_of(find_target("opencl"), "opencl:0");
  } catch (const Error& e) {
    if (e.diagnostic().kind != DiagnosticKind::missing) throw;
    GTEST_SKIP() << e.diagnostic().message;
  }
  EXPECT_FALSE(device.model.empty());
  EXPECT_GE(device.cores, 1);
  EXPECT_FALSE(is_same(device, calibration::host_identity()));
  EXPECT_TRUE(is_same(device, identity_of(find_target("opencl"), "")));
}

}  // namespace
}  // namespace mdh::driver::devices_test
