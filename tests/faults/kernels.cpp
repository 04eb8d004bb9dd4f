#include "tests/faults/kernels.h"

#include "mdh/driver/memory.h"
#include "mdh/runtime/host/build.h"
#include "mdh/runtime/opencl/kernel.h"
#include "mdh/runtime/opencl/testing_device.h"
#include "mdh/support/diagnostic.h"

namespace mdh::test {
namespace {

using scalar::Array;
using Runs = std::vector<std::vector<Array>>;

/// What a kernel computes of each of the data, so many times; a kernel that fails gives nothing.
using Run = std::function<std::vector<Array>(const std::vector<Array>& inputs)>;

/// In one unit the names would clash.
Run on_this_machine(const Subject& subject, const kernel::Module& module) {
  const auto built = runtime::host::build_groups({{module}}, {}).front().front();
  if (!built.object) return {};
  return [&subject, module, object = *built.object](const std::vector<Array>& inputs) {
    driver::Memory memory(subject.triple.program, inputs, driver::Memory::Place::shared);
    return memory.run_poisoned([&](auto) {
      require_success(
          common_worker().run(module, object.path, memory.shared(), {.threads = kernel_threads}));
    });
  };
}

Run on_a_device(const Subject& subject, const kernel::Module& module) {
  const runtime::opencl::Context context(runtime::opencl::device_of_tests());
  const auto kernel = runtime::opencl::load({&module, 1}, context).front();
  return [&subject, kernel](const std::vector<Array>& inputs) {
    driver::Memory memory(subject.triple.program, inputs);
    return memory.run_poisoned([&](auto buffers) { kernel(buffers); });
  };
}

Run runner_of(const Subject& subject, const kernel::Module& module) {
  return module.language == "opencl" ? on_a_device(subject, module)
                                     : on_this_machine(subject, module);
}

}  // namespace

runtime::Worker& common_worker() {
  static runtime::Worker worker({.time_limit = 20, .program = MDH_WORKER_FILE});
  return worker;
}

bool always_differ(const Subject& subject, const kernel::Module& original,
                   const kernel::Module& mutant) {
  constexpr int runs = 4;
  const Run right = runner_of(subject, original), wrong = runner_of(subject, mutant);
  if (!right || !wrong) return false;
  try {
    for (const std::vector<Array>& inputs : data_of(subject)) {
      const std::vector<Array> expected = right(inputs);
      int different = 0;
      for (int n = 0; n < runs; ++n) different += wrong(inputs) == expected ? 0 : 1;
      if (different == runs) return true;
    }
  } catch (const Error&) {
  }
  return false;
}

}  // namespace mdh::test
