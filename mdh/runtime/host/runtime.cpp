#include "mdh/runtime/host/runtime.h"

#include "mdh/runtime/host/devices.h"
#include "mdh/runtime/host/library.h"

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

class HostDevice : public runtime::Device {
 public:
  Accuracy accuracy() const override { return {}; }

  bool takes(const std::string& language) const override { return language == "c"; }

  /// By the compiler that the first one asks for.
  LoadedKernels load(std::span<const kernel::Module> modules) const override {
    LoadedKernels kernels;
    const auto add = [&](Kernel kernel) {
      kernels.push_back(std::make_shared<HostKernel>(std::move(kernel)));
    };
    if (modules.size() == 1) {
      add(host::load(modules.front()));
    } else if (!modules.empty()) {
      const Compiler compiler = compiler_for(modules.front(), Cache::of_user());
      for (Kernel& kernel : load_by_any(modules, compiler)) add(std::move(kernel));
    }
    return kernels;
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

std::shared_ptr<const LoadedKernel> as_loaded(const Kernel& kernel) {
  return std::make_shared<HostKernel>(kernel);
}

}  // namespace mdh::runtime::host
