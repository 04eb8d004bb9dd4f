#include "mdh/runtime/opencl/discover.h"

#include <algorithm>
#include <mutex>

#include "mdh/runtime/opencl/hints.h"
#include "mdh/runtime/opencl/kept_environment.h"
#include "mdh/support/diagnostic.h"
#include "mdh/support/text.h"

namespace mdh::runtime::opencl {
namespace {

/// Texts come with a zero at the end, which some drivers count twice, and with blanks.
std::string trimmed(std::string text) {
  text.resize(text.find_last_not_of(std::string("\0 ", 2)) + 1);
  return text.substr(std::min(text.find_first_not_of(' '), text.size()));
}

std::string text_of(const Api& api, cl_platform_id platform, cl_platform_info what) {
  size_t bytes = 0;
  check(api.get_platform_info(platform, what, 0, nullptr, &bytes), "clGetPlatformInfo");
  std::string text(bytes, '\0');
  check(api.get_platform_info(platform, what, bytes, text.data(), nullptr), "clGetPlatformInfo");
  return trimmed(std::move(text));
}

/// Asks one device.
struct Question {
  const Api& api;
  cl_device_id id;

  std::string text(cl_device_info what) const {
    size_t bytes = 0;
    check(api.get_device_info(id, what, 0, nullptr, &bytes), "clGetDeviceInfo");
    std::string answer(bytes, '\0');
    check(api.get_device_info(id, what, bytes, answer.data(), nullptr), "clGetDeviceInfo");
    return trimmed(std::move(answer));
  }

  template <class T>
  T value(cl_device_info what) const {
    T answer{};
    check(api.get_device_info(id, what, sizeof answer, &answer, nullptr), "clGetDeviceInfo");
    return answer;
  }

  /// False where a driver does not know the question.
  template <class T>
  bool is_told(cl_device_info what, T& answer) const {
    return api.get_device_info(id, what, sizeof answer, &answer, nullptr) == CL_SUCCESS;
  }

  template <class T>
  int64_t number(cl_device_info what) const {
    return static_cast<int64_t>(value<T>(what));
  }

