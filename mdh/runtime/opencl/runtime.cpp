#include "mdh/runtime/opencl/runtime.h"

#include <mutex>

#include "mdh/runtime/opencl/kernel.h"
#include "mdh/runtime/opencl/limits.h"
#include "mdh/runtime/opencl/source.h"
#include "mdh/runtime/opencl/stopwatch.h"
#include "mdh/support/diagnostic.h"

namespace mdh::runtime::opencl {
namespace {

/// The source, in a file of its own. Drivers differ in what they make of binaries, and most keep
/// what they have compiled themselves.
Object object_of(const kernel::Module& module) {
  const auto folder = std::make_shared<const TemporaryDirectory>();
  Object object{.path = folder->path() / "kernels.cl", .is_source = true, .folder = folder};
  write_file(object.path, source_of({&module, 1}));
  return object;
}

class OpenCLKernel : public LoadedKernel {
 public:
  explicit OpenCLKernel(Kernel kernel) : kernel_(std::move(kernel)) {}

  const kernel::Module& module() const override { return kernel_.module(); }

  void run(const RunOn& on) const override { kernel_.run(on); }

  double timed_run(const RunOn& on) const override {
    internal_check(on.stream == nullptr, "no time is known of a run in a stream");
    return device_time(kernel_.run(on));
  }

  std::function<Lap()> stopwatch(const RunOn& on, Caches caches) const override {
    require_warm(caches);
    internal_check(on.stream == nullptr, "no time is known of runs in a stream");
    return opencl::stopwatch([this, on](int calls) { return kernel_.run(on, calls); });
  }

  void call(std::span<void* const> buffers, int) const override { kernel_(buffers); }

  Timing time(std::span<void* const> buffers, int, const TimingLimits& limits) const override {
    const Memory there(kernel_.context(), kernel_.module().arguments);
    there.upload(buffers);
    require_warm(limits.caches);
    return measure_laps(opencl::stopwatch([&](int calls) { return kernel_.run(there, calls); }),
                        limits);
  }

  std::vector<Resources> resources() const override { return kernel_.resources(); }

  /// Written when somebody asks for it.
  std::string file() const override {
    std::call_once(once_, [this] { object_ = object_of(kernel_.module()); });
    return object_.path;
  }

 private:
  Kernel kernel_;
  mutable std::once_flag once_;
  mutable Object object_;
};

/// A context costs time and memory of the device: it is opened when something is to run there.
class OpenCLDevice : public runtime::Device {
 public:
  explicit OpenCLDevice(opencl::Device device) : device_(std::move(device)) {}

  std::string name() const override { return fmt::format("opencl:{}", device_.number); }

  Accuracy accuracy() const override {
    return {.has_exact_division = device_.has_exact_fp32_division,
            .has_subnormals = device_.has_fp32_subnormals,
            .mathematics = Mathematics::opencl};
  }

  std::string place() const override { return device_.place; }

  std::optional<MachineIdentity> identity() const override {
    return MachineIdentity{device_.vendor,
                           device_.name,
                           device_.compute_units,
                           fmt::format("{}, driver {}", device_.version, device_.driver),
                           {{"local", device_.local_mem_bytes}}};
  }

  /// Others run kernels on the cores of this machine.
  bool is_apart() const override { return device_.kind == DeviceKind::gpu; }

  std::optional<GridNumbers> grid() const override { return grid_numbers(device_); }

  bool takes(const std::string& language) const override { return language == "opencl"; }

  /// What can be refused without a compiler is; the rest is up to who loads it, within the time
  /// that there is for that.
  std::vector<std::vector<Built>> build(const ModuleGroups& groups,
                                        const BuildLimits&) const override {
    std::vector<std::vector<Built>> results;
    for (const std::vector<kernel::Module>& group : groups) {
      results.emplace_back();
      for (const kernel::Module& module : group) results.back().push_back(built(module));
    }
    return results;
  }

  std::shared_ptr<const LoadedKernel> load_object(const kernel::Module& module,
                                                  const std::string& path) const override {
    kernel::Module with_source = module;
    with_source.language = "opencl";
    with_source.source = read_file(path);
    with_source.contract_allowed = true;  // as far as the source allows it
    return load({&with_source, 1}).front();
  }

  std::shared_ptr<const DeviceMemory> allocate(int64_t bytes,
                                               const std::string& what) const override {
    return opencl::allocate(context(), bytes, what);
  }

 private:
  Built built(const kernel::Module& module) const {
    try {
      check_types(module, device_);
      check_local_memory(module, device_);
      return {.object = object_of(module), .failure = {}};
    } catch (const Error& e) {
      if (e.diagnostic().kind == DiagnosticKind::internal) throw;
      return {.object = std::nullopt, .failure = {.text = e.what()}};
    }
  }

  LoadedKernels load_for(Purpose, std::span<const kernel::Module> modules) const override {
    LoadedKernels kernels;
    for (Kernel& kernel : opencl::load(modules, context())) {
      kernels.push_back(std::make_shared<OpenCLKernel>(std::move(kernel)));
    }
    return kernels;
  }

  const Context& context() const {
    std::call_once(once_, [this] { context_.emplace(device_); });
    return *context_;
  }

  opencl::Device device_;
  mutable std::once_flag once_;
  mutable std::optional<Context> context_;
};

/// None where there is no OpenCL, or no device.
std::vector<DeviceInfo> list() {
  std::vector<DeviceInfo> all;
  try {
    for (const Device& d : devices()) {
      DeviceInfo info{d.name, fmt::format("opencl:{} {}", d.number, to_string(d.kind)), {}};
      info.details = {{"platform", d.platform},
                      {"version", d.version},
                      {"compute units", std::to_string(d.compute_units)},
                      {"items of a group", std::to_string(d.max_work_group_size)},
                      {"local memory", fmt::format("{} bytes", d.local_mem_bytes)},
                      {"memory", fmt::format("{:.1f} GiB",
                                             static_cast<double>(d.global_mem_bytes) / (1 << 30))},
                      {"cache", fmt::format("{} bytes", d.cache_bytes)},
                      {"doubles", d.has_fp64 ? "yes" : "no"}};
      if (d.warp > 0) info.details.emplace_back("items of a warp", std::to_string(d.warp));
      if (d.clock_mhz > 0) info.details.emplace_back("clock", fmt::format("{} MHz", d.clock_mhz));
      all.push_back(std::move(info));
    }
  } catch (const Error& e) {
    if (e.diagnostic().kind != DiagnosticKind::missing) throw;
  }
  return all;
}

std::shared_ptr<const runtime::Device> open(const std::string& name) {
  return std::make_shared<OpenCLDevice>(find_device(name.empty() ? "opencl" : name));
}

}  // namespace

const Runtime& runtime() {
  static const Runtime here = {.name = "opencl", .is_numbered = true, .list = list, .open = open};
  return here;
}

}  // namespace mdh::runtime::opencl
