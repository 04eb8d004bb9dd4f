// Devices: what compiled kernels run on. A runtime is one way to reach devices, such as this
// machine with its C compilers, or OpenCL. It lists its devices and opens one of them; everything
// else goes through the two classes here, so that nobody asks what kind of device it is.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "mdh/kernel/module.h"
#include "mdh/runtime/build.h"
#include "mdh/runtime/timer.h"
#include "mdh/support/diagnostic.h"
#include "mdh/support/hardware.h"

namespace mdh::runtime {

/// For listings.
struct DeviceInfo {
  std::string name;
  std::string kind;                                          // "host", "opencl:0 GPU", ...
  std::vector<std::pair<std::string, std::string>> details;  // "cores", "16"; in order
};

/// How exact exp and its like are.
enum class Mathematics {
  correct,  // computed in double, and rounded
  opencl,   // within the bounds of OpenCL's standard
};

/// In what the floating-point numbers of a device deviate from those of the host.
struct Accuracy {
  bool has_exact_division = true;  // division and square root of f32 rounded as IEEE 754 wants
  bool has_subnormals = true;      // of f32
  Mathematics mathematics = Mathematics::correct;
};

/// How many groups of how many items a device runs, and how much memory a group shares. A machine
/// is described with these numbers, and they correct what is known of the language.
struct GridNumbers {
  int64_t groups_at_once = 0;
  int64_t items_per_group = 0;
  int64_t local_bytes = 0;
  int64_t global_bytes = 0;
  int64_t lockstep = 1;           // neighbouring items that have a barrier of their own
  int64_t warp = 0;               // neighbouring items that run together; 0: unknown
  bool copies_in_flight = false;  // from global to local memory, past the registers
  int64_t groups_of_cluster = 1;  // that read each other's local memory, at most
  int64_t register_bytes = 0;     // of an item, at most; 0: unknown
  std::array<int64_t, 3> groups_per_axis = {0, 0, 0};  // of a launch, at most; 0: unknown
  friend bool operator==(const GridNumbers&, const GridNumbers&) = default;
};

/// Memory on a device, which is freed with the object. On the host it is plain memory.
class DeviceMemory {
 public:
  explicit DeviceMemory(int64_t bytes) : bytes_(bytes) {}
  virtual ~DeviceMemory() = default;
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  int64_t bytes() const { return bytes_; }

  /// What kernels are given: a pointer, or what else the driver knows the memory by.
  virtual void* handle() const = 0;

  /// All of it, from and to memory of the host. Done on return.
  virtual void upload(const void* from) const = 0;
  virtual void download(void* to) const = 0;

  /// All bytes become this one. Done on return.
  virtual void fill(int byte) const {
    const std::vector<char> filled(static_cast<size_t>(bytes_), static_cast<char>(byte));
    upload(filled.data());
  }

  /// Some of it, from and to memory of the host. Done on return.
  virtual void download_part(int64_t offset, int64_t bytes, void* to) const {
    std::vector<char> all(static_cast<size_t>(bytes_));
    download(all.data());
    std::copy_n(all.begin() + offset, bytes, static_cast<char*>(to));
  }

  /// From now on a kernel that writes here crashes, and no upload is possible. False where a device
  /// cannot do that.
  virtual bool protect() const { return false; }

 private:
  int64_t bytes_;
};

/// What a kernel runs on: memory of the device, of mdh's or the caller's own making.
struct RunOn {
  /// Handles, one per argument of the module, outputs first. Where they are pointers, a user error
  /// (E640) if one is not aligned as the code needs it.
  std::span<void* const> buffers;
  void* workspace = nullptr;  // a handle, of workspace_bytes(); none: one of the kernel's own
  /// The driver's handle of a queue of commands that run in order, of the device's own context.
  /// With one, the run is only put there; the buffers stay until it is done. None, as on the host:
  /// it is done on return.
  void* stream = nullptr;
  int threads = 1;  // of the host; a device has its own number of cores
};

/// A kernel that is built for a device and loaded. Any number of threads may call it at the same
/// time: each call has a workspace of its own, if it brings none.
class LoadedKernel {
 public:
  virtual ~LoadedKernel() = default;

  virtual const kernel::Module& module() const = 0;

  /// Only the launches, on memory that is there already.
  virtual void run(const RunOn& on) const = 0;

  /// The same, not in a stream: how many microseconds the launches took, by the clock of the device
  /// if it has one.
  virtual double timed_run(const RunOn& on) const {
    const auto before = std::chrono::steady_clock::now();
    run(on);
    const auto after = std::chrono::steady_clock::now();
    return std::chrono::duration<double, std::micro>(after - before).count();
  }

  /// Each call of the result measures a run, or the mean of many, as well as the device can. The
  /// kernel and the memory have to stay as long as the result is used. Without cold caches, if not
  /// overridden.
  virtual std::function<Lap()> stopwatch(const RunOn& on, Caches caches = Caches::warm) const;

