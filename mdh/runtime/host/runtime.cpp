#include "mdh/runtime/host/runtime.h"

#include "mdh/runtime/host/devices.h"
#include "mdh/runtime/host/library.h"
#include "mdh/support/diagnostic.h"

namespace mdh::runtime::host {
namespace {

class HostKernel : public LoadedKernel {
 public:
  explicit HostKernel(Kernel kernel) : kernel_(std::move(kernel)) {}

  const kernel::Module& module() const override { return kernel_.module(); }

  void call(std::span<void* const> buffers, int threads) const override {
    kernel_(buffers, threads);
  }

  Timing time(std::span<void* const> buffers, int threads,
              const TimingLimits& limits) const override {
    return measure([&] { kernel_(buffers, threads); }, limits);
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
  Accuracy accuracy() const override { return {}; }

  bool takes(const std::string& language) const override { return language == "c"; }

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
  static const Runtime here = {.name = "host", .list = devices, .open = open, .has_worker = true};
  return here;
}

LoadedKernels load_plainly(std::span<const kernel::Module> modules) {
  return all_loaded(load_by_any(modules, find_compiler()));
}

std::shared_ptr<const LoadedKernel> as_loaded(const Kernel& kernel) {
  return std::make_shared<HostKernel>(kernel);
}

}  // namespace mdh::runtime::host
