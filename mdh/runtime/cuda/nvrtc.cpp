#include "mdh/runtime/cuda/nvrtc.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "mdh/runtime/cuda/hints.h"
#include "mdh/runtime/cuda/places.h"
#include "mdh/runtime/symbols.h"
#include "mdh/support/diagnostic.h"
#include "mdh/support/files.h"

namespace mdh::runtime::cuda {
namespace {

/// Finds functions, and remembers the first one that is not there.
struct NvrtcSymbols {
  void* handle;
  std::string lacking = {};

  Symbol operator()(const char* name) {
    const Symbol found = symbol_in(handle, name);
    if (found.address == nullptr && lacking.empty()) lacking = name;
    return found;
  }
};

NvrtcApi api_in(NvrtcSymbols& find) {
  return {
      .version = find("nvrtcVersion"),
      .get_num_supported_archs = find("nvrtcGetNumSupportedArchs"),
      .get_supported_archs = find("nvrtcGetSupportedArchs"),
      .get_error_string = find("nvrtcGetErrorString"),
      .create_program = find("nvrtcCreateProgram"),
      .destroy_program = find("nvrtcDestroyProgram"),
      .compile_program = find("nvrtcCompileProgram"),
      .get_program_log_size = find("nvrtcGetProgramLogSize"),
      .get_program_log = find("nvrtcGetProgramLog"),
      .get_cubin_size = find("nvrtcGetCUBINSize"),
      .get_cubin = find("nvrtcGetCUBIN"),
      .get_ptx_size = find("nvrtcGetPTXSize"),
      .get_ptx = find("nvrtcGetPTX"),
  };
}

/// The file that the dynamic loader has found, which is named by more than its version.
std::string file_of(const NvrtcApi& api, const std::string& otherwise) {
  Dl_info info;
  const bool known = dladdr(reinterpret_cast<void*>(api.version), &info) != 0;
  return known && info.dli_fname != nullptr ? info.dli_fname : otherwise;
}

std::string fingerprint_of(const Nvrtc& nvrtc) {
  struct stat status {};
  stat(nvrtc.library.c_str(), &status);
  return fmt::format("NVRTC {}.{} {} {} {}", nvrtc.major, nvrtc.minor, status.st_size,
                     status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

std::vector<int> archs_of(const NvrtcApi& api) {
  int count = 0;
  if (api.get_num_supported_archs(&count) != nvrtc_success || count <= 0) return {};
  std::vector<int> archs(static_cast<size_t>(count));
  if (api.get_supported_archs(archs.data()) != nvrtc_success) return {};
  std::sort(archs.begin(), archs.end());
  return archs;
}

}  // namespace

std::optional<Nvrtc> open_nvrtc(const std::string& library, std::string* why) {
  std::string ignored;
  std::string& reason = why == nullptr ? ignored : *why;
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    reason = dlerror();
    return std::nullopt;
  }
  NvrtcSymbols find{handle};
  Nvrtc nvrtc{.library = library, .api = api_in(find)};
  if (!find.lacking.empty()) {
    reason = fmt::format("{} has no {}", library, find.lacking);
    return std::nullopt;
  }
  nvrtc.library = file_of(nvrtc.api, library);
  nvrtc.api.version(&nvrtc.major, &nvrtc.minor);
  nvrtc.archs = archs_of(nvrtc.api);
  nvrtc.fingerprint = fingerprint_of(nvrtc);
  return nvrtc;
}

std::optional<Nvrtc> find_nvrtc(int driver_version) {
  const std::vector<std::string> places = places_of_nvrtc();
  const bool is_named = std::getenv("MDH_NVRTC") != nullptr;
  std::optional<Nvrtc> later;  // than the driver
  std::string why;
  for (const std::string& place : places) {
    std::optional<Nvrtc> found = open_nvrtc(place, &why);
    if (!found) continue;
    // Drivers run what compilers of their own generation make, and of all before.
    if (is_named || driver_version == 0 || found->major <= driver_version / 1000) return found;
    if (!later) later = std::move(found);
  }
  if (is_named && !places.empty()) {
    missing("E645", fmt::format("the NVRTC that MDH_NVRTC names cannot be used: {}", why),
            how_to_get_a_compiler);
  }
  return later;
}

// ---- compiling

namespace {

/// One of the two texts that a program has, by the functions that tell its size and its content.
std::string text_from(NvrtcProgram program, NvrtcResult (*size)(NvrtcProgram, size_t*),
                      NvrtcResult (*content)(NvrtcProgram, char*)) {
  size_t bytes = 0;
  if (size(program, &bytes) != nvrtc_success || bytes == 0) return {};
  std::string text(bytes, '\0');
  return content(program, text.data()) == nvrtc_success ? text : "";
}

std::string without_end(std::string text) {
  text.resize(text.find_last_not_of(std::string("\0\n ", 3)) + 1);
  return text;
}

}  // namespace

NvrtcOutcome compile(const Nvrtc& nvrtc, const std::string& source,
                     const std::vector<std::string>& options) {
  const NvrtcApi& api = nvrtc.api;
  NvrtcProgram program = nullptr;
  NvrtcResult result =
      api.create_program(&program, source.c_str(), "kernels.cu", 0, nullptr, nullptr);
  if (result != nvrtc_success) return {.log = api.get_error_string(result)};
  std::vector<const char*> words;
  for (const std::string& option : options) words.push_back(option.c_str());
  result = api.compile_program(program, static_cast<int>(words.size()), words.data());
  NvrtcOutcome outcome{
      .log = without_end(text_from(program, api.get_program_log_size, api.get_program_log))};
  if (result == nvrtc_success) {
    outcome.object = text_from(program, api.get_cubin_size, api.get_cubin);
    if (outcome.object.empty()) outcome.object = text_from(program, api.get_ptx_size, api.get_ptx);
    outcome.is_compiled = !outcome.object.empty();
  } else if (result != nvrtc_compilation_failed || outcome.log.empty()) {
    outcome.log = fmt::format("error: {}\n{}", api.get_error_string(result), outcome.log);
  }
  api.destroy_program(&program);
  return outcome;
}

int compile_as_program(const std::vector<std::string>& arguments) {
  if (arguments.size() < 3) return 2;
  std::string why;
  const std::optional<Nvrtc> nvrtc = open_nvrtc(arguments[0], &why);
  if (!nvrtc) {
    std::printf("error: NVRTC cannot be used: %s\n", why.c_str());
    return 3;
  }
  const NvrtcOutcome outcome =
      compile(*nvrtc, read_file(arguments[1]), {arguments.begin() + 3, arguments.end()});
  std::printf("%s\n", outcome.log.c_str());
  if (!outcome.is_compiled) return 1;
  write_file(arguments[2], outcome.object);
  return 0;
}

}  // namespace mdh::runtime::cuda
