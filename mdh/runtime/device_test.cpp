#include "mdh/runtime/device.h"

#include <gtest/gtest.h>

#include "mdh/kernel/refused.h"
#include "mdh/runtime/cuda/runtime.h"
#include "mdh/runtime/host/runtime.h"
#include "mdh/runtime/opencl/runtime.h"
#include "mdh/runtime/runtimes.h"
#include "mdh/runtime/testing.h"
#include "mdh/runtime/worker/worker.h"
#include "mdh/support/testing.h"

namespace mdh::runtime::device_test {
namespace {

/// A function of eight items, in OpenCL or, without the names of memories, in CUDA. It knows its
/// item as n.
std::string on_a_grid(const std::string& language, const std::string& name,
                      const std::string& parameters, const std::string& body) {
  const bool is_opencl = language == "opencl";
  std::string text = fmt::format(
      "{} void {}({}) {{\n  const long n = {};\n  {}\n}}\n",
      is_opencl ? "__kernel" : "extern \"C\" __global__", name, parameters,
      is_opencl ? "get_global_id(0)" : "blockIdx.x * (long)blockDim.x + threadIdx.x", body);
  const std::string memory = "__global ";
  for (size_t at = text.find(memory); !is_opencl && at != std::string::npos;
       at = text.find(memory, at)) {
    text.erase(at, memory.size());
  }
  return text;
}

/// The same kernel in the language of each runtime: out[n] = n + add, for eight numbers.
kernel::Module numbers_in(const std::string& language, const std::string& name, int add) {
  const std::string store = fmt::format("out[n] = n + {};", add);
  kernel::Module module = module_of(name, "for (long n = 0; n < 8; ++n) " + store, 8);
  if (language == "c") return module;
  module.language = language;
  module.source = on_a_grid(language, name, "__global long *out, __global char *workspace", store);
  module.steps = {{kernel::Launch{name, {2, 1, 1}, {4, 1, 1}}}};
  return module;
}

/// out[n] = 2 * in[n] + 1, by way of the workspace.
kernel::Module doubled_in(const std::string& language) {
  kernel::Module module{.language = language, .name = "doubled"};
  const std::string body = "w[n] = 2 * in[n]; out[n] = w[n] + 1;";
  module.source = language == "c"
                      ? "void doubled(void **buffers, char *workspace, long threads) {\n"
                        "  long *out = buffers[0], *in = buffers[1], *w = (long *)workspace;\n"
                        "  for (long n = 0; n < 8; ++n) { " +
                            body + " }\n}\n"
                      : on_a_grid(language, "doubled",
                                  "__global long *out, __global long *in, __global char *workspace",
                                  "__global long *w = (__global long *)workspace; " + body);
  module.steps = {{kernel::Launch{"doubled", {2, 1, 1}, {4, 1, 1}}}};
  module.arguments = {{"out", "i64", 8, {8}, true}, {"in", "i64", 8, {8}, false}};
  module.workspace_bytes = 64;
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
  for (const std::string language : {"c", "opencl", "cuda", "fortran"}) {
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

TEST_P(EveryDevice, is_found_again_by_its_name) {
  EXPECT_EQ(open_device(device_->name())->name(), device_->name());
  EXPECT_EQ(device_->name().find(GetParam().runtime->name), 0u) << device_->name();
}

TEST_P(EveryDevice, memory_holds_what_is_uploaded) {
  for (const int64_t count : {0, 1, 1000}) {
    const auto memory = device_->allocate(count * 8);
    std::vector<long> data(static_cast<size_t>(count)), back(data.size(), -1);
    for (size_t n = 0; n < data.size(); ++n) data[n] = static_cast<long>(n * n);
    memory->upload(data.data());
    memory->download(back.data());
    EXPECT_EQ(back, data);
    EXPECT_EQ(memory->bytes(), count * 8);
  }
}

TEST_P(EveryDevice, memory_that_there_is_not_is_missing) {
  EXPECT_EQ(diagnostic_of([&] { device_->allocate(int64_t{1} << 60, "a whale"); }).kind,
            DiagnosticKind::missing);
}

/// The data stay on the device from run to run, and the kernel has no memory of its own.
TEST_P(EveryDevice, runs_on_memory_and_workspace_of_the_caller) {
  const kernel::Module module = doubled_in(GetParam().language);
  const auto kernel = device_->load({&module, 1}).front();
  ASSERT_EQ(kernel->workspace_bytes(), 64);
  const auto out = device_->allocate(64), in = device_->allocate(64),
             workspace = device_->allocate(kernel->workspace_bytes());
  std::vector<long> numbers = {0, 1, 2, 3, 4, 5, 6, 7}, result(8), left(8);
  in->upload(numbers.data());
  void *const there[] = {out->handle(), in->handle()}, *const back[] = {in->handle(),
                                                                        out->handle()};
  kernel->run({.buffers = there, .workspace = workspace->handle()});
  kernel->run({.buffers = back, .workspace = workspace->handle()});
  in->download(result.data());
  workspace->download(left.data());
  EXPECT_EQ(result, (std::vector<long>{3, 7, 11, 15, 19, 23, 27, 31}));
  EXPECT_EQ(left.at(7), 30);
  kernel->run({.buffers = there});  // in a workspace of its own
  out->download(result.data());
  workspace->download(left.data());
  EXPECT_EQ(result.at(7), 63);
  EXPECT_EQ(left.at(7), 30);
}

TEST_P(EveryDevice, builds_many_and_loses_those_alone_that_fail) {
  kernel::Module wrong = numbers("wrong", 7);
  wrong.source += "this is no language";
  const ModuleGroups groups = {{numbers("first", 10), wrong, numbers("second", 20)},
                               {numbers("third", 30)}};
  const auto built = device_->build(groups, {.seconds = 60});
  ASSERT_EQ(built.size(), 2u);
  ASSERT_EQ(built[0].size(), 3u);
  for (const auto& [group, number, first] :
       {std::tuple{0, 0, 10}, std::tuple{0, 2, 20}, std::tuple{1, 0, 30}}) {
    const Built& one = built.at(static_cast<size_t>(group)).at(static_cast<size_t>(number));
    ASSERT_TRUE(one.object) << one.failure.text;
    kernel::Module module = groups[static_cast<size_t>(group)][static_cast<size_t>(number)];
    module.source.clear();  // all that is needed is in the file
    EXPECT_EQ(called(*device_->load_object(module, one.object->path)).at(0), first);
  }
  // A driver that compiles where it loads refuses there.
  const Built& lost = built[0][1];
  if (lost.object) {
    EXPECT_TRUE(lost.object->is_source);
    EXPECT_THROW(device_->load_object(wrong, lost.object->path), kernel::Refused);
  } else {
    EXPECT_EQ(lost.failure.kind, BuildFailure::Kind::refused);
    EXPECT_NE(lost.failure.text.find("error"), std::string::npos) << lost.failure.text;
  }
}

TEST_P(EveryDevice, gives_a_worker_the_file_to_load) {
  const kernel::Module module = numbers("filed", 1);
  const auto kernel = device_->load({&module, 1}).front();
  EXPECT_TRUE(std::filesystem::exists(kernel->file()));
  EXPECT_EQ(called(*device_->load_object(module, kernel->file())).at(7), 8);
}

// ---- in a worker

Outcome in_worker(Worker& worker, const Device& device, const kernel::Module& module,
                  const SharedBuffers& buffers, WorkOptions how = {}) {
  const Built built = device.build({{module}}, {}).front().front();
  if (!built.object) return {WorkStatus::error, built.failure.text, {}};
  how.device = device.name();
  how.model = model_of(device);
  return worker.run(module, built.object->path, buffers, how);
}

TEST_P(EveryDevice, is_another_one_in_a_process_that_finds_another_model) {
  Worker worker({.program = MDH_WORKER_FILE});
  const SharedBuffers buffers({64});
  const Built built = device_->build({{numbers("filed", 5)}}, {}).front().front();
  ASSERT_TRUE(built.object);
  const auto outcome = [&](const std::string& name, const std::string& model) {
    return worker.run(numbers("filed", 5), built.object->path, buffers,
                      {.device = name, .model = model});
  };
  const Outcome other = outcome(device_->name(), "a toaster");
  EXPECT_EQ(other.status, WorkStatus::no_device);
  EXPECT_EQ(other.reason, fmt::format("'{}' is {} there instead of a toaster", device_->name(),
                                      model_of(*device_)));
  EXPECT_EQ(outcome("opencl:987", "").status, WorkStatus::no_device);
  EXPECT_EQ(outcome("opencl:x", "").status, WorkStatus::no_device);
  const Diagnostic d = diagnostic_of([&] { require_success(other); });
  EXPECT_EQ(d.kind, DiagnosticKind::missing);
  EXPECT_EQ(d.code, "E651");
  EXPECT_EQ(outcome(device_->name(), model_of(*device_)).status, WorkStatus::ok);
}

TEST_P(EveryDevice, runs_in_a_worker_whose_process_stays) {
  ASSERT_TRUE(GetParam().runtime->has_worker);
  Worker worker({.program = MDH_WORKER_FILE});
  const SharedBuffers buffers({64});
  pid_t first = 0;
  for (const int add : {5, 6}) {
    const Outcome outcome = in_worker(worker, *device_, numbers("filed", add), buffers);
    ASSERT_EQ(outcome.status, WorkStatus::ok) << outcome.reason;
    EXPECT_EQ(static_cast<long*>(buffers.pointers()[0])[7], 7 + add);
    if (first == 0) first = worker.process();
    EXPECT_EQ(worker.process(), first);
  }
}

TEST_P(EveryDevice, keeps_inputs_in_the_worker_from_run_to_run) {
  Worker worker({.program = MDH_WORKER_FILE});
  const SharedBuffers buffers({64, 64});
  auto *out = static_cast<long*>(buffers.pointers()[0]),
       *in = static_cast<long*>(buffers.pointers()[1]);
  const kernel::Module module = doubled_in(GetParam().language);
  in[3] = 100;
  EXPECT_EQ(in_worker(worker, *device_, module, buffers, {.inputs_stay = true}).status,
            WorkStatus::ok);
  EXPECT_EQ(out[3], 201);
  in[3] = 5;  // what was promised not to happen, to see that nothing is copied again
  in_worker(worker, *device_, module, buffers, {.inputs_stay = true});
  EXPECT_EQ(out[3], 201);
  in_worker(worker, *device_, module, buffers);
  EXPECT_EQ(out[3], 11);
}

/// Those that come after it have the inputs that they should have.
TEST_P(EveryDevice, a_kernel_that_writes_to_its_inputs_costs_one_run) {
  Worker worker({.program = MDH_WORKER_FILE});
  const SharedBuffers buffers({64, 64});
  const auto* out = static_cast<long*>(buffers.pointers()[0]);
  static_cast<long*>(buffers.pointers()[1])[3] = 100;
  kernel::Module vandal = doubled_in(GetParam().language);
  vandal.source.replace(vandal.source.find("w[n] = 2 * in[n];"), 17, "in[n] = 7; w[n] = 14;");
  const Outcome outcome = in_worker(worker, *device_, vandal, buffers, {.inputs_stay = true});
  EXPECT_EQ(outcome.status, WorkStatus::crash) << outcome.reason;
  EXPECT_EQ(
      in_worker(worker, *device_, doubled_in(GetParam().language), buffers, {.inputs_stay = true})
          .status,
      WorkStatus::ok);
  EXPECT_EQ(out[3], 201);
}

TEST_P(EveryDevice, is_timed_in_a_worker) {
  Worker worker({.program = MDH_WORKER_FILE});
  const SharedBuffers buffers({64});
  const Outcome outcome =
      in_worker(worker, *device_, numbers("timed", 1), buffers,
                {.measure = TimingLimits{.warm_up = 1, .least = 3, .most = 3, .seconds = 10}});
  ASSERT_EQ(outcome.status, WorkStatus::ok) << outcome.reason;
  EXPECT_EQ(outcome.timing.count, 3);
  EXPECT_GT(outcome.timing.median_us, 0);
}

/// What a compiler refuses is said in its words, and costs one run.
TEST_P(EveryDevice, a_source_that_is_refused_costs_one_run) {
  Worker worker({.program = MDH_WORKER_FILE});
  const SharedBuffers buffers({64});
  kernel::Module wrong = numbers("wrong", 7);
  wrong.source += "this is no language";
  const Outcome outcome = in_worker(worker, *device_, wrong, buffers);
  EXPECT_EQ(outcome.status, WorkStatus::error);
  EXPECT_NE(outcome.reason.find("error"), std::string::npos) << outcome.reason;
  EXPECT_EQ(in_worker(worker, *device_, numbers("good", 1), buffers).status, WorkStatus::ok);
}

TEST_P(EveryDevice, a_kernel_that_hangs_costs_one_run) {
  Worker worker({.program = MDH_WORKER_FILE});
  const SharedBuffers buffers({64});
  kernel::Module endless = numbers("endless", 1);
  const size_t at = endless.source.find("out[n] = n + 1;");
  endless.source.replace(at, 15, "while (*(volatile long *)&workspace[0] != 77) out[n] = n;");
  if (GetParam().language == "opencl") {
    endless.source.replace(endless.source.find("*(volatile long *)&"), 19,
                           "*(volatile __global long *)&");
  }
  endless.workspace_bytes = 8;
  const Outcome outcome = in_worker(worker, *device_, endless, buffers, {.time_limit = 3});
  EXPECT_EQ(outcome.status, WorkStatus::timeout) << outcome.reason;
  EXPECT_EQ(in_worker(worker, *device_, numbers("good", 1), buffers).status, WorkStatus::ok);
}

TEST_P(EveryDevice, that_has_too_little_memory_says_so_in_a_worker) {
  Worker worker({.program = MDH_WORKER_FILE});
  const SharedBuffers buffers({64});
  kernel::Module greedy = numbers("greedy", 1);
  greedy.workspace_bytes = int64_t{1} << 60;
  const Outcome outcome = in_worker(worker, *device_, greedy, buffers);
  EXPECT_EQ(outcome.status, WorkStatus::out_of_memory) << outcome.reason;
}

INSTANTIATE_TEST_SUITE_P(Runtimes, EveryDevice,
                         testing::Values(Row{&host::runtime(), "c"},
                                         Row{&opencl::runtime(), "opencl"},
                                         Row{&cuda::runtime(), "cuda"}),
                         [](const auto& row) { return row.param.runtime->name; });

TEST(Runtimes, that_there_are_not_are_a_bug) {
  EXPECT_EQ(diagnostic_of([] { open_device("abacus:0"); }).kind, DiagnosticKind::internal);
}

TEST(HostDevice, has_no_streams) {
  const kernel::Module module = numbers_in("c", "streamed", 1);
  const auto kernel = host::runtime().open("")->load({&module, 1}).front();
  std::vector<long> out(8);
  void* const buffers[] = {out.data()};
  EXPECT_EQ(diagnostic_of([&] { kernel->run({.buffers = buffers, .stream = out.data()}); }).kind,
            DiagnosticKind::internal);
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