  /// Devices may have more than the three axes that we use.
  std::array<int64_t, 3> axes(cl_device_info what) const {
    std::vector<size_t> sizes(value<cl_uint>(CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS), 1);
    check(api.get_device_info(id, what, sizes.size() * sizeof(size_t), sizes.data(), nullptr),
          "clGetDeviceInfo");
    sizes.resize(3, 1);
    return {static_cast<int64_t>(sizes[0]), static_cast<int64_t>(sizes[1]),
            static_cast<int64_t>(sizes[2])};
  }
};

// Extensions, by the numbers of their documents: headers may be older.
constexpr cl_device_info pci_bus_info = 0x410F;  // cl_khr_pci_bus_info
constexpr cl_device_info nv_bus = 0x4008, nv_slot = 0x4009, nv_domain = 0x400A;  // of NVIDIA

constexpr cl_device_info nv_warp = 0x4003;        // cl_nv_device_attribute_query
constexpr cl_device_info amd_wavefront = 0x4043;  // cl_amd_device_attribute_query

/// Others have groups of items whose size is up to their compiler.
int64_t warp_of(const Question& ask) {
  cl_uint items = 0;
  const bool is_told = ask.is_told(nv_warp, items) || ask.is_told(amd_wavefront, items);
  return is_told ? static_cast<int64_t>(items) : 0;
}

/// A device on the bus, as CUDA would name it.
std::string place_of(const Question& ask) {
  struct {
    cl_uint domain, bus, device, function;
  } khronos{};
  if (ask.is_told(pci_bus_info, khronos)) {
    return bus_place(khronos.domain, khronos.bus, khronos.device);
  }
  cl_uint bus = 0, slot = 0, domain = 0;
  if (!ask.is_told(nv_bus, bus) || !ask.is_told(nv_slot, slot)) return {};
  if (!ask.is_told(nv_domain, domain)) domain = 0;
  return bus_place(domain, bus, slot / 8);  // eight functions of each
}

DeviceKind kind_of(cl_device_type type) {
  if ((type & CL_DEVICE_TYPE_GPU) != 0) return DeviceKind::gpu;
  if ((type & CL_DEVICE_TYPE_CPU) != 0) return DeviceKind::cpu;
  if ((type & CL_DEVICE_TYPE_ACCELERATOR) != 0) return DeviceKind::accelerator;
  return DeviceKind::other;
}

Device describe(const Question& ask, const std::string& platform) {
  Device device;
  device.name = in_ascii(ask.text(CL_DEVICE_NAME));
  device.platform = platform;
  device.vendor = ask.text(CL_DEVICE_VENDOR);
  device.version = ask.text(CL_DEVICE_VERSION);
  device.driver = ask.text(CL_DRIVER_VERSION);
  device.kind = kind_of(ask.value<cl_device_type>(CL_DEVICE_TYPE));
  device.compute_units = ask.number<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS);
  device.max_work_group_size = ask.number<size_t>(CL_DEVICE_MAX_WORK_GROUP_SIZE);
  device.max_work_item_sizes = ask.axes(CL_DEVICE_MAX_WORK_ITEM_SIZES);
  device.local_mem_bytes = ask.number<cl_ulong>(CL_DEVICE_LOCAL_MEM_SIZE);
  device.global_mem_bytes = ask.number<cl_ulong>(CL_DEVICE_GLOBAL_MEM_SIZE);
  device.max_allocation_bytes = ask.number<cl_ulong>(CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  device.cache_bytes = ask.number<cl_ulong>(CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
  device.clock_mhz = ask.number<cl_uint>(CL_DEVICE_MAX_CLOCK_FREQUENCY);
  device.has_dedicated_local_mem =
      ask.value<cl_device_local_mem_type>(CL_DEVICE_LOCAL_MEM_TYPE) == CL_LOCAL;
  device.has_fp64 = ask.value<cl_device_fp_config>(CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
  const auto single = ask.value<cl_device_fp_config>(CL_DEVICE_SINGLE_FP_CONFIG);
  device.has_exact_fp32_division = (single & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
  device.has_fp32_subnormals = (single & CL_FP_DENORM) != 0;
  if (device.kind == DeviceKind::gpu) {
    device.place = place_of(ask);
    device.warp = warp_of(ask);
  }
  return device;
}

/// "No platform" is an answer, not a failure: the loader has a status of its own for it (-1001).
std::vector<cl_platform_id> platforms(const Api& api) {
  static std::mutex mutex;  // one snapshot at a time, and never one of what was cut meanwhile
  const std::lock_guard<std::mutex> lock(mutex);
  const KeptEnvironment kept;
  cl_uint count = 0;
  if (api.get_platform_ids(0, nullptr, &count) != CL_SUCCESS) return {};
  std::vector<cl_platform_id> all(count);
  check(api.get_platform_ids(count, all.data(), nullptr), "clGetPlatformIDs");
  return all;
}

/// A platform that fails here has a broken driver; the others may still be of use.
std::vector<cl_device_id> devices_of(const Api& api, cl_platform_id platform) {
  cl_uint count = 0;
  if (api.get_device_ids(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS) return {};
  std::vector<cl_device_id> all(count);
  check(api.get_device_ids(platform, CL_DEVICE_TYPE_ALL, count, all.data(), nullptr),
        "clGetDeviceIDs");
  return all;
}

bool is_usable(const Question& ask) {
  return ask.value<cl_bool>(CL_DEVICE_AVAILABLE) == CL_TRUE &&
         ask.value<cl_bool>(CL_DEVICE_COMPILER_AVAILABLE) == CL_TRUE;
}

}  // namespace

std::vector<Discovered> discover(const Api& api) {
  std::vector<Discovered> found;
  for (const cl_platform_id platform : platforms(api)) {
    const std::string name = text_of(api, platform, CL_PLATFORM_NAME);
    for (const cl_device_id id : devices_of(api, platform)) {
      const Question ask{api, id};
      if (!is_usable(ask)) continue;
      found.push_back({describe(ask, name), platform, id});
    }
  }
  if (found.empty()) missing("E612", "there is no OpenCL device", what_to_install);
  std::stable_sort(found.begin(), found.end(), [](const Discovered& a, const Discovered& b) {
    return is_preferred(a.device.kind, b.device.kind);
  });
  for (size_t n = 0; n < found.size(); ++n) found[n].device.number = static_cast<int>(n);
  return found;
}

std::vector<Device> devices() {
  std::vector<Device> all;
  for (const Discovered& one : discover(api())) all.push_back(one.device);
  return all;
}

}  // namespace mdh::runtime::opencl
