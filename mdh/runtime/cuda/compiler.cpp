#include "mdh/runtime/cuda/compiler.h"

#include <sys/stat.h>

#include <filesystem>

#include <fmt/format.h>

#include "mdh/runtime/cuda/hints.h"
#include "mdh/runtime/cuda/places.h"
#include "mdh/runtime/process.h"
#include "mdh/support/diagnostic.h"
#include "mdh/support/files.h"

namespace mdh::runtime::cuda {
namespace {

Compiler by_nvcc(const std::string& path) {
  const TemporaryDirectory scratch;
  const Exit said = run_program({path, "--version"}, scratch.path(), 60);
  struct stat status {};
  stat(path.c_str(), &status);
  return {std::nullopt, path,
          fmt::format("{}\n{} {} {}\n{}", path, status.st_size, status.st_mtim.tv_sec,
                      status.st_mtim.tv_nsec, said.output)};
}

Compiler by_nvrtc(const Nvrtc& nvrtc) { return {nvrtc, nvrtc.library, nvrtc.fingerprint}; }

[[noreturn]] void no_compiler_of_cuda(const std::string& what) {
  missing("E645", what, how_to_get_a_compiler);
}

bool is_same_program(const std::string& a, const std::string& b) {
  std::error_code failure;
  return !a.empty() && !b.empty() && std::filesystem::equivalent(a, b, failure);
}

/// The nvcc that a configuration asks for.
Compiler nvcc_named(const std::string& name) {
  const std::string found = find_nvcc();
  const bool is_path = name.find('/') != std::string::npos;
  if (is_path && !is_same_program(name, found)) {
    user_error("E620", {},
               fmt::format(
                   "code.kernel.compiler: '{}' is no compiler that a configuration may name", name),
               "write nvcc or nvrtc; another nvcc has to be named by MDH_NVCC");
  }
  if (found.empty()) no_compiler_of_cuda("nvcc, which the configuration names, was not found");
  return by_nvcc(found);
}

}  // namespace

Compiler compiler_for(const kernel::Module& module, const Device& device) {
  const std::string& name = module.compiler;
  if (name == "nvcc" || name.ends_with("/nvcc")) return nvcc_named(name);
  if (const auto nvrtc = find_nvrtc(device.driver_version)) return by_nvrtc(*nvrtc);
  if (name == "nvrtc") {
    no_compiler_of_cuda("NVRTC, which the configuration names, was not found");
  }
  if (const std::string nvcc = find_nvcc(); !nvcc.empty()) return by_nvcc(nvcc);
  no_compiler_of_cuda("there is no compiler for CUDA: neither the library NVRTC nor nvcc is found");
}

Arch arch_for(const Device& device, const Compiler& compiler) {
  // nvcc is not asked; it refuses what it does not know.
  if (!compiler.nvrtc || compiler.nvrtc->archs.empty()) return device.arch;
  int nearest = 0;
  for (const int known : compiler.nvrtc->archs) {
    if (known == device.arch.number) return device.arch;
    if (known < device.arch.number) nearest = known;
  }
  if (nearest == 0) {
    missing(
        "E647",
        fmt::format("{} is too old for NVRTC {}.{}, which knows sm_{} and later",
                    device.is_there ? fmt::format("{} ({})", device.name, to_string(device.arch))
                                    : to_string(device.arch),
                    compiler.nvrtc->major, compiler.nvrtc->minor, compiler.nvrtc->archs.front()),
        "install an older NVRTC, and name it with MDH_NVRTC");
  }
  return {.number = nearest, .variant = "", .is_ptx = true};
}

std::vector<std::string> words_of(const CompileOptions& options) {
  std::vector<std::string> words = options.flags;
  words.push_back("--gpu-architecture=" + to_string(options.arch));
  // Numbers as IEEE 754 wants them, and as the host computes them.
  words.insert(words.end(), {"--std=c++17", "--ftz=false", "--prec-div=true", "--prec-sqrt=true"});
  words.emplace_back(options.contract ? "--fmad=true" : "--fmad=false");
  words.emplace_back("-w");
  if (options.tells_needs && !options.arch.is_ptx) words.emplace_back("--ptxas-options=-v");
  return words;
}

std::vector<std::string> command_line(const Compiler& compiler, const CompileOptions& options,
                                      const std::string& worker, const std::string& source,
                                      const std::string& object) {
  std::vector<std::string> command;
  if (compiler.nvrtc) {
    command = {worker, "--nvrtc", compiler.path, source, object};
  } else {
    command = {compiler.path, options.arch.is_ptx ? "-ptx" : "-cubin", "-o", object, source};
  }
  const std::vector<std::string> words = words_of(options);
  command.insert(command.end(), words.begin(), words.end());
  return command;
}

}  // namespace mdh::runtime::cuda
