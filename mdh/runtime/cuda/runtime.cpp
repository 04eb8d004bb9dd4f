#include "mdh/runtime/cuda/runtime.h"

#include <mutex>

#include "mdh/runtime/cuda/build.h"
#include "mdh/runtime/cuda/context.h"
#include "mdh/runtime/cuda/device.h"
#include "mdh/runtime/cuda/kernel.h"
#include "mdh/runtime/cuda/limits.h"
#include "mdh/runtime/cuda/memory.h"
#include "mdh/support/diagnostic.h"

namespace mdh::runtime::cuda {
namespace {

/// A context costs time and memory of the device: it is opened when something is to run there.
/// Building needs none.
class CudaDevice : public runtime::Device {
 public:
  explicit CudaDevice(cuda::Device device) : device_(std::move(device)) {}

  std::string name() const override { return fmt::format("cuda:{}", device_.number); }

  /// Options of the compiler see to division and subnormals. The errors that CUDA documents for its
  /// functions are within those that OpenCL's standard allows: in f32 for example 2 ulp of 3 for
  /// exp, 1 of 3 for log, 2 of 4 for sin and cos, 4 of 5 for tan, 4 of 16 for pow.
  Accuracy accuracy() const override { return {.mathematics = Mathematics::opencl}; }

  bool is_apart() const override { return true; }

  bool is_lost() const override {
    const std::lock_guard<std::mutex> lock(mutex_);
    return context_ && context_->is_lost();
  }

  std::string place() const override { return device_.place; }

  std::optional<MachineIdentity> identity() const override {
    return MachineIdentity{
        "NVIDIA",
        device_.name,
        device_.multiprocessors,
        fmt::format("{}, CUDA {}.{}", to_string(device_.arch), device_.driver_version / 1000,
                    device_.driver_version % 1000 / 10),
        {{"L2", device_.l2_bytes}, {"local", device_.shared_bytes_optin}}};
  }

  std::optional<GridNumbers> grid() const override { return grid_numbers(device_); }

  bool takes(const std::string& language) const override { return language == "cuda"; }

  std::vector<std::vector<Built>> build(const ModuleGroups& groups,
                                        const BuildLimits& limits) const override {
    std::vector<kernel::Module> all;
    for (const auto& group : groups) all.insert(all.end(), group.begin(), group.end());
    const std::vector<Built> built = build_modules(all, device_, limits);
    std::vector<std::vector<Built>> results;
    auto next = built.begin();
    for (const auto& group : groups) {
      const auto end = next + static_cast<std::ptrdiff_t>(group.size());
      results.emplace_back(next, end);
      next = end;
    }
    return results;
  }

  std::vector<std::vector<Resources>> needs_of(
      std::span<const kernel::Module> modules) const override {
    for (const kernel::Module& module : modules) check_launches(module, device_);
    return compiled_needs(modules, device_);
  }

  std::shared_ptr<const LoadedKernel> load_object(const kernel::Module& module,
                                                  const std::string& path) const override {
    return load_kernel(module, Object{.path = path}, context());
  }

  std::shared_ptr<const DeviceMemory> allocate(int64_t bytes,
                                               const std::string& what) const override {
    return cuda::allocate(context(), bytes, what);
  }

 private:
  LoadedKernels load_for(Purpose purpose, std::span<const kernel::Module> modules) const override {
    const std::vector<Object> objects = build_all(modules, device_, purpose);
    LoadedKernels kernels;
    for (size_t n = 0; n < modules.size(); ++n) {
      kernels.push_back(loaded(modules[n], objects[n], purpose));
    }
    return kernels;
  }

  /// An object of the cache that the driver does not like is compiled anew.
  std::shared_ptr<const LoadedKernel> loaded(const kernel::Module& module, const Object& object,
                                             Purpose purpose) const {
    try {
      return load_kernel(module, object, context());
    } catch (const Error& e) {
      const DiagnosticKind kind = e.diagnostic().kind;
      if (!object.from_cache || is_lost() || kind == DiagnosticKind::user) throw;
      const BuildLimits anew{.renew = true};
      return load_kernel(module, build_all({&module, 1}, device_, purpose, anew).front(),
                         context());
    }
  }

  std::shared_ptr<const Context> context() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!context_) context_ = Context::of(device_);
    return context_;
  }

  cuda::Device device_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const Context> context_;
};

/// None where there is no driver, or no device.
std::vector<DeviceInfo> list() {
  std::vector<DeviceInfo> all;
  try {
    for (const Device& device : devices()) all.push_back(info_of(device));
  } catch (const Error& e) {
    if (e.diagnostic().kind != DiagnosticKind::missing) throw;
  }
  return all;
}

std::shared_ptr<const runtime::Device> open(const std::string& name) {
  return std::make_shared<CudaDevice>(find_device(name.empty() ? "cuda" : name));
}

}  // namespace

const Runtime& runtime() {
  static const Runtime here = {
      .name = "cuda", .is_numbered = true, .list = list, .open = open, .has_cold_caches = true};
  return here;
}

}  // namespace mdh::runtime::cuda