  int64_t workspace_bytes() const { return module().workspace(); }

  /// On memory of the host: one pointer per argument of the module, outputs first.
  virtual void call(std::span<void* const> buffers, int threads) const = 0;

  /// How long it takes on these data. Where data have to be moved to the device first, they are
  /// moved before the clock starts. What the limits say of caches is as above.
  virtual Timing time(std::span<void* const> buffers, int threads,
                      const TimingLimits& limits) const = 0;

  virtual std::vector<Resources> resources() const { return {}; }
  /// The file that another process can load, as long as the kernel is there.
  virtual std::string file() const = 0;

  /// What the user should know about how it was compiled; mostly nothing.
  virtual std::string remark() const { return {}; }

 protected:
  /// Of a runtime without cold caches; who asks for them has asked it first.
  static void require_warm(Caches caches) {
    internal_check(caches == Caches::warm, "a device that has no cold caches");
  }
};

using LoadedKernels = std::vector<std::shared_ptr<const LoadedKernel>>;

/// What modules are loaded for.
enum class Purpose {
  /// To be called: flags that a compiler refuses are the user's mistake, and another compiler that
  /// takes the source is worth a remark.
  calls,
  /// To check others: any compiler that takes them will do.
  checks,
};

/// A device, opened.
class Device {
 public:
  virtual ~Device() = default;

  /// By which open_device (runtimes.h) finds it, also in another process: "opencl:1".
  virtual std::string name() const = 0;

  virtual Accuracy accuracy() const = 0;

  /// Its kernels run on no core of this machine, which may compile others meanwhile.
  virtual bool is_apart() const { return false; }

  /// A kernel has broken it: nothing runs there any more, unless in a new process.
  virtual bool is_lost() const { return false; }

  /// Where it is in this machine: the same text in every process that opens it, under whatever number
  /// and by whatever runtime. Empty where nobody can tell, and on this machine's own cores.
  virtual std::string place() const { return {}; }

  /// Which hardware it is, for records. Nothing for this machine, which is probed elsewhere.
  virtual std::optional<MachineIdentity> identity() const { return std::nullopt; }

  /// Nothing if it has no grid.
  virtual std::optional<GridNumbers> grid() const { return std::nullopt; }

  /// Whether it runs modules that are printed in this language.
  virtual bool takes(const std::string& language) const = 0;

  /// Builds modules as one unit, which is cheaper than one each, and loads them: one kernel per
  /// module, in order. kernel::Refused if no compiler takes the source, a user error if the device
  /// is too small for it.
  LoadedKernels load(std::span<const kernel::Module> modules,
                     Purpose purpose = Purpose::calls) const {
    return load_for(purpose, modules);
  }

  /// Builds many modules, several at a time and each within a time limit: one outcome per module of
  /// each group. Modules that fail are lost alone. Nothing is loaded, so that nothing that a driver
  /// does happens in this process.
  virtual std::vector<std::vector<Built>> build(const ModuleGroups& groups,
                                                const BuildLimits& limits) const = 0;

  /// What the functions of each module need, in the order of their launches, as the compiler tells
  /// it: nothing is loaded. Nothing where it does not tell. kernel::Refused if a source is.
  virtual std::vector<std::vector<Resources>> needs_of(std::span<const kernel::Module>) const {
    return {};
  }

  /// Loads what build() has made, here or in another process. The module needs no source.
  virtual std::shared_ptr<const LoadedKernel> load_object(const kernel::Module& module,
                                                          const std::string& path) const = 0;

  /// Memory for kernels of this device. An error of kind "missing" if there is not that much;
  /// `what` is its name there.
  virtual std::shared_ptr<const DeviceMemory> allocate(
      int64_t bytes, const std::string& what = "a buffer") const = 0;

 private:
  virtual LoadedKernels load_for(Purpose purpose,
                                 std::span<const kernel::Module> modules) const = 0;
};

/// A device on the bus of a machine, as Device::place() calls it.
inline std::string bus_place(int64_t domain, int64_t bus, int64_t device) {
  return fmt::format("pci {:04x}:{:02x}:{:02x}", domain, bus, device);
}

/// Empty for this machine.
inline std::string model_of(const Device& device) {
  const auto identity = device.identity();
  return identity ? identity->model : "";
}

/// One way to reach devices.
struct Runtime {
  std::string name;  // "opencl"; its devices are "opencl:0", "opencl:1", ...
  bool is_numbered = false;
  /// Those that are there; none where a driver or a library is missing.
  std::vector<DeviceInfo> (*list)() = nullptr;
  /// The device of that name; the first one if it is empty or the name of the runtime. The error
  /// names those that there are.
  std::shared_ptr<const Device> (*open)(const std::string& name) = nullptr;
  /// Its devices can be timed with cold caches.
  bool has_cold_caches = false;
  /// Its devices can be opened in a process of their own, which may be killed (worker/worker.h).
  bool has_worker = true;
};

}  // namespace mdh::runtime
