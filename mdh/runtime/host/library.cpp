#include "mdh/runtime/host/library.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>

#include "mdh/runtime/process.h"
#include "mdh/support/diagnostic.h"
#include "mdh/support/files.h"

namespace mdh::runtime::host {
namespace {

constexpr size_t alignment = 64;

std::vector<std::string> command_line(const Compiler& compiler, bool contract,
                                      const std::string& source, const std::string& object) {
  std::vector<std::string> command = {compiler.path, "-std=gnu11", "-shared",
                                      "-fPIC",       "-fopenmp",   "-w"};
  command.insert(command.end(), compiler.flags.begin(), compiler.flags.end());
  command.emplace_back(contract ? "-ffp-contract=fast" : "-ffp-contract=off");
  command.insert(command.end(), {source, "-o", object, "-lm"});
  return command;
}

/// The OpenMP runtime keeps threads waiting for work: it must stay loaded when the kernels that
/// brought it in are gone.
void pin_openmp_runtime(void* library) {
  void* symbol = dlsym(library, "omp_get_num_threads");
  Dl_info info;
  if (symbol != nullptr && dladdr(symbol, &info) != 0) {
    dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
  }
}

std::shared_ptr<void> open_library(const std::string& path) {
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    missing("E602", fmt::format("a compiled kernel cannot be loaded: {}", dlerror()),
            "is the OpenMP runtime library installed?");
  }
  pin_openmp_runtime(handle);
  return {handle, [](void* library) { dlclose(library); }};
}

std::shared_ptr<char[]> aligned_memory(int64_t bytes) {
  const size_t rounded = (static_cast<size_t>(bytes) + alignment - 1) / alignment * alignment;
  auto* memory = static_cast<char*>(std::aligned_alloc(alignment, std::max(rounded, alignment)));
  if (memory == nullptr) {
    missing("E603", fmt::format("no memory for a workspace of {} bytes", bytes),
            "use fewer parts on cores, or a smaller size");
  }
  return {memory, [](char* block) { std::free(block); }};
}

}  // namespace

Compiler find_compiler() {
  const char* named = std::getenv("MDH_CC");
  const std::vector<std::string> candidates = named == nullptr
                                                  ? std::vector<std::string>{"cc", "gcc", "clang"}
                                                  : std::vector<std::string>{named};
  for (const std::string& name : candidates) {
    const std::string path = find_program(name);
    if (!path.empty()) return {path, {"-O3"}};
  }
  missing("E601",
          named == nullptr
              ? "no C compiler found (tried cc, gcc, clang)"
              : fmt::format("the C compiler '{}' named by MDH_CC was not found", named),
          "install gcc (apt-get install gcc), or set MDH_CC to a C compiler with OpenMP");
}

std::vector<Kernel> load(std::span<const kernel::Module> modules, const Compiler& compiler) {
  const TemporaryDirectory scratch;
  std::string source;
  bool contract = true;
  for (const kernel::Module& module : modules) {
    source += module.source + "\n";
    contract = contract && module.contract_allowed;
  }
  const std::string path = (scratch.path() / "kernels.c").string();
  const std::string object = (scratch.path() / "kernels.so").string();
  write_file(path, source);
  const Exit compiled = run_program(command_line(compiler, contract, path, object), scratch.path());
  internal_check(compiled.status == 0, "{} refused the printed source:\n{}", compiler.path,
                 compiled.output);
  const std::shared_ptr<void> library = open_library(object);

  std::vector<Kernel> kernels;
  for (const kernel::Module& module : modules) {
    Kernel kernel;
    kernel.module_ = module;
    kernel.library_ = library;
    kernel::for_each_launch(module.steps, [&](const kernel::Launch& launch, auto) {
      void* entry = dlsym(library.get(), launch.function.c_str());
      internal_check(entry != nullptr, "the compiled library lacks '{}'", launch.function);
      kernel.entries_.push_back(reinterpret_cast<Kernel::Entry>(entry));
    });
    kernel.workspace_ =
        aligned_memory(module.workspace_bytes +
                       module.workspace_bytes_per_core * std::max(1, module.parts_on_cores));
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

void Kernel::operator()(std::span<void* const> buffers, int threads) const {
  internal_check(buffers.size() == module_.arguments.size(), "{} buffers for {} arguments",
                 buffers.size(), module_.arguments.size());
  std::vector<void*> pointers(buffers.begin(), buffers.end());
  const long granted = std::clamp<long>(threads, 1, module_.parts_on_cores);
  for (const Entry entry : entries_) entry(pointers.data(), workspace_.get(), granted);
}

}  // namespace mdh::runtime::host
