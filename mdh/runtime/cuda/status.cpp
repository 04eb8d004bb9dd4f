#include <array>

#include <fmt/format.h>

#include "mdh/runtime/cuda/driver_api.h"
#include "mdh/runtime/cuda/hints.h"
#include "mdh/support/diagnostic.h"

namespace mdh::runtime::cuda {
namespace {

struct NamedStatus {
  CuResult code;
  const char* name;
};

// cuGetErrorName would say the same, but not of a driver that is not there.
constexpr std::array status_names = {
    NamedStatus{0, "CUDA_SUCCESS"},
    NamedStatus{1, "CUDA_ERROR_INVALID_VALUE"},
    NamedStatus{2, "CUDA_ERROR_OUT_OF_MEMORY"},
    NamedStatus{3, "CUDA_ERROR_NOT_INITIALIZED"},
    NamedStatus{4, "CUDA_ERROR_DEINITIALIZED"},
    NamedStatus{5, "CUDA_ERROR_PROFILER_DISABLED"},
    NamedStatus{6, "CUDA_ERROR_PROFILER_NOT_INITIALIZED"},
    NamedStatus{7, "CUDA_ERROR_PROFILER_ALREADY_STARTED"},
    NamedStatus{8, "CUDA_ERROR_PROFILER_ALREADY_STOPPED"},
    NamedStatus{34, "CUDA_ERROR_STUB_LIBRARY"},
    NamedStatus{36, "CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER"},
    NamedStatus{46, "CUDA_ERROR_DEVICE_UNAVAILABLE"},
    NamedStatus{100, "CUDA_ERROR_NO_DEVICE"},
    NamedStatus{101, "CUDA_ERROR_INVALID_DEVICE"},
    NamedStatus{102, "CUDA_ERROR_DEVICE_NOT_LICENSED"},
    NamedStatus{200, "CUDA_ERROR_INVALID_IMAGE"},
    NamedStatus{201, "CUDA_ERROR_INVALID_CONTEXT"},
    NamedStatus{202, "CUDA_ERROR_CONTEXT_ALREADY_CURRENT"},
    NamedStatus{205, "CUDA_ERROR_MAP_FAILED"},
    NamedStatus{206, "CUDA_ERROR_UNMAP_FAILED"},
    NamedStatus{207, "CUDA_ERROR_ARRAY_IS_MAPPED"},
    NamedStatus{208, "CUDA_ERROR_ALREADY_MAPPED"},
    NamedStatus{209, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
    NamedStatus{210, "CUDA_ERROR_ALREADY_ACQUIRED"},
    NamedStatus{211, "CUDA_ERROR_NOT_MAPPED"},
    NamedStatus{212, "CUDA_ERROR_NOT_MAPPED_AS_ARRAY"},
    NamedStatus{213, "CUDA_ERROR_NOT_MAPPED_AS_POINTER"},
    NamedStatus{214, "CUDA_ERROR_ECC_UNCORRECTABLE"},
    NamedStatus{215, "CUDA_ERROR_UNSUPPORTED_LIMIT"},
    NamedStatus{216, "CUDA_ERROR_CONTEXT_ALREADY_IN_USE"},
    NamedStatus{217, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED"},
    NamedStatus{218, "CUDA_ERROR_INVALID_PTX"},
    NamedStatus{219, "CUDA_ERROR_INVALID_GRAPHICS_CONTEXT"},
    NamedStatus{220, "CUDA_ERROR_NVLINK_UNCORRECTABLE"},
    NamedStatus{221, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND"},
    NamedStatus{222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"},
    NamedStatus{223, "CUDA_ERROR_JIT_COMPILATION_DISABLED"},
    NamedStatus{224, "CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY"},
    NamedStatus{225, "CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC"},
    NamedStatus{226, "CUDA_ERROR_CONTAINED"},
    NamedStatus{300, "CUDA_ERROR_INVALID_SOURCE"},
    NamedStatus{301, "CUDA_ERROR_FILE_NOT_FOUND"},
    NamedStatus{302, "CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND"},
    NamedStatus{303, "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED"},
    NamedStatus{304, "CUDA_ERROR_OPERATING_SYSTEM"},
    NamedStatus{400, "CUDA_ERROR_INVALID_HANDLE"},
    NamedStatus{401, "CUDA_ERROR_ILLEGAL_STATE"},
    NamedStatus{402, "CUDA_ERROR_LOSSY_QUERY"},
    NamedStatus{500, "CUDA_ERROR_NOT_FOUND"},
    NamedStatus{600, "CUDA_ERROR_NOT_READY"},
    NamedStatus{700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
    NamedStatus{701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
    NamedStatus{702, "CUDA_ERROR_LAUNCH_TIMEOUT"},
    NamedStatus{703, "CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING"},
    NamedStatus{704, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED"},
    NamedStatus{705, "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED"},
    NamedStatus{708, "CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE"},
    NamedStatus{709, "CUDA_ERROR_CONTEXT_IS_DESTROYED"},
    NamedStatus{710, "CUDA_ERROR_ASSERT"},
    NamedStatus{711, "CUDA_ERROR_TOO_MANY_PEERS"},
    NamedStatus{712, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED"},
    NamedStatus{713, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED"},
    NamedStatus{714, "CUDA_ERROR_HARDWARE_STACK_ERROR"},
    NamedStatus{715, "CUDA_ERROR_ILLEGAL_INSTRUCTION"},
    NamedStatus{716, "CUDA_ERROR_MISALIGNED_ADDRESS"},
    NamedStatus{717, "CUDA_ERROR_INVALID_ADDRESS_SPACE"},
    NamedStatus{718, "CUDA_ERROR_INVALID_PC"},
    NamedStatus{719, "CUDA_ERROR_LAUNCH_FAILED"},
    NamedStatus{720, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE"},
    NamedStatus{721, "CUDA_ERROR_TENSOR_MEMORY_LEAK"},
    NamedStatus{800, "CUDA_ERROR_NOT_PERMITTED"},
    NamedStatus{801, "CUDA_ERROR_NOT_SUPPORTED"},
    NamedStatus{802, "CUDA_ERROR_SYSTEM_NOT_READY"},
    NamedStatus{803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"},
    NamedStatus{804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE"},
    NamedStatus{805, "CUDA_ERROR_MPS_CONNECTION_FAILED"},
    NamedStatus{806, "CUDA_ERROR_MPS_RPC_FAILURE"},
    NamedStatus{807, "CUDA_ERROR_MPS_SERVER_NOT_READY"},
    NamedStatus{808, "CUDA_ERROR_MPS_MAX_CLIENTS_REACHED"},
    NamedStatus{809, "CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED"},
    NamedStatus{810, "CUDA_ERROR_MPS_CLIENT_TERMINATED"},
    NamedStatus{811, "CUDA_ERROR_CDP_NOT_SUPPORTED"},
    NamedStatus{812, "CUDA_ERROR_CDP_VERSION_MISMATCH"},
    NamedStatus{900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"},
    NamedStatus{901, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"},
    NamedStatus{902, "CUDA_ERROR_STREAM_CAPTURE_MERGE"},
    NamedStatus{903, "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED"},
    NamedStatus{904, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED"},
    NamedStatus{905, "CUDA_ERROR_STREAM_CAPTURE_ISOLATION"},
    NamedStatus{906, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT"},
    NamedStatus{907, "CUDA_ERROR_CAPTURED_EVENT"},
    NamedStatus{908, "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD"},
    NamedStatus{909, "CUDA_ERROR_TIMEOUT"},
    NamedStatus{910, "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE"},
    NamedStatus{911, "CUDA_ERROR_EXTERNAL_DEVICE"},
    NamedStatus{912, "CUDA_ERROR_INVALID_CLUSTER_SIZE"},
    NamedStatus{913, "CUDA_ERROR_FUNCTION_NOT_LOADED"},
    NamedStatus{914, "CUDA_ERROR_INVALID_RESOURCE_TYPE"},
    NamedStatus{915, "CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION"},
    NamedStatus{916, "CUDA_ERROR_KEY_ROTATION"},
    NamedStatus{999, "CUDA_ERROR_UNKNOWN"},
};

/// What became of a kernel, in words.
struct Breakage {
  CuResult code;
  const char* what;
};

constexpr std::array breakages = {
    Breakage{illegal_address, "it used an address outside of its memory"},
    Breakage{misaligned_address, "it used an address that is not aligned"},
    Breakage{invalid_address_space, "it used an address of another kind of memory"},
    Breakage{illegal_instruction, "it came to an instruction that there is not"},
    Breakage{invalid_pc, "it went on at an address that is no code"},
    Breakage{hardware_stack_error, "its stack is spoilt or too small"},
    Breakage{launch_timeout, "it took longer than the driver allows"},
    Breakage{launch_failed, "it failed for a reason that the driver does not know"},
    Breakage{device_assert, "an assertion failed"},
    Breakage{tensor_memory_leak, "it kept memory of tensor cores"},
    Breakage{context_is_destroyed, "somebody has destroyed the context"},
    Breakage{ecc_uncorrectable, "the memory of the device has an error that cannot be corrected"},
    Breakage{nvlink_uncorrectable, "a link between devices has an error that cannot be corrected"},
    Breakage{contained, "the device has an error that cannot be corrected"},
};

/// What a driver cannot do on this machine, and what to do about it.
struct Shortage {
  CuResult code;
  const char* what;
  const char* hint;
};

constexpr const char* newer_driver =
    "install a newer driver, or name an older compiler with MDH_NVRTC or MDH_NVCC";
constexpr const char* ask_the_administrator =
    "nvidia-smi shows what is wrong; the driver and its services may have to be started again";

constexpr std::array shortages = {
    Shortage{not_initialized, "the CUDA driver is not initialised", ask_the_administrator},
    Shortage{no_device, "there is no CUDA device", how_to_see_a_device},
    Shortage{invalid_device, "there is no such CUDA device", "'mdh devices' lists those there are"},
    Shortage{stub_library, "the CUDA driver is a stub, which is only there to be linked against",
             how_to_get_a_driver},
    Shortage{device_unavailable, "another process has the CUDA device for itself",
             "wait until it is free, or choose another with CUDA_VISIBLE_DEVICES"},
    Shortage{device_not_licensed, "the CUDA device has no licence", ask_the_administrator},
    Shortage{no_binary_for_gpu, "the compiled kernel is for another kind of GPU",
             "unset MDH_CUDA_ARCH, or set it to what 'mdh devices' shows"},
    Shortage{invalid_image, "the CUDA driver does not know the form of a compiled kernel",
             newer_driver},
    Shortage{unsupported_ptx_version, "the compiler is newer than the CUDA driver", newer_driver},
    Shortage{jit_compiler_not_found, "the CUDA driver lacks its compiler for PTX",
             "install libnvidia-ptxjitcompiler, which comes with the driver"},
    Shortage{jit_compilation_disabled, "the CUDA driver may not compile PTX",
             "unset CUDA_DISABLE_PTX_JIT"},
    Shortage{system_not_ready, "the GPUs of this machine are not ready", ask_the_administrator},
    Shortage{system_driver_mismatch, "the CUDA library and the driver in the kernel do not match",
             "restart the machine after an update of the driver, or install them anew"},
    Shortage{compat_not_supported_on_device,
             "the compatibility package of CUDA does not work on this GPU",
             "install a newer driver, and take cuda-compat out of LD_LIBRARY_PATH"},
    Shortage{mps_connection_failed, "CUDA's MPS server does not answer", ask_the_administrator},
    Shortage{mps_server_not_ready, "CUDA's MPS server is not ready", ask_the_administrator},
    Shortage{mps_max_clients_reached, "CUDA's MPS server has too many clients",
             "end other programs on the GPU"},
    Shortage{mps_max_connections_reached, "CUDA's MPS server has too many connections",
             "end other programs on the GPU"},
    Shortage{mps_client_terminated, "CUDA's MPS server has ended this client",
             ask_the_administrator},
};

template <class Rows>
auto row_of(const Rows& rows, CuResult status) -> decltype(rows.data()) {
  for (const auto& row : rows) {
    if (row.code == status) return &row;
  }
  return nullptr;
}

[[noreturn]] void context_broken(const Breakage& how, const char* call) {
  throw Error({DiagnosticKind::internal,
               "E646",
               {},
               fmt::format("a kernel broke its CUDA context: {} ({} in {})", how.what,
                           status_name(how.code), call),
               {},
               "nothing else can run on this device in this process; if the kernel was given the "
               "right memory, this is a bug of mdh or of the compiler: please report it"});
}

}  // namespace

std::string status_name(CuResult status) {
  const NamedStatus* known = row_of(status_names, status);
  return known != nullptr ? known->name : fmt::format("error {}", status);
}

bool breaks_context(CuResult status) { return row_of(breakages, status) != nullptr; }

void check(CuResult status, const char* call) {
  if (status == success) return;
  if (const Breakage* how = row_of(breakages, status)) context_broken(*how, call);
  if (status == out_of_memory || status == launch_out_of_resources) {
    missing("E616",
            fmt::format("the CUDA device ran out of memory or resources ({} in {})",
                        status_name(status), call),
            "use a smaller size, smaller groups, or less shared memory");
  }
  if (const Shortage* known = row_of(shortages, status)) {
    missing("E647", fmt::format("{} ({} in {})", known->what, status_name(status), call),
            known->hint);
  }
  internal_failure(false, fmt::format("{} failed: {}", call, status_name(status)));
}

}  // namespace mdh::runtime::cuda
