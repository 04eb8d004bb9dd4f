#include "mdh/runtime/host/library.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>

#include "mdh/support/diagnostic.h"
#include "mdh/support/text.h"

namespace mdh::runtime::host {
namespace {

constexpr size_t alignment = 64;

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

[[noreturn]] void not_built(const Unit& unit, const std::vector<std::string>& flags,
                            const BuildFailure& failure) {
  if (failure.kind == BuildFailure::Kind::timed_out) {
    missing("E607", "compiling a kernel took too long: " + failure.text,
            "unroll less, or use smaller tiles in registers");
  }
  if (!flags.empty()) {
    user_error("E605", {},
               fmt::format("{} refused a kernel with the flags '{}' of the configuration:\n{}",
                           unit.compiler.path, join(flags, " "), failure.text),
               "does it compile without them?");
  }
  internal_failure(
      false, fmt::format("{} refused the printed source:\n{}", unit.compiler.path, failure.text));
}

Object build_one(const Unit& unit, const std::vector<std::string>& flags,
                 const BuildOptions& options) {
  const Built built = build_units({unit}, options).front();
  if (!built.object) not_built(unit, flags, built.failure);
  return *built.object;
}

/// An object of the cache that the loader does not like is compiled anew.
std::vector<Kernel> load_unit(std::span<const kernel::Module> modules, const Unit& unit,
                              const std::vector<std::string>& flags, BuildOptions options) {
  const Object object = build_one(unit, flags, options);
  std::vector<Kernel> kernels;
  try {
    for (const kernel::Module& module : modules) kernels.emplace_back(module, object);
  } catch (const Error&) {
    if (!object.from_cache) throw;
    options.renew = true;
    return load_unit(modules, unit, flags, options);
  }
  return kernels;
}

}  // namespace

Kernel::Kernel(const kernel::Module& module, const Object& object)
    : module_(module),
      object_(object),
      library_(open_library(object.path)),
      workspaces_(std::make_shared<Pool<Workspace>>(
          [bytes = module.workspace()] { return aligned_memory(bytes); })) {
  kernel::for_each_launch(module.steps, [&](const kernel::Launch& launch, auto) {
    void* entry = dlsym(library_.get(), launch.function.c_str());
    internal_check(entry != nullptr, "the compiled library lacks '{}'", launch.function);
    entries_.push_back(reinterpret_cast<Kernel::Entry>(entry));
  });
}

std::vector<Kernel> load(std::span<const kernel::Module> modules, const Compiler& compiler,
                         const BuildOptions& options) {
  return load_unit(modules, unit_of({modules.begin(), modules.end()}, compiler), {}, options);
}

Kernel load(const kernel::Module& module, const BuildOptions& options) {
  const Unit unit = unit_of({module}, compiler_for(module, options.cache));
  return load_unit({&module, 1}, unit, module.flags, options).front();
}

void Kernel::operator()(std::span<void* const> buffers, int threads) const {
  internal_check(buffers.size() == module_.arguments.size(), "{} buffers for {} arguments",
                 buffers.size(), module_.arguments.size());
  std::vector<void*> pointers(buffers.begin(), buffers.end());
  const long granted = std::clamp<long>(threads, 1, module_.threads());
  const Pool<Workspace>::Loan workspace(*workspaces_);
  for (const Entry entry : entries_) entry(pointers.data(), workspace->get(), granted);
}

}  // namespace mdh::runtime::host
