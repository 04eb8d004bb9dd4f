#include "mdh/runtime/host/runtime.h"

#include <new>

#include "mdh/runtime/host/devices.h"
#include "mdh/runtime/host/library.h"
#include "mdh/runtime/host/memory.h"
#include "mdh/support/diagnostic.h"

namespace mdh::runtime::host {
namespace {

class HostKernel : public LoadedKernel {
 public:
  explicit HostKernel(Kernel kernel) : kernel_(std::move(kernel)) {}

  const kernel::Module& module() const override { return kernel_.module(); }

  void run(const RunOn& on) const override {
    internal_check(on.stream == nullptr, "the host has no streams");
    if (on.workspace == nullptr) return kernel_(on.buffers, on.threads);
    kernel_(on.buffers, static_cast<char*>(on.workspace), on.threads);
  }

  void call(std::span<void* const> buffers, int threads) const override {
    kernel_(buffers, threads);
  }

  Timing time(std::span<void* const> buffers, int threads,
              const TimingLimits& limits) const override {
    return measure_laps(stopwatch({.buffers = buffers, .threads = threads}, limits.caches), limits);
  }

  std::string file() const override { return kernel_.path(); }
  std::string remark() const override { return kernel_.remark(); }

 private:
  Kernel kernel_;
};

LoadedKernels all_loaded(const std::vector<Kernel>& kernels) {
  LoadedKernels all;
  for (const Kernel& kernel : kernels) all.push_back(as_loaded(kernel));
  return all;
}

class HostDevice : public runtime::Device {
 public:
  std::string name() const override { return runtime().name; }

  Accuracy accuracy() const override { return {}; }

  bool takes(const std::string& language) const override { return language == "c"; }

  std::vector<std::vector<Built>> build(const ModuleGroups& groups,
                                        const BuildLimits& limits) const override {
    return build_groups(groups, limits);
  }

  std::shared_ptr<const LoadedKernel> load_object(const kernel::Module& module,
                                                  const std::string& path) const override {
    return as_loaded(Kernel(module, Object{.path = path}));
  }

  std::shared_ptr<const DeviceMemory> allocate(int64_t bytes,
                                               const std::string& what) const override {
    try {
      return std::make_shared<GuardedMemory>(bytes);
    } catch (const std::bad_alloc&) {
      missing("E603", fmt::format("no memory for {} of {} bytes", what, bytes),
              "use a smaller size");
    }
  }

 private:
  /// By the compiler that the first one asks for.
  LoadedKernels load_for(Purpose purpose, std::span<const kernel::Module> modules) const override {
    for (const kernel::Module& module : modules) {
      internal_check(takes(module.language), "'{}' is printed in {}, not in C", module.name,
                     module.language);
    }
    if (modules.empty()) return {};
    if (modules.size() == 1 && purpose == Purpose::calls) {
      return {as_loaded(host::load(modules.front()))};
    }
    return all_loaded(load_by_any(modules, compiler_for(modules.front(), Cache::of_user())));
  }
};

std::shared_ptr<const runtime::Device> open(const std::string&) {
  return std::make_shared<HostDevice>();
}

}  // namespace

const Runtime& runtime() {
  static const Runtime here = {.name = "host", .list = devices, .open = open};
  return here;
}

LoadedKernels load_plainly(std::span<const kernel::Module> modules) {
  return all_loaded(load_by_any(modules, find_compiler()));
}

std::shared_ptr<const LoadedKernel> as_loaded(const Kernel& kernel) {
  return std::make_shared<HostKernel>(kernel);
}

}  // namespace mdh::runtime::host
