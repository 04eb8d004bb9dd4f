// Devices: what compiled kernels run on. A runtime is one way to reach devices, such as this
// machine with its C compilers, or OpenCL. It lists its devices and opens one of them; everything
// else goes through the two classes here, so that nobody asks what kind of device it is.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mdh/kernel/module.h"
#include "mdh/runtime/timer.h"

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

/// Which hardware it is, for records: times of one say nothing about another.
struct Identity {
  std::string vendor;
  std::string model;
  int64_t cores = 0;
  std::string version;                    // instruction set, or language and driver
  std::map<std::string, int64_t> memory;  // "local": bytes
};

/// How many groups of how many items a device runs, and how much memory a group shares. A machine
/// is described with these numbers.
struct GridNumbers {
  int64_t groups_at_once = 0;
  int64_t items_per_group = 0;
  int64_t local_bytes = 0;
  int64_t global_bytes = 0;
  friend bool operator==(const GridNumbers&, const GridNumbers&) = default;
};

/// What a built function needs of each item and group, as far as the driver tells. OpenCL tells
/// nothing of registers.
struct Resources {
  std::string function;
  std::optional<int64_t> registers;        // of an item
  std::optional<int64_t> spilled_bytes;    // of an item
  std::optional<int64_t> local_bytes;      // of a group
  std::optional<int64_t> items_per_group;  // at most
};

/// A kernel that is built for a device and loaded. Any number of threads may call it at the same
/// time: each call has a workspace of its own.
class LoadedKernel {
 public:
  virtual ~LoadedKernel() = default;

  virtual const kernel::Module& module() const = 0;

  /// On memory of the host: one pointer per argument of the module, outputs first. A device has its
  /// own number of cores; threads are those of the host.
  virtual void call(std::span<void* const> buffers, int threads) const = 0;

  /// How long it takes on these data. Where data have to be moved to the device first, they are
  /// moved before the clock starts.
  virtual Timing time(std::span<void* const> buffers, int threads,
                      const TimingLimits& limits) const = 0;

  virtual std::vector<Resources> resources() const { return {}; }

  /// The compiled file, which another process can load; nothing if there is none.
  virtual std::string file() const { return {}; }

  /// What the user should know about how it was compiled; mostly nothing.
  virtual std::string remark() const { return {}; }
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

  virtual Accuracy accuracy() const = 0;

  /// Nothing for this machine, whose hardware is probed elsewhere.
  virtual std::optional<Identity> identity() const { return std::nullopt; }

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

 private:
  virtual LoadedKernels load_for(Purpose purpose,
                                 std::span<const kernel::Module> modules) const = 0;
};

/// One way to reach devices.
struct Runtime {
  std::string name;  // "opencl"; its devices are "opencl:0", "opencl:1", ...
  bool is_numbered = false;
  /// Those that are there; none where a driver or a library is missing.
  std::vector<DeviceInfo> (*list)() = nullptr;
  /// The device of that name; the first one if it is empty or the name of the runtime. The error
  /// names those that there are.
  std::shared_ptr<const Device> (*open)(const std::string& name) = nullptr;
  /// Compiled code runs in a process of its own, which may be killed.
  bool has_worker = false;
};

}  // namespace mdh::runtime
