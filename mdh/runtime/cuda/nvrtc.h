// NVRTC, the compiler of CUDA that is a library, found at run time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mdh/runtime/cuda/types.h"

namespace mdh::runtime::cuda {

/// Named as in nvrtc.h, without "nvrtc". All are there since CUDA 11.2.
struct NvrtcApi {
  NvrtcResult (*version)(int* major, int* minor);
  NvrtcResult (*get_num_supported_archs)(int* count);
  NvrtcResult (*get_supported_archs)(int* archs);
  const char* (*get_error_string)(NvrtcResult result);
  NvrtcResult (*create_program)(NvrtcProgram* program, const char* source, const char* name,
                                int headers, const char* const* header_texts,
                                const char* const* header_names);
  NvrtcResult (*destroy_program)(NvrtcProgram* program);
  NvrtcResult (*compile_program)(NvrtcProgram program, int count, const char* const* options);
  NvrtcResult (*get_program_log_size)(NvrtcProgram program, size_t* bytes);
  NvrtcResult (*get_program_log)(NvrtcProgram program, char* log);
  NvrtcResult (*get_cubin_size)(NvrtcProgram program, size_t* bytes);
  NvrtcResult (*get_cubin)(NvrtcProgram program, char* cubin);
  NvrtcResult (*get_ptx_size)(NvrtcProgram program, size_t* bytes);
  NvrtcResult (*get_ptx)(NvrtcProgram program, char* ptx);
};

struct Nvrtc {
  std::string library;  // by which it can be opened again, also in another process
  NvrtcApi api{};
  int major = 0, minor = 0;
  std::vector<int> archs;   // numbers of those that it knows
  std::string fingerprint;  // changes with everything that may change what it compiles
};

/// Opens a library; nothing if it is not there or lacks a function, and then `why` says so. It
/// stays open.
std::optional<Nvrtc> open_nvrtc(const std::string& library, std::string* why = nullptr);

/// The newest NVRTC of this machine that is not of a later generation than the driver, whose
/// version is as the driver tells it (12040); 0: unknown. A later one if there is no other. Nothing
/// if there is none; "missing" (E645) if MDH_NVRTC names a library that cannot be opened.
std::optional<Nvrtc> find_nvrtc(int driver_version = 0);

/// What NVRTC made of a source.
struct NvrtcOutcome {
  bool is_compiled = false;
  std::string object;  // cubin, or PTX if the options ask for an architecture that is only that
  std::string log;
};

/// Compiles a source, for as long as that takes.
NvrtcOutcome compile(const Nvrtc& nvrtc, const std::string& source,
                     const std::vector<std::string>& options);

/// The same as a program of its own, which may be killed: `arguments` are the library, the file of
/// the source, that of the object, and the options. Prints the log and returns an exit code.
int compile_as_program(const std::vector<std::string>& arguments);

}  // namespace mdh::runtime::cuda
